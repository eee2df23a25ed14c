// Package sqltest starts throw-away database servers for tests.
//
// A server has its own folder and port and is gone when it is stopped. Where
// its program is not installed, the test is skipped; the environment variable
// MCPDECL_TEST_REQUIRE, such as "postgres,mysql", makes that a failure.
package sqltest

// Package sql answers reads with the rows of one SQL statement.
//
// A query is constant text with :name placeholders. It is split once, at load
// (lex.go, query.go); a read binds the values, never pastes them, and encodes
// the rows straight from the driver's values into the final bytes, in column
// order (encode_*.go). What differs between databases is behind two types: a
// [dialect] knows the lexical rules and placeholders, a session runs a
// statement and hands out rows of cells. A cell holds a value without loss;
// number.go and docs/types.md say what becomes a JSON number and what a string.
//
// That a read cannot write is the database's own doing: SQLite opens the file
// read-only with an authorizer, PostgreSQL and MySQL run read-only
// transactions. The text of a query is never trusted for that.
//
// The package does not know resources, URIs or the protocol.
package sql

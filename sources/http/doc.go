// Package http answers reads with one HTTP request to a fixed backend.
//
// A connection fixes scheme, host and base path. A source adds an RFC 6570
// template: at load it is taken apart (decode_url.go), at a read it is expanded
// once over the typed parameters, and the URL that comes out is held against
// the connection again (target.go): a value is data in its place, or the read
// is refused. What a client sends can choose neither the host, nor another
// endpoint, nor see the credentials.
//
// Everything that a read does stands under one deadline: the token, the
// attempts and their waits, the body. Redirects leave the origin never
// (redirect.go), addresses are checked when a connection is dialed, after the
// name was resolved (address.go).
//
// A body that nobody asks anything of is passed through, byte for byte. It is
// parsed only for an expression over it; numbers keep their digits, and items
// that are written out keep the bytes that the backend sent.
//
// Errors name the connection, never the URL, a header or a body of the backend.
// The package does not cache; it reports what a cache needs (freshness.go).
package http

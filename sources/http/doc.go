// Package http is the kind of sources that answer a read with an HTTP request.
//
// A connection fixes scheme, host and base path; a source adds an RFC 6570
// template that is expanded, never pasted. This version checks declarations;
// it does not send requests yet.
package http

package engine

import (
	"errors"
	"fmt"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/mcpdecl/mcpdecl/uritmpl"
)

// The JSON-RPC codes that a read can fail with.
const (
	CodeInvalidParams = -32602
	CodeInternal      = -32603
	// CodeLegacyNotFound is what revisions before 2026-07-28 call a missing
	// resource; only with server.legacy_not_found.
	CodeLegacyNotFound = -32002
)

// Error is an error as a client may see it: nothing in Message or Data comes
// from a backend. Cause is for the log only, next to Ref.
type Error struct {
	Code    int
	Message string
	// Data becomes the error's data: "uri", "parameter", "rule", "refusal".
	Data map[string]any
	// NotFound marks the one error that means "no such resource".
	NotFound bool
	// Ref connects an internal error with its line in the log.
	Ref   string
	Cause error
}

func (e *Error) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("%s: %v", e.Message, e.Cause)
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

func notFound(uri string) *Error {
	return &Error{
		Code: CodeInvalidParams, Message: "Resource not found",
		Data: about(uri), NotFound: true,
	}
}

// refused answers a URI that no template may see.
func refused(uri string, err error) *Error {
	var r *uritmpl.Refusal
	if !errors.As(err, &r) {
		return readError(uri, "", err)
	}
	data := map[string]any{"uri": r.URI, "refusal": r.Code}
	if r.Parameter != "" {
		data["parameter"] = r.Parameter
	}
	return &Error{Code: CodeInvalidParams, Message: upperFirst(r.Error()), Data: data}
}

// invalidParameter answers a value that breaks a type or a constraint.
func invalidParameter(uri string, b *decl.Broken) *Error {
	data := about(uri)
	data["parameter"], data["rule"] = b.Parameter, b.Rule
	return &Error{
		Code: CodeInvalidParams, Message: fmt.Sprintf("Invalid parameter %q: %s", b.Parameter, b.Message), Data: data,
	}
}

// readError is the one place where what a source, or an expression, failed
// with becomes what a client may see.
func readError(uri, resource string, err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	if errors.Is(err, sources.ErrNotFound) {
		return notFound(uri)
	}
	var broken *decl.Broken
	if errors.As(err, &broken) { // a value that the source cannot put to use
		return invalidParameter(uri, broken)
	}
	message := "Internal error"
	var public *sources.PublicError
	if errors.As(err, &public) {
		message = upperFirst(public.Message)
	}
	return &Error{
		Code: CodeInternal, Message: message, Data: about(uri),
		Cause: fmt.Errorf("read resource %q: %w", resource, err),
	}
}

// about is the data of an error that speaks of a URI; a tool has none.
func about(uri string) map[string]any {
	if uri == "" {
		return map[string]any{}
	}
	return map[string]any{"uri": uri}
}

func upperFirst(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

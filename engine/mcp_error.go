package engine

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// recoverPanics is the outermost middleware: the SDK runs a handler on a
// goroutine of its own, where a panic would end the process.
func (e *edge) recoverPanics(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				ref := NewReference()
				e.log.ErrorContext(ctx, "panic while answering", "method", method, "reference", ref,
					"panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				res, err = nil, internalError(ref)
			}
		}()
		return next(ctx, method, req)
	}
}

// mapErrors lets no error through but those that wireError makes.
func (e *edge) mapErrors(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if err != nil {
			return nil, e.wireError(ctx, method, req, err)
		}
		return res, nil
	}
}

// wireError is the one place where an error becomes what a client sees. It is
// returned as it is, never wrapped: the SDK drops the data of a wrapped error,
// and sends a plain one with code 0 and its whole text.
func (e *edge) wireError(ctx context.Context, method string, req mcp.Request, err error) *jsonrpc.Error {
	var ours *Error
	var sdk *jsonrpc.Error
	switch {
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		// The client, or the end of the server, does not want the answer.
		return &jsonrpc.Error{Code: CodeInternal, Message: "Request cancelled"}
	case errors.As(err, &ours) && ours.Code != 0:
		return e.ownError(ctx, method, req, ours)
	case errors.As(err, &sdk) && sdk.Code != 0:
		// The SDK's own checks; no text of a backend comes this way.
		out := &jsonrpc.Error{Code: sdk.Code, Message: err.Error()}
		if json.Valid(sdk.Data) {
			out.Data = sdk.Data
		}
		return out
	case method == methodInitialize:
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
	}
	ref := NewReference()
	e.log.ErrorContext(ctx, "request failed", "method", method, "reference", ref, "error", err)
	return internalError(ref)
}

func (e *edge) ownError(ctx context.Context, method string, req mcp.Request, err *Error) *jsonrpc.Error {
	code, data := err.Code, maps.Clone(err.Data)
	if data == nil {
		data = map[string]any{}
	}
	if r, ok := req.(*mcp.ReadResourceRequest); ok && code == CodeInvalidParams {
		if _, said := data["uri"]; !said {
			data["uri"] = r.Params.URI
		}
	}
	if code == CodeInternal {
		ref := err.Ref
		if ref == "" {
			ref = NewReference()
		}
		attrs := []any{"method", method, "reference", ref, "error", err}
		if uri, ok := data["uri"]; ok {
			attrs = append(attrs, "uri", uri)
		}
		data["reference"] = ref
		e.log.ErrorContext(ctx, "request failed", attrs...)
	}
	if err.NotFound && e.current().Info().LegacyNotFound && !modern(req) {
		code = CodeLegacyNotFound
	}
	out := &jsonrpc.Error{Code: int64(code), Message: err.Message}
	if len(data) > 0 {
		// encoding/json and not %q: a control character in a URI must not
		// make an answer that no client can parse.
		raw, merr := json.Marshal(data)
		if merr != nil {
			e.log.ErrorContext(ctx, "error data cannot be encoded", "method", method, "error", merr)
			return out
		}
		out.Data = raw
	}
	return out
}

func internalError(ref string) *jsonrpc.Error {
	data, _ := json.Marshal(map[string]string{"reference": ref}) // cannot fail
	return &jsonrpc.Error{Code: CodeInternal, Message: "Internal error", Data: data}
}

// NewReference connects what a client sees with a line in the log.
func NewReference() string { return rand.Text()[:12] }

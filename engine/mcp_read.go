package engine

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/segmentio/asm/utf8"
)

// readResult is a ReadResourceResult on the wire. It is not the SDK's type
// because that one leaves out a text that is empty.
type readResult struct {
	mcp.ResultBase        // _meta; the SDK puts the server's name there
	ResultType     string `json:"resultType,omitempty"`
	cacheHint
	Contents []wireContent `json:"contents"`
}

// wireContent has exactly one of text and blob, however empty.
type wireContent struct {
	URI      string          `json:"uri"`
	MIMEType string          `json:"mimeType,omitempty"`
	Text     wireText        `json:"text,omitzero"`
	Blob     wireText        `json:"blob,omitzero"`
	Meta     json.RawMessage `json:"_meta,omitempty"`
}

// wireText is a JSON string of bytes that are not copied into a string first:
// UTF-8 as it is, or base64.
type wireText struct {
	data   []byte // nil is no text at all
	base64 bool
}

func (t wireText) IsZero() bool { return t.data == nil }

// MarshalText implements [encoding.TextMarshaler], which encoding/json makes a
// string of.
func (t wireText) MarshalText() ([]byte, error) {
	if t.base64 {
		return base64.StdEncoding.AppendEncode(nil, t.data), nil
	}
	return t.data, nil
}

// LeaveOut lets a transport write large contents itself: hold takes each that
// has at least so many bytes and returns what stands for it until then.
func (r *readResult) LeaveOut(bytes int, hold func(data []byte, base64 bool) (mark string)) {
	for i := range r.Contents {
		for _, t := range []*wireText{&r.Contents[i].Text, &r.Contents[i].Blob} {
			if len(t.data) >= bytes {
				*t = wireText{data: []byte(hold(t.data, t.base64))}
			}
		}
	}
}

func (e *edge) read(ctx context.Context, req *mcp.ReadResourceRequest) (mcp.Result, error) {
	uri := req.Params.URI
	start := time.Now()
	res, err := e.current().Read(ctx, uri)
	e.note(ctx, uri, start, res, err)
	if err != nil {
		return nil, err
	}
	if res == nil || len(res.Contents) == 0 {
		// The protocol forbids an empty list for a resource that does not
		// exist, and one that exists has contents.
		return nil, fmt.Errorf("read %q: no contents", uri)
	}
	out := &readResult{
		ResultType: resultType(req),
		cacheHint:  cacheHint{TTLMs: max(0, res.TTL.Milliseconds()), CacheScope: scopePrivate},
		Contents:   make([]wireContent, len(res.Contents)),
	}
	if res.Public {
		out.CacheScope = scopePublic
	}
	for i, c := range res.Contents {
		if out.Contents[i], err = toWire(c, uri); err != nil {
			return nil, fmt.Errorf("read %q: %w", uri, err)
		}
	}
	return out, nil
}

// note logs a read for somebody who wants to see what clients ask for.
func (e *edge) note(ctx context.Context, uri string, start time.Time, res *Result, err error) {
	if !e.log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	attrs := []any{"uri", uri, "took", time.Since(start)}
	if err != nil || res == nil {
		e.log.DebugContext(ctx, "read", append(attrs, "error", err)...)
		return
	}
	size := 0
	for _, c := range res.Contents {
		size += len(c.Data)
	}
	e.log.DebugContext(ctx, "read", append(attrs, "contents", len(res.Contents), "bytes", size)...)
}

// toWire makes a content's wire form. A text that is not UTF-8 goes out as a
// blob: JSON could only carry it damaged.
func toWire(c Content, uri string) (wireContent, error) {
	w := wireContent{URI: c.URI, MIMEType: c.MIMEType}
	if w.URI == "" {
		w.URI = uri
	}
	data := c.Data
	if data == nil {
		data = []byte{}
	}
	if c.Binary || !utf8.Valid(data) {
		w.Blob = wireText{data, true}
	} else {
		w.Text = wireText{data, false}
	}
	if len(c.Meta) > 0 {
		// Encoded here because the SDK answers nothing at all when a result
		// cannot be encoded.
		meta, err := json.Marshal(c.Meta)
		if err != nil {
			return w, fmt.Errorf("encode _meta: %w", err)
		}
		w.Meta = meta
	}
	return w, nil
}

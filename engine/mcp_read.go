package engine

import (
	"context"
	"encoding/json"
	"fmt"

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
	Text     *string         `json:"text,omitempty"`
	Blob     []byte          `json:"blob,omitzero"`
	Meta     json.RawMessage `json:"_meta,omitempty"`
}

func (e *edge) read(ctx context.Context, req *mcp.ReadResourceRequest) (mcp.Result, error) {
	uri := req.Params.URI
	res, err := e.current().Read(ctx, uri)
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

// toWire makes a content's wire form. A text that is not UTF-8 goes out as a
// blob: JSON could only carry it damaged.
func toWire(c Content, uri string) (wireContent, error) {
	w := wireContent{URI: c.URI, MIMEType: c.MIMEType}
	if w.URI == "" {
		w.URI = uri
	}
	if c.Binary || !utf8.Valid(c.Data) {
		if w.Blob = c.Data; w.Blob == nil {
			w.Blob = []byte{}
		}
	} else {
		text := string(c.Data)
		w.Text = &text
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

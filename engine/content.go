package engine

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"unicode/utf8"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// The media types of contents that a resource says nothing else of.
const (
	typeText   = "text/plain"
	typeJSON   = "application/json"
	typeBinary = "application/octet-stream"
)

// render makes the contents of a read: the source's own, or the body's over
// what the source returned.
func (m *match) render(res *sources.Result) (*Result, error) {
	var contents []Content
	if m.resource.Body.Expr() == nil {
		contents = m.sourceContents(res)
	} else {
		c, err := m.body(res)
		if err != nil {
			return nil, err
		}
		contents = []Content{c}
	}
	if res.Truncated != "" && len(contents) > 0 {
		contents[0].Meta = map[string]any{"mcpdecl/truncated": true}
		contents = append(contents, Content{URI: m.uri, MIMEType: typeText, Data: []byte(res.Truncated)})
	}
	return &Result{Contents: contents}, nil
}

func (m *match) sourceContents(res *sources.Result) []Content {
	out := make([]Content, 0, len(res.Contents)+1) // room for the mark of a cut result
	for _, c := range res.Contents {
		n := Content{URI: c.URI, MIMEType: m.resource.MIMEType, Data: c.Data, Binary: c.Binary}
		if n.URI == "" {
			n.URI = m.uri
		}
		if n.MIMEType == "" {
			n.MIMEType = c.MIMEType
		}
		// Only valid UTF-8 can be a JSON string without damage.
		n.Binary = n.Binary || !c.UTF8 && !utf8.Valid(n.Data)
		out = append(out, n)
	}
	return out
}

// body evaluates text, json or blob.
func (m *match) body(res *sources.Result) (Content, error) {
	c := Content{URI: m.uri, MIMEType: m.resource.MIMEType}
	b := m.resource.Body
	v, _, err := b.Expr().Value(m.scope().With(res.Scope))
	if err != nil {
		return c, err
	}
	switch {
	case b.JSON != nil:
		var buf bytes.Buffer
		c.setType(typeJSON)
		err = appendJSON(&buf, v)
		c.Data = buf.Bytes()
	case b.Text != nil:
		c.setType(typeText)
		c.Data, err = stringOf(b.Text, v)
	default:
		c.setType(typeBinary)
		c.Binary = true
		c.Data, err = stringOf(b.Blob, v)
		if err == nil {
			c.Data, err = decodeBase64(b.Blob, c.Data)
		}
	}
	return c, err
}

func (c *Content) setType(t string) {
	if c.MIMEType == "" {
		c.MIMEType = t
	}
}

func stringOf(e *decl.Expr, v cty.Value) ([]byte, error) {
	v, _ = v.UnmarkDeep()
	s, err := convert.Convert(v, cty.String)
	if err != nil {
		return nil, fmt.Errorf("evaluate expression at %s: the result is of type %s, not a string", e.Range, v.Type().FriendlyName())
	}
	if s.IsNull() {
		return nil, fmt.Errorf("evaluate expression at %s: the result is null; give a default with coalesce(..., \"-\")", e.Range)
	}
	return []byte(s.AsString()), nil
}

func decodeBase64(e *decl.Expr, data []byte) ([]byte, error) {
	out, err := base64.StdEncoding.DecodeString(string(data))
	if err != nil {
		return nil, fmt.Errorf("evaluate expression at %s: the result is not base64: %w", e.Range, err)
	}
	return out, nil
}

package engine

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"strings"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/segmentio/asm/utf8"
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
	var err error
	for _, uri := range itemURIs(res) {
		if !isURI(uri) {
			return nil, fmt.Errorf("item_uri gives %q, which is not a URI: write a scheme, and urlencode(...) around values", uri)
		}
	}
	switch {
	case m.resource.Body.Expr() == nil:
		contents = m.sourceContents(res)
	case res.ItemURIs != nil:
		contents, err = m.itemBodies(res)
	default:
		var c Content
		c, err = m.body(m.uri, res.Scope)
		contents = []Content{c}
	}
	if err != nil {
		return nil, err
	}
	if m.resource.source != nil && len(contents) == 0 {
		// A result is never empty: the protocol has that for nothing.
		return nil, sources.ErrNotFound
	}
	if res.Truncated != "" && len(contents) > 0 {
		contents[0].Meta = map[string]any{"mcpdecl/truncated": true}
		contents = append(contents, Content{URI: m.uri, MIMEType: typeText, Data: []byte(res.Truncated)})
	}
	return &Result{Contents: contents}, nil
}

// itemURIs are the URIs that the source gave to contents.
func itemURIs(res *sources.Result) []string {
	if res.ItemURIs != nil {
		return res.ItemURIs
	}
	var out []string
	for _, c := range res.Contents {
		if c.URI != "" {
			out = append(out, c.URI)
		}
	}
	return out
}

// isURI reports whether a text has a scheme (RFC 3986, section 3.1) and nothing
// that would end a URI where it is written.
func isURI(s string) bool {
	scheme, _, ok := strings.Cut(s, ":")
	if !ok || scheme == "" || !(scheme[0]|0x20 >= 'a' && scheme[0]|0x20 <= 'z') {
		return false
	}
	return !strings.ContainsFunc(scheme, func(r rune) bool { return !strings.ContainsRune(schemeChars, r) }) &&
		!strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune("<>\"{}|\\^`", r) })
}

const schemeChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-."

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

// itemBodies evaluates the body for each item of a result whose items are
// contents of their own: row is one of rows, item one of items.
func (m *match) itemBodies(res *sources.Result) ([]Content, error) {
	one, all := "row", "rows"
	if _, ok := res.Scope[all]; !ok {
		one, all = "item", "items"
	}
	var out []Content
	for it := res.Scope[all].ElementIterator(); it.Next(); {
		_, item := it.Element()
		names := maps.Clone(res.Scope)
		names[one] = item
		c, err := m.body(res.ItemURIs[len(out)], names)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// body evaluates text, json or blob over what the source returned.
func (m *match) body(uri string, names map[string]cty.Value) (Content, error) {
	c := Content{URI: uri, MIMEType: m.resource.MIMEType}
	b := m.resource.Body
	v, err := b.Expr().Value(m.scope().With(names))
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

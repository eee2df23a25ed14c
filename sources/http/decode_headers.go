package http

import (
	nethttp "net/http"
	"slices"
	"strings"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"golang.org/x/net/http/httpguts"
)

// managedHeaders follow from the connection or are the HTTP library's own.
var managedHeaders = []string{
	"Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Upgrade", "Te", "Trailer", "Expect",
	"Accept-Encoding", "Range", "If-Range", "Proxy-Authorization", "Proxy-Connection",
}

// decodeHeaders reads the constant headers of a connection in a fixed order.
func decodeHeaders(b *decl.Block) []header {
	at := b.ValueRange("headers")
	var out []header
	values := b.StringMap("headers")
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		canonical, ok := checkHeaderName(b, at, name)
		value := trimNewline(values[name])
		if !ok || !checkHeaderValue(b, at, "the header "+name, value) {
			continue
		}
		if slices.ContainsFunc(out, func(h header) bool { return h.name == canonical }) {
			reportRepeated(b, at, canonical)
			continue
		}
		out = append(out, header{canonical, value})
	}
	return out
}

func reportRepeated(b *decl.Block, at decl.Range, name string) {
	d := b.Errorf(at, "duplicate_name", "the header %s is set twice", name)
	d.Detail = "Upper and lower case are the same in a header's name. Remove one of them."
}

// checkHeaderName returns the canonical form of a header's name.
func checkHeaderName(b *decl.Block, at decl.Range, name string) (string, bool) {
	if !httpguts.ValidHeaderFieldName(name) {
		d := b.Errorf(at, "invalid_header", "%q cannot be the name of a header", name)
		d.Detail = "A name has letters, digits and hyphens, such as \"X-Request-Id\"."
		return "", false
	}
	canonical := nethttp.CanonicalHeaderKey(name)
	if slices.Contains(managedHeaders, canonical) {
		d := b.Errorf(at, "managed_header", "the header %s cannot be set", canonical)
		d.Detail = "It follows from the connection and from how requests are sent. Remove it."
		return "", false
	}
	return canonical, true
}

// checkHeaderValue never shows the value: it may be a credential.
func checkHeaderValue(b *decl.Block, at decl.Range, what, value string) bool {
	if validHeaderValue(value) {
		return true
	}
	d := b.Errorf(at, "invalid_header_value", "%s has a line break or another control character", what)
	d.Detail = "A header is one line. A single line break at the end is dropped; look for others in the value, which is not shown here."
	return false
}

func validHeaderValue(v string) bool { return httpguts.ValidHeaderFieldValue(v) }

// trimNewline drops the line break that files and variables with secrets end
// in.
func trimNewline(s string) string {
	return strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r")
}

// decodeHeaderExprs reads the headers of a source. A value that does not
// depend on the request is checked and kept here.
func decodeHeaderExprs(b *decl.Block, in *decl.SourceContext) []headerExpr {
	var out []headerExpr
	for _, e := range b.Exprs("headers") {
		v, ok := in.Check(e.Expr, nil)
		name, named := checkHeaderName(b, e.Range, e.Name)
		if !ok || !named {
			continue
		}
		if slices.ContainsFunc(out, func(h headerExpr) bool { return h.name == name }) {
			reportRepeated(b, e.Range, name)
			continue
		}
		if t := v.Type(); !t.IsPrimitiveType() && t != cty.DynamicPseudoType {
			d := b.Errorf(e.Expr.Range, "wrong_type", "the header %s must be a string", name)
			d.Detail = "It is of type " + t.FriendlyName() + ". Write a string, or jsonencode(...) of the value."
			continue
		}
		h := headerExpr{name: name, expr: e.Expr}
		if v.IsKnown() {
			text, ok := headerText(v)
			if !ok {
				continue // a constant null is no header
			}
			text = trimNewline(text)
			if !checkHeaderValue(b, e.Expr.Range, "the header "+name, text) {
				continue
			}
			h.value = &text
		}
		out = append(out, h)
	}
	return out
}

// headerText is the text of a value; false for null.
func headerText(v cty.Value) (string, bool) {
	v, _ = v.UnmarkDeep()
	s, err := convert.Convert(v, cty.String)
	if err != nil || s.IsNull() || !s.IsKnown() {
		return "", false
	}
	return s.AsString(), true
}

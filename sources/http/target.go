package http

import (
	"net/url"
	"path"
	"strings"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/uritmpl"
)

// target builds the URL of a request below the base URL.
type target struct {
	template *uritmpl.Template
	places   []place
	// slash says that a slash stands between the base URL and the template,
	// whatever a value begins with.
	slash bool
	// emptySegment says that the template itself has an empty segment.
	emptySegment bool
}

// place is one use of a parameter in the template.
type place struct {
	name  string
	param int // index into Request.Params
	op    string
	query bool
}

func newTarget(tmpl *uritmpl.Template, pieces []piece, in *decl.SourceContext) *target {
	t := &target{template: tmpl}
	if len(pieces) > 0 {
		first := pieces[0]
		t.slash = !strings.HasPrefix(first.text, "/") && !strings.HasPrefix(first.text, "?")
		if !first.literal {
			t.slash = first.op != "/" && first.op != "?"
		}
	}
	vars := tmpl.Variables()
	for _, p := range pieces {
		if p.literal {
			literal, _, _ := strings.Cut(p.text, "?")
			t.emptySegment = t.emptySegment || !p.query && strings.Contains(literal, "//")
			continue
		}
		for _, v := range vars {
			if v.Offset > p.off && v.Offset < p.end {
				t.places = append(t.places, place{v.Name, in.Param(v.Name), p.op, p.query})
			}
		}
	}
	return t
}

// rule is how refusals of a value name what it breaks.
const rule = "url"

// url expands the template once and holds the result against the base. A value
// that is more than data in its place is refused.
func (t *target) url(base *url.URL, params []any) (*url.URL, *decl.Broken) {
	vars := make(map[string]any, len(t.places))
	for _, p := range t.places {
		v, reason := p.value(params[p.param])
		if reason != "" {
			return nil, &decl.Broken{Parameter: p.name, Rule: rule, Message: reason}
		}
		vars[p.name] = v
	}
	text, err := t.template.Expand(vars)
	if err != nil {
		return nil, t.broken("it cannot be part of a URL")
	}
	if t.slash || base.Path == "" && !strings.HasPrefix(text, "/") {
		text = "/" + text
	}
	route, _, _ := strings.Cut(text, "?")
	if climbs(route) {
		return nil, t.broken("it would lead to another path")
	}
	if strings.Contains(route, "//") && !t.emptySegment {
		return nil, t.broken("it makes an empty path segment")
	}
	u, err := url.Parse(base.Scheme + "://" + base.Host + base.EscapedPath() + text)
	if err != nil || !within(base, u) {
		return nil, t.broken("it would lead outside of the base URL")
	}
	return u, nil
}

// broken blames the first parameter in the path, where a result cannot be told
// to come from one of them.
func (t *target) broken(reason string) *decl.Broken {
	for _, p := range t.places {
		if !p.query {
			return &decl.Broken{Parameter: p.name, Rule: rule, Message: reason}
		}
	}
	name := ""
	if len(t.places) > 0 {
		name = t.places[0].name
	}
	return &decl.Broken{Parameter: name, Rule: rule, Message: reason}
}

// within reports whether u is the base URL or one below it.
func within(base, u *url.URL) bool {
	if u.Scheme != base.Scheme || u.Host != base.Host || u.User != nil || u.Opaque != "" || u.Fragment != "" {
		return false
	}
	clean := path.Clean("/" + u.Path)
	return base.Path == "" || clean == base.Path || strings.HasPrefix(clean, base.Path+"/")
}

// value prepares a typed value for the expansion; reason says why it is
// refused.
func (p *place) value(v any) (out any, reason string) {
	switch v := v.(type) {
	case nil:
		if !p.query && (p.op == "" || p.op == "+") {
			return nil, "it has no value, and the path would be another one"
		}
		return nil, ""
	case string:
		return p.text(v)
	case []string:
		list := make([]any, len(v))
		for i, e := range v {
			if list[i], reason = p.text(e); reason != "" {
				return nil, reason
			}
		}
		return list, p.emptyList(len(v))
	case []int64:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = e
		}
		return list, p.emptyList(len(v))
	}
	return v, "" // a number or a bool
}

func (p *place) emptyList(n int) string {
	if n == 0 && !p.query && (p.op == "" || p.op == "+") {
		return "it has no value, and the path would be another one"
	}
	return ""
}

// reservedText encodes what has a meaning of its own in a path. Reserved
// expansion leaves it as it is; slashes are what a {+path} is for.
var reservedText = strings.NewReplacer("%", "%25", "?", "%3F", "#", "%23", `\`, "%5C")

func (p *place) text(s string) (any, string) {
	if p.query {
		return s, ""
	}
	if s == "" && p.op != ";" {
		return nil, "it is empty, and the path would be another one"
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7f {
			return nil, "it has a control character"
		}
	}
	if climbs(s) {
		return nil, "it would lead to another path"
	}
	if p.op == "+" {
		s = reservedText.Replace(s)
	}
	return s, ""
}

// climbs reports whether a component of a path is "." or "..", in any of the
// disguises that some server in the way may take off: encoded once or more
// often, behind a backslash, with a parameter (..;x) or blanks.
func climbs(s string) bool {
	for range 4 {
		if !strings.Contains(s, ".") && !strings.Contains(s, "%") {
			return false
		}
		for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '/' || r == '\\' }) {
			part, _, _ = strings.Cut(part, ";")
			if strings.Contains(part, ".") && strings.Trim(part, ". \t") == "" {
				return true
			}
		}
		once := unescape(s)
		if once == s {
			return false
		}
		s = once
	}
	return false
}

// unescape decodes every triplet once and leaves everything else.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && unhex(s[i+1]) >= 0 && unhex(s[i+2]) >= 0 {
			b.WriteByte(byte(unhex(s[i+1])<<4 | unhex(s[i+2])))
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

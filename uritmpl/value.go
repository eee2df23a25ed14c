package uritmpl

import (
	"strings"
	"unicode/utf8"
)

// A Value is what a URI says about one variable.
type Value struct {
	Present bool
	IsList  bool     // the variable is exploded
	Text    string   // decoded; of a list ""
	List    []string // decoded
}

// Decode appends the values of m's variables to dst, in the order of
// Variables. u and c are those of a successful Capture. Values are decoded
// exactly once.
func (m *Matcher) Decode(u *URI, c *Captures, dst []Value) ([]Value, *Refusal) {
	if r := u.RefuseDots(m, c); r != nil {
		return dst, r
	}
	for i := range m.t.vars {
		v := Value{IsList: m.t.vars[i].List}
		if span := c[i]; span.Start >= 0 {
			v.Present = true
			var r *Refusal
			if v.IsList {
				v.List, r = m.decodeList(u, i, int(span.Start), int(span.End))
			} else {
				v.Text, r = m.decode(u, i, int(span.Start), int(span.End))
			}
			if r != nil {
				return dst, r
			}
		}
		dst = append(dst, v)
	}
	return dst, nil
}

// decodeList decodes the items of an exploded variable from the span of all.
func (m *Matcher) decodeList(u *URI, v, lo, hi int) ([]string, *Refusal) {
	sep, name := byte(0), ""
	switch op := m.t.vars[v].Operator; op {
	case "?", "&":
		sep, name = '&', normalizeText(m.t.vars[v].Name)
	case ";":
		sep, name = ';', normalizeText(m.t.vars[v].Name)
		lo++ // the span begins with the first semicolon
	default:
		sep = op[0]
	}
	var out []string
	for at := lo; at <= hi; {
		end := at
		for end < hi && u.text[end] != sep {
			end++
		}
		from, mine := at, true
		if name != "" {
			from, mine = valueOf(u.text[:end], at, name)
		}
		if mine {
			text, r := m.decode(u, v, from, end)
			if r != nil {
				return nil, r
			}
			out = append(out, text)
		}
		at = end + 1
	}
	return out, nil
}

// valueOf returns where the value of the pair s[at:] begins if it has the
// name.
func valueOf(s string, at int, name string) (int, bool) {
	if !strings.HasPrefix(s[at:], name) {
		return 0, false
	}
	at += len(name)
	if at == len(s) {
		return at, true
	}
	return at + 1, s[at] == '='
}

// decode decodes one value and refuses what must not reach a source.
func (m *Matcher) decode(u *URI, v, lo, hi int) (string, *Refusal) {
	text := u.text[lo:hi]
	if strings.IndexByte(text, '%') >= 0 {
		text = unescape(text)
		if !utf8.ValidString(text) {
			return "", m.refuseValue(u, v, RefusedInvalidUTF8, lo, "it is not UTF-8 text after decoding")
		}
	}
	if m.allow>>v&1 == 0 && climbs(text) {
		return "", m.refuseValue(u, v, RefusedTraversal, lo, `a value has a ".." component`)
	}
	return text, nil
}

func (m *Matcher) refuseValue(u *URI, v int, code string, at int, reason string) *Refusal {
	r := refuse(code, u.raw, u.rawOffset(at), reason)
	r.Parameter = m.t.vars[v].Name
	return r
}

// unescape decodes every triplet of a text in normal form.
func unescape(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		if c, ok := triplet(s, i); ok {
			b.WriteByte(c)
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// climbs reports whether a component between slashes or backslashes is "..".
func climbs(s string) bool {
	for i := 0; i+1 < len(s); i++ {
		if s[i] != '.' || s[i+1] != '.' {
			continue
		}
		if (i == 0 || isSlash(s[i-1])) && (i+2 == len(s) || isSlash(s[i+2])) {
			return true
		}
	}
	return false
}

func isSlash(b byte) bool { return b == '/' || b == '\\' }

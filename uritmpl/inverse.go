package uritmpl

import (
	"bytes"
	"errors"
	"strings"
)

// Expand makes the URI from which Match reads the values back. Where it
// differs from Template.Expand, RFC 6570 loses something: in {+v} and {#v} a
// percent sign of the value is always encoded, in {+v} "?" and "#" are too,
// and a slash that would set off a dot segment; the first {&v} of a query
// begins it where no {?v} did.
func (m *Matcher) Expand(values []Value) (string, error) {
	if len(values) != len(m.t.vars) {
		return "", errors.New("expand template: not one value for each variable")
	}
	var b []byte
	next := 0
	for _, p := range m.t.parts {
		if p.expr == nil {
			b = appendLiteral(b, p.lit)
			continue
		}
		b = m.expand(b, p.expr, next, values[next:next+len(p.expr.vars)])
		next += len(p.expr.vars)
	}
	return string(b), nil
}

func (m *Matcher) expand(b []byte, x *expression, first int, values []Value) []byte {
	st := x.style()
	lead := st.first
	if x.op == '&' && !hasQuery(b) {
		lead = "?"
	}
	for i, v := range values {
		if !v.Present {
			continue
		}
		b = append(b, lead...)
		lead = st.sep
		switch {
		case v.IsList:
			b = st.appendExploded(b, x.vars[i].name, expandable{list: v.List})
		case st.reserved:
			b = m.appendReserved(b, x.op, first+i, v.Text)
		default:
			b = st.appendNamed(b, x.vars[i].name, v.Text)
		}
	}
	return b
}

// hasQuery reports whether a URI that is being made has begun its query. The
// only other place for a raw "?" is the value of a {#v}, behind it.
func hasQuery(b []byte) bool { return bytes.IndexByte(b, '?') >= 0 }

func (m *Matcher) appendReserved(b []byte, op byte, v int, text string) []byte {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case !isLiteral(c), op == '+' && (c == '?' || c == '#'),
			op == '+' && c == '/' && m.allow>>v&1 == 0 && m.setsOffDots(text, i):
			b = appendTriplet(b, c)
		default:
			b = append(b, c)
		}
	}
	return b
}

// setsOffDots reports whether the slash at text[i] must be encoded so that the
// URI gets no dot segment: the slash before a "." component, or the one behind
// it where the URI's segment begins with the value.
func (m *Matcher) setsOffDots(text string, i int) bool {
	if i+1 < len(text) && text[i+1] == '.' && isDotSegment(text, i+1, i+1) {
		return true
	}
	head := &m.elastic.head
	if len(head.items) > 0 || head.suffix != "" {
		return false
	}
	return strings.Trim(text[:i], ".") == "" && i > 0 && i <= 2
}

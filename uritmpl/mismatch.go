package uritmpl

import (
	"fmt"
	"strings"
)

// Mismatch returns the byte of uri's normal form at which it first leaves the
// template, and in words what the template wants there. want is "" if the URI
// matches or is refused.
func (m *Matcher) Mismatch(uri string) (offset int, want string) {
	u, r := ReadURI(uri)
	if r != nil || m.Capture(&u, nil) {
		return 0, ""
	}
	if u.Scheme() != m.scheme {
		return 0, fmt.Sprintf("expected scheme %q", m.scheme)
	}
	at, want := m.mismatchPath(&u)
	if want != "" {
		return at, want
	}
	if at, want = m.query.mismatch(m, &u); want != "" {
		return at, want
	}
	return m.mismatchFragment(&u)
}

func (m *Matcher) mismatchPath(u *URI) (int, string) {
	s, at, hi := u.text, u.path, u.pathEnd
	for i := range m.before {
		if at > hi {
			return hi, "expected " + quote("/"+m.renderFrom(i))
		}
		end := segmentEnd(s, at, hi)
		if g := &m.before[i]; !g.match(s, at, end, nil) {
			return at + g.common(s[at:end]), "expected " + m.wantSegment(i)
		}
		at = end + 1
	}
	switch {
	case m.matchPath(s, u.path, hi, nil):
		return hi, ""
	case m.elastic == nil:
		return at - 1, "expected the end of the path"
	case at > hi:
		return hi, "expected " + quote("/"+m.renderElastic())
	}
	return at, "expected " + quote(m.renderElastic())
}

// common returns how much of a text agrees with a segment's leading literal
// text.
func (g *segment) common(text string) int {
	lit, n := g.prefix(), 0
	for n < len(lit) && n < len(text) && (lit[n] == text[n] || g.fold && lower(text[n]) == lit[n]) {
		n++
	}
	return n
}

// wantSegment names a segment with the slashes around it.
func (m *Matcher) wantSegment(i int) string {
	g := &m.before[i]
	if g.isWhole() {
		return fmt.Sprintf("a value for %q", m.t.vars[g.items[0].v].Name)
	}
	text := m.render(&g.pattern)
	if i > 0 {
		text = "/" + text
	}
	if i+1 < len(m.before) || m.elastic != nil && m.elastic.kind == elasticRest {
		text += "/"
	}
	return quote(text)
}

// renderFrom writes the fixed segments from i on as they stand in the
// template.
func (m *Matcher) renderFrom(i int) string {
	var parts []string
	for ; i < len(m.before); i++ {
		parts = append(parts, m.render(&m.before[i].pattern))
	}
	return strings.Join(parts, "/")
}

func (m *Matcher) renderElastic() string {
	e := m.elastic
	name := m.t.vars[e.v].Name
	var text string
	switch e.kind {
	case elasticRest:
		text = m.render(&e.head) + "{+" + name + "}" + m.render(&e.tail)
	case elasticAll:
		text = "{/" + name + "*}"
	default:
		names := make([]string, e.count)
		for i := range names {
			names[i] = m.t.vars[e.v+i].Name
		}
		text = "{/" + strings.Join(names, ",") + "}"
	}
	for i := range m.after {
		text += "/" + m.render(&m.after[i].pattern)
	}
	return text
}

func (m *Matcher) render(p *pattern) string {
	var b strings.Builder
	for _, it := range p.items {
		op := ""
		if it.kind == itemLabel {
			op = "."
		}
		fmt.Fprintf(&b, "%s{%s%s}", it.lit, op, m.t.vars[it.v].Name)
	}
	return b.String() + p.suffix
}

func (q *query) mismatch(m *Matcher, u *URI) (int, string) {
	if q.match(u, nil) {
		return 0, ""
	}
	if q == nil {
		return u.query, "expected no query"
	}
	if u.query < 0 {
		return u.pathEnd, "expected " + quote("?"+q.required(m))
	}
	var used, seen uint64
	for at := u.query + 1; at <= u.queryEnd; {
		end := at + strings.IndexByte(u.text[at:u.queryEnd], '&')
		if end < at {
			end = u.queryEnd
		}
		before := seen
		if !q.takePiece(u.text, at, end, &used, nil) &&
			!take(q.names, u.text, at, end, Span{}, &seen, nil) &&
			!q.takeUnnamed(u.text, at, end, &used, nil) {
			return at, q.unknown(u.text[at:end], before)
		}
		at = end + 1
	}
	return u.queryEnd, "expected " + quote(q.required(m))
}

// required writes the pairs that must be in the query.
func (q *query) required(m *Matcher) string {
	var pairs []string
	for _, p := range q.pieces {
		switch {
		case p.pat == nil:
			pairs = append(pairs, p.text)
		case p.hasKey:
			pairs = append(pairs, p.key+"="+m.render(p.pat))
		default:
			pairs = append(pairs, m.render(p.pat))
		}
	}
	return strings.Join(pairs, "&")
}

func (q *query) unknown(pair string, seen uint64) string {
	key, _, _ := strings.Cut(pair, "=")
	for i, n := range q.names {
		if n.name == key && seen>>i&1 != 0 {
			return fmt.Sprintf("query parameter %s stands twice", quote(key))
		}
	}
	var has []string
	for _, p := range q.pieces {
		if p.hasKey || p.pat == nil {
			name, _, _ := strings.Cut(p.text, "=")
			has = append(has, p.key+name)
		}
	}
	for _, n := range q.names {
		has = append(has, n.name)
	}
	for _, name := range has {
		if name == key {
			return fmt.Sprintf("the value of query parameter %s does not fit", quote(key))
		}
	}
	return fmt.Sprintf("unknown query parameter %s; the template has %s", quote(key), strings.Join(has, ", "))
}

func (m *Matcher) mismatchFragment(u *URI) (int, string) {
	if m.fragment == nil {
		return max(u.fragment, 0), "expected no fragment"
	}
	at := u.queryEnd
	if u.fragment >= 0 {
		at = u.fragment + 1
	}
	if m.fragment.pat == nil {
		return at, fmt.Sprintf("expected a value for %q", m.t.vars[m.fragment.v].Name)
	}
	return at, "expected fragment " + quote("#"+m.render(m.fragment.pat))
}

package uritmpl

import "math/bits"

// A Matcher matches URIs against one template. It is immutable and safe for
// concurrent use.
type Matcher struct {
	t      *Template
	scheme string
	static string // normal form of a template without variables
	// The path: fixed segments, then at most one stretch whose number of
	// segments varies, then fixed segments again.
	before   []segment
	elastic  *elastic
	after    []segment
	query    *query    // nil: a URI with a query does not match
	fragment *fragment // nil: a URI with a fragment does not match
	rank     Rank
	shape    string
	whole    []wholeSegment // see wholeSegments
	allow    uint64         // variables that may have dot segments, a bit each
}

// Template returns the template that was compiled.
func (m *Matcher) Template() *Template { return m.t }

// String returns the template as it was written.
func (m *Matcher) String() string { return m.t.text }

// Scheme returns the scheme in lower case.
func (m *Matcher) Scheme() string { return m.scheme }

// Static reports whether the template has no variables.
func (m *Matcher) Static() bool { return len(m.t.vars) == 0 }

// NormalForm returns the normal form of a template without variables, "" for
// others. Its authority is in lower case, since it is literal.
func (m *Matcher) NormalForm() string { return m.static }

// AllowDotSegments returns a matcher like m that lets the named variables
// have "." and ".." components. Names that are not variables are ignored.
func (m *Matcher) AllowDotSegments(names ...string) *Matcher {
	c := *m
	for _, name := range names {
		for i, v := range m.t.vars {
			if v.Name == name {
				c.allow |= 1 << i
			}
		}
	}
	return &c
}

// A Match is a URI's reading by a template.
type Match struct {
	Values []Value // in the order of Variables
}

// Match matches one URI. The error is a *Refusal; a refused URI must not be
// tried on another template.
func (m *Matcher) Match(uri string) (Match, bool, error) {
	u, r := ReadURI(uri)
	if r != nil {
		return Match{}, false, r
	}
	var c Captures
	if !m.Capture(&u, &c) {
		if u.HasDotSegment() {
			return Match{}, false, u.refuseDot()
		}
		return Match{}, false, nil
	}
	values, r := m.Decode(&u, &c, nil)
	if r != nil {
		return Match{}, false, r
	}
	return Match{Values: values}, true, nil
}

// Capture matches a URI that ReadURI accepted and stores the spans of the
// variables in c. It does not look into values; Decode does. c may be nil.
func (m *Matcher) Capture(u *URI, c *Captures) bool {
	if m.static != "" {
		return u.equalStatic(m.static)
	}
	if u.path == 0 || u.Scheme() != m.scheme {
		return false
	}
	return m.matchPath(u.text, u.path, u.pathEnd, c) && m.MatchTail(u, c)
}

// MatchTail matches what follows the path: the query and the fragment.
func (m *Matcher) MatchTail(u *URI, c *Captures) bool {
	return m.query.match(u, c) && m.fragment.match(u, c)
}

// authority returns the bounds of the authority in text.
func (u *URI) authority() (start, end int) {
	start = u.path
	if u.pathEnd-start < 2 || u.text[start] != '/' || u.text[start+1] != '/' {
		return start, start
	}
	start += 2
	for end = start; end < u.pathEnd && u.text[end] != '/'; end++ {
	}
	return start, end
}

// equalStatic compares with a static normal form; the authority compares
// without case.
func (u *URI) equalStatic(static string) bool {
	if len(u.text) != len(static) || u.path == 0 {
		return false
	}
	start, end := u.authority()
	return u.text[:start] == static[:start] && u.text[end:] == static[end:] &&
		equalFold(u.text[start:end], static[start:end])
}

// AppendStatic appends the form of a URI that is equal to NormalForm of every
// static matcher that matches it.
func (u *URI) AppendStatic(dst []byte) []byte {
	start, end := u.authority()
	dst = append(dst, u.text[:start]...)
	dst = appendLower(dst, u.text[start:end])
	return append(dst, u.text[end:]...)
}

// IsStaticForm reports whether AppendStatic would append the URI unchanged.
func (u *URI) IsStaticForm() bool {
	if u.text != u.raw {
		return false
	}
	start, end := u.authority()
	for i := start; i < end; i++ {
		if c := u.text[i]; c == '%' {
			i += 2
		} else if lower(c) != c {
			return false
		}
	}
	return true
}

// refuseDot refuses the URI for its first dot segment.
func (u *URI) refuseDot() *Refusal { return u.refuseDotAt(u.dot) }

func (u *URI) refuseDotAt(at int) *Refusal {
	return refuse(RefusedDotSegment, u.raw, u.rawOffset(at), `its path has a "." or ".." segment`)
}

// RefuseDots returns a refusal if the URI has a dot segment that does not lie
// in a value that may have one. m and c are the match, both nil if nothing
// matched.
func (u *URI) RefuseDots(m *Matcher, c *Captures) *Refusal {
	if u.dot < 0 {
		return nil
	}
	if m == nil || m.allow == 0 {
		return u.refuseDot()
	}
	for i := u.dot; i < u.pathEnd; i++ {
		if u.text[i] != '.' || !isDotSegment(u.text, u.path, i) {
			continue
		}
		inside := false
		for set := m.allow; set != 0; set &= set - 1 {
			s := c[bits.TrailingZeros64(set)]
			inside = inside || int(s.Start) <= i && i < int(s.End)
		}
		if !inside {
			return u.refuseDotAt(i)
		}
	}
	return nil
}

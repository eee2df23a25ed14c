package uritmpl

import "strings"

// A Segment is one fixed path segment of a matcher, for an index that sorts
// matchers by their segments.
type Segment struct{ g *segment }

// FixedSegments returns the segments from the left whose place in the path is
// fixed: all, unless the matcher is elastic. The segment before the first
// slash is the first.
func (m *Matcher) FixedSegments() []Segment {
	out := make([]Segment, len(m.before))
	for i := range m.before {
		out[i] = Segment{&m.before[i]}
	}
	return out
}

// Elastic reports whether behind the fixed segments a stretch of varying
// length follows.
func (m *Matcher) Elastic() bool { return m.elastic != nil }

// LastSegment returns the text of the last segment of an elastic matcher, if
// that is literal.
func (m *Matcher) LastSegment() (text string, ok bool) {
	if n := len(m.after); n > 0 && m.after[n-1].isLiteral() {
		return m.after[n-1].suffix, true
	}
	return "", false
}

// Literal returns the text of a segment without variables, in normal form.
func (s Segment) Literal() (text string, ok bool) { return s.g.suffix, s.g.isLiteral() }

// Whole reports whether the segment is one simple variable and nothing else.
func (s Segment) Whole() bool { return s.g.isWhole() }

// Prefix returns the literal text with which a segment begins.
func (s Segment) Prefix() string { return s.g.prefix() }

// Suffix returns the literal text with which a segment ends, "" if optional
// parameters may follow it.
func (s Segment) Suffix() string {
	if s.g.matrix != nil {
		return ""
	}
	return s.g.suffix
}

// Folded reports whether literal text of the segment compares without case;
// Literal, Prefix and Suffix are then in lower case.
func (s Segment) Folded() bool { return s.g.fold }

// Same reports whether two segments match the same texts and are written
// alike but for the names of variables.
func (s Segment) Same(o Segment) bool {
	if !s.g.pattern.sameAs(&o.g.pattern) || (s.g.matrix == nil) != (o.g.matrix == nil) {
		return false
	}
	return s.g.matrix == nil || s.g.matrix.within(o.g.matrix) && o.g.matrix.within(s.g.matrix)
}

// Match reports whether text[lo:hi] is the segment. text is in normal form.
func (s Segment) Match(text string, lo, hi int) bool { return s.g.match(text, lo, hi, nil) }

// Fold returns a text in the lower case of a folded segment's literal text.
// It allocates only if the text has upper case.
func Fold(text string) string { return lowerText(text) }

// MatchesPath reports whether the URI's scheme and path match, whatever its
// query and fragment.
func (m *Matcher) MatchesPath(u *URI) bool {
	return u.path > 0 && u.Scheme() == m.scheme && m.matchPath(u.text, u.path, u.pathEnd, nil)
}

// A TailMask is a cheap test of queries and fragments: a URI whose mask has
// bits that a matcher's may not have, or lacks bits that it must have, does
// not match.
type TailMask uint64

const (
	maskQuery    TailMask = 1 << 63
	maskFragment TailMask = 1 << 62
	maskAnyName  TailMask = maskFragment - 1
	maskNames             = 62
)

// nameMask returns the bit of a parameter's name.
func nameMask(name string) TailMask {
	h := uint32(2166136261)
	for i := 0; i < len(name); i++ {
		h = (h ^ uint32(name[i])) * 16777619
	}
	return 1 << (h % maskNames)
}

// TailMasks returns the bits that URIs which match may have, and those that
// they must have.
func (m *Matcher) TailMasks() (may, must TailMask) {
	if m.fragment != nil {
		may = maskFragment
		if m.fragment.pat != nil {
			must = maskFragment
		}
	}
	if m.query == nil {
		return may, must
	}
	may |= maskQuery
	for i := range m.query.pieces {
		must |= maskQuery
		switch p := &m.query.pieces[i]; {
		case p.pat == nil:
			key, _, _ := strings.Cut(p.text, "=")
			must |= nameMask(key)
		case p.hasKey:
			must |= nameMask(p.key)
		default:
			may |= maskAnyName
		}
	}
	for i := range m.query.names {
		may |= nameMask(m.query.names[i].name)
	}
	return may | must, must
}

// TailMask returns the bits of the URI's query and fragment.
func (u *URI) TailMask() TailMask {
	var mask TailMask
	if u.fragment >= 0 {
		mask = maskFragment
	}
	if u.query < 0 {
		return mask
	}
	mask |= maskQuery
	key := u.query + 1
	for i := key; i <= u.queryEnd; i++ {
		end := i == u.queryEnd || u.text[i] == '&'
		if key >= 0 && (end || u.text[i] == '=') {
			mask |= nameMask(u.text[key:i])
			key = -1
		}
		if end {
			key = i + 1
		}
	}
	return mask
}

// CaptureSegments stores the spans of a URI that is known to match, whose
// first path segments have the given bounds. c may already have the spans of
// a successful MatchTail or, for an elastic matcher, Capture.
func (m *Matcher) CaptureSegments(u *URI, segments []Span, captured bool, c *Captures) {
	switch {
	case captured && m.elastic != nil:
		return
	case m.whole == nil || len(segments) < len(m.before):
		m.Capture(u, c)
		return
	}
	for _, w := range m.whole {
		c[w.v] = segments[w.segment]
	}
	if !captured && (m.query != nil || m.fragment != nil) {
		m.MatchTail(u, c)
	}
}

// A wholeSegment is a segment that is one variable.
type wholeSegment struct{ segment, v int16 }

// wholeSegments returns the variables of a path that has only literal segments
// and whole variables, nil for other paths.
func (m *Matcher) wholeSegments() []wholeSegment {
	if m.elastic != nil {
		return nil
	}
	out := []wholeSegment{}
	for i := range m.before {
		g := &m.before[i]
		if g.isWhole() && g.items[0].label < 0 {
			out = append(out, wholeSegment{int16(i), int16(g.items[0].v)})
		} else if !g.isLiteral() {
			return nil
		}
	}
	return out
}

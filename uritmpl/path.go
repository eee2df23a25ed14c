package uritmpl

import "strings"

// A segment is one path segment: a pattern and the matrix parameters behind
// it.
type segment struct {
	pattern
	matrix *matrix
	semis  int // semicolons in the pattern's literal text
}

// elasticKind tells the stretches apart whose number of segments varies.
type elasticKind uint8

const (
	elasticRest elasticKind = iota // {+v}
	elasticList                    // {/a,b}
	elasticAll                     // {/a*}
)

// An elastic is the one stretch of a path that spans a varying number of
// segments.
type elastic struct {
	kind  elasticKind
	v     int // first variable
	count int // variables; of elasticList also the most segments
	label int // of elasticRest: the variable of {+v}{.label}, else -1
	// Of elasticRest: what stands before and behind {+v} in its own
	// segments.
	head, tail pattern
	matrix     *matrix // behind tail
}

// matchPath matches s[lo:hi], the text between the scheme's colon and the
// query.
func (m *Matcher) matchPath(s string, lo, hi int, c *Captures) bool {
	at := lo
	more := true // a segment begins at at
	for i := range m.before {
		if !more {
			return false
		}
		end := segmentEnd(s, at, hi)
		if !m.before[i].match(s, at, end, c) {
			return false
		}
		more = end < hi
		at = end + 1
	}
	if m.elastic == nil {
		return !more
	}
	if !more {
		return len(m.after) == 0 && m.elastic.matchNothing(c)
	}
	stop := hi
	for i := len(m.after) - 1; i >= 0; i-- {
		slash := strings.LastIndexByte(s[lo:stop], '/')
		if slash < 0 || !m.after[i].match(s, lo+slash+1, stop, c) {
			return false
		}
		stop = lo + slash
	}
	return m.elastic.match(s, at, stop, c)
}

func segmentEnd(s string, at, hi int) int {
	if n := strings.IndexByte(s[at:hi], '/'); n >= 0 {
		return at + n
	}
	return hi
}

// match matches one whole segment.
func (g *segment) match(s string, lo, hi int, c *Captures) bool {
	if g.matrix == nil {
		return g.pattern.match(s, lo, hi, c)
	}
	cut := lo
	for n := 0; cut < hi; cut++ {
		if s[cut] == ';' {
			if n == g.semis {
				break
			}
			n++
		}
	}
	return g.pattern.match(s, lo, cut, c) && g.matrix.match(s, cut, hi, c)
}

// matchNothing matches the path that ends with the segments before.
func (e *elastic) matchNothing(c *Captures) bool {
	if e.kind == elasticRest {
		return false
	}
	if c != nil {
		for i := e.v; i < e.v+e.count; i++ {
			c[i] = absent
		}
	}
	return true
}

// match matches the stretch between the fixed segments. lo is behind the slash
// that ends the segments before; hi is the slash before the segments after, or
// the path's end. hi is lo-1 where one slash is both.
func (e *elastic) match(s string, lo, hi int, c *Captures) bool {
	if e.kind == elasticRest {
		return lo <= hi && e.matchRest(s, lo, hi, c)
	}
	return e.matchNothing(c) && (hi == lo-1 || lo <= hi && e.matchList(s, lo, hi, c))
}

func (e *elastic) matchList(s string, lo, hi int, c *Captures) bool {
	start := lo
	for n := 0; ; n++ {
		end := segmentEnd(s, lo, hi)
		if end == lo || !classSimple.hasAll(s[lo:end]) || e.kind == elasticList && n == e.count {
			return false
		}
		if e.kind == elasticList && c != nil {
			c[e.v+n] = Span{int16(lo), int16(end)}
		}
		if end == hi {
			break
		}
		lo = end + 1
	}
	if e.kind == elasticAll && c != nil {
		c[e.v] = Span{int16(start), int16(hi)}
	}
	return true
}

// matchRest matches head, {+v} and tail in s[lo:hi]. {+v} is as long as can
// be: what stands before it is as short as can be, and what stands behind it
// begins as late as can be.
func (e *elastic) matchRest(s string, lo, hi int, c *Captures) bool {
	last := lo + strings.LastIndexByte(s[lo:hi], '/') + 1
	stop, ok := e.tailStart(s, last, hi, c)
	if !ok {
		return false
	}
	start, ok := e.head.matchHead(s, lo, segmentEnd(s, lo, hi), stop, c)
	if !ok {
		return false
	}
	whole := item{v: e.v, label: e.label}
	whole.capture(s, start, stop, c)
	return true
}

// tailStart returns where the text behind {+v} begins in s[lo:hi]. With
// matrix parameters behind the tail, each place where they can begin is tried.
func (e *elastic) tailStart(s string, lo, hi int, c *Captures) (int, bool) {
	if e.matrix == nil {
		return e.tail.matchTail(s, lo, hi, c)
	}
	best, end := -1, hi
	for cut := hi; ; {
		if at, ok := e.tail.matchTail(s, lo, cut, nil); ok && at > best {
			best, end = at, cut
		}
		next := strings.LastIndexByte(s[lo:cut], ';')
		if next < 0 || !e.matrix.match(s, lo+next, hi, nil) {
			break
		}
		cut = lo + next
	}
	if best < 0 {
		return 0, false
	}
	e.matrix.match(s, end, hi, c)
	return e.tail.matchTail(s, lo, end, c)
}

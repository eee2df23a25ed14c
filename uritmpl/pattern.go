package uritmpl

import "strings"

// A Span is a captured stretch of a URI's normal form. Start is -1 where the
// variable is absent.
type Span struct{ Start, End int16 }

var absent = Span{-1, -1}

// Captures holds the span of each variable of one template, in the order of
// Variables.
type Captures [maxVariables]Span

// A pattern is a stretch of a template that no structural delimiter divides:
// a path segment, what stands in a segment before or behind {+v}, a value in a
// literal query. Literal text and variables alternate in it.
type pattern struct {
	items  []item
	suffix string // literal text behind the last item
	fold   bool   // literals are in lower case and compare without case
	// plain: every item is a simple variable of the same class, so that a scan
	// from one end finds the same reading as a search. A separator may have a
	// character that the class excludes; its place is then forced.
	plain bool
}

// An item is a variable and the literal text before it.
type item struct {
	lit  string
	kind itemKind
	cls  class
	v    int // the variable's index
	// label is the variable that takes the last label of this one's text,
	// -1 if there is none.
	label int
	// For labels: next is the item that follows when this one is absent,
	// and loop says that more labels may follow.
	next int
	loop bool
}

type itemKind uint8

const (
	itemVar   itemKind = iota
	itemLabel          // optional: a dot and a label, behind literal text
)

// seal computes what matching needs once the items are complete.
//
// Where commas separate the values of {a,b}, no value of the pattern has a raw
// comma: otherwise a reading could depend on whether another value's comma is
// encoded.
func (p *pattern) seal() {
	for _, it := range p.items {
		if it.cls&notComma != 0 {
			for k := range p.items {
				p.items[k].cls |= notComma
			}
			break
		}
	}
	p.plain = true
	for _, it := range p.items {
		p.plain = p.plain && it.kind == itemVar && it.cls == p.items[0].cls
	}
}

// hasLit reports whether lit stands at s[at:].
func (p *pattern) hasLit(s string, at int, lit string) bool {
	if len(s)-at < len(lit) {
		return false
	}
	if p.fold {
		return equalFold(s[at:at+len(lit)], lit)
	}
	return s[at:at+len(lit)] == lit
}

// lastLit returns the last place in s[from:to] where lit stands between two
// tokens, or -1.
func (p *pattern) lastLit(s string, from, to int, lit string) int {
	for to-from >= len(lit) {
		at := to - len(lit)
		if !p.fold {
			if at = from + strings.LastIndex(s[from:to], lit); at < from {
				return -1
			}
		}
		if boundary(s, at) && (!p.fold || equalFold(s[at:at+len(lit)], lit)) {
			return at
		}
		to = at + len(lit) - 1
	}
	return -1
}

// firstLit returns the first place in s[from:to] where lit stands between two
// tokens, or -1.
func (p *pattern) firstLit(s string, from, to int, lit string) int {
	for to-from >= len(lit) {
		at := from
		if !p.fold {
			n := strings.Index(s[from:to], lit)
			if n < 0 {
				return -1
			}
			at += n
		}
		if boundary(s, at) && (!p.fold || equalFold(s[at:at+len(lit)], lit)) {
			return at
		}
		from = at + 1
	}
	return -1
}

// match reports whether s[lo:hi] is the pattern. Of several readings it takes
// the one whose first variable is longest, then the second, and so on. c may
// be nil.
func (p *pattern) match(s string, lo, hi int, c *Captures) bool {
	if len(p.items) == 0 {
		return hi-lo == len(p.suffix) && p.hasLit(s, lo, p.suffix)
	}
	first := p.items[0].lit
	if hi-lo < len(first)+len(p.suffix) || !p.hasLit(s[:hi], lo, first) {
		return false
	}
	if !p.plain {
		return p.search(s, lo, hi, c)
	}
	end := hi - len(p.suffix)
	if !boundary(s, end) || !p.hasLit(s[:hi], end, p.suffix) {
		return false
	}
	_, ok := p.fromRight(s, lo+len(first), end, true, c)
	return ok
}

// fromRight reads a plain pattern whose last variable ends at hi, taking the
// last place of each separator. Anchored, the first variable begins at lo;
// otherwise the first item's literal text is a separator too, and start is
// where it stands.
func (p *pattern) fromRight(s string, lo, hi int, anchored bool, c *Captures) (start int, ok bool) {
	for k := len(p.items) - 1; k >= 0; k-- {
		it := &p.items[k]
		begin := lo
		start = lo
		if k > 0 || !anchored {
			if start = p.lastLit(s, lo, lastToken(s, lo, hi), it.lit); start < 0 {
				return 0, false
			}
			begin = start + len(it.lit)
		}
		if begin >= hi || !it.cls.hasAll(s[begin:hi]) {
			return 0, false
		}
		it.capture(s, begin, hi, c)
		hi = start
	}
	return start, true
}

// lastToken returns where the token before hi begins, but at least lo.
func lastToken(s string, lo, hi int) int {
	if hi-3 >= lo && s[hi-3] == '%' {
		return hi - 3
	}
	return max(lo, hi-1)
}

// capture stores s[lo:hi] as the item's variable, without the label that a
// label variable behind it takes.
func (it *item) capture(s string, lo, hi int, c *Captures) {
	if c == nil {
		return
	}
	if it.label >= 0 {
		c[it.label] = absent
		dot := strings.LastIndexByte(s[lo:hi], '.')
		if dot > 0 && lo+dot+1 < hi && classLabel.hasAll(s[lo+dot+1:hi]) {
			c[it.label] = Span{int16(lo + dot + 1), int16(hi)}
			hi = lo + dot
		}
	}
	c[it.v] = Span{int16(lo), int16(hi)}
}

// matchHead reads the pattern at the beginning of s[lo:hi], each variable as
// short as possible, so that at least one byte is left before limit. It
// returns where the pattern ends.
func (p *pattern) matchHead(s string, lo, hi, limit int, c *Captures) (end int, ok bool) {
	if len(p.items) == 0 {
		end = lo + len(p.suffix)
		return end, end < limit && p.hasLit(s[:hi], lo, p.suffix)
	}
	if !p.plain {
		return p.searchHead(s, lo, hi, limit, c)
	}
	if !p.hasLit(s[:hi], lo, p.items[0].lit) {
		return 0, false
	}
	at := lo + len(p.items[0].lit)
	for k := range p.items {
		it := &p.items[k]
		sep := p.suffix
		if k+1 < len(p.items) {
			sep = p.items[k+1].lit
		}
		if at >= hi {
			return 0, false
		}
		stop := p.firstLit(s, at+width(s, at), hi, sep)
		if stop < 0 || !it.cls.hasAll(s[at:stop]) {
			return 0, false
		}
		it.capture(s, at, stop, c)
		at = stop + len(sep)
	}
	return at, at < limit
}

// matchTail reads the pattern at the end of s[lo:hi], as late as possible, and
// returns where it begins.
func (p *pattern) matchTail(s string, lo, hi int, c *Captures) (start int, ok bool) {
	end := hi - len(p.suffix)
	if end < lo {
		return 0, false
	}
	if p.plain {
		if !boundary(s, end) || !p.hasLit(s[:hi], end, p.suffix) {
			return 0, false
		}
		if len(p.items) == 0 {
			return end, true
		}
		return p.fromRight(s, lo, end, false, c)
	}
	return p.searchTail(s, lo, hi, c)
}

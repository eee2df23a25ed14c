package uritmpl

import "strings"

// A search finds the readings of a pattern that mixes classes or has optional
// labels. It goes over the text once from the right and notes, for every
// place, which items can begin there (open) and which can be inside their
// value there (inside), so that the text behind still fits. The reading is
// then walked from the left without ever turning back. Both passes are linear
// in the text; an item is one bit.
type search struct {
	p      *pattern
	s      string
	lo, hi int
	// limit is where a suffix must end at the latest; anchored, it must end
	// at hi.
	limit    int
	anchored bool
	small    [stackPlaces]places
	large    []places // used in place of small for a long text
}

// places are the items that can begin, and be inside their value, at a place.
type places struct{ open, inside uint64 }

// stackPlaces is how many places a search can note without allocating.
const stackPlaces = 128

func (f *search) at(i int) *places {
	if f.large != nil {
		return &f.large[i-f.lo]
	}
	return &f.small[i-f.lo]
}

// ends reports whether the literal suffix may stand at a place.
func (f *search) ends(at int) bool {
	end := at + len(f.p.suffix)
	return end <= f.limit && (!f.anchored || end == f.hi) && f.p.hasLit(f.s[:f.hi], at, f.p.suffix)
}

// run fills the tables. It reports false if some separator is missing.
func (f *search) run() bool {
	if !f.hasSeparators() {
		return false
	}
	if n := f.hi - f.lo + 1; n > stackPlaces {
		f.large = make([]places, n)
	}
	for at := f.hi; at >= f.lo; at-- {
		if !boundary(f.s, at) {
			continue
		}
		last := len(f.p.items)
		end := f.ends(at)
		var open, inside uint64
		// From the last item to the first: an item's value may end here only
		// if the item behind it can begin here.
		for k := last - 1; k >= 0; k-- {
			if f.canContinue(k, at, open, end) || f.canGrow(k, at) {
				inside |= 1 << k
			}
			if f.canOpen(k, at) {
				open |= 1 << k
			}
			*f.at(at) = places{open, inside}
		}
	}
	return true
}

// hasSeparators reports whether the text has the separators one behind the
// other, which is cheap to know and mostly decides.
func (f *search) hasSeparators() bool {
	if f.p.fold {
		return true
	}
	rest := f.s[f.lo:f.hi]
	for k := range f.p.items {
		lit := f.p.items[k].lit
		n := strings.Index(rest, lit)
		if n < 0 {
			return false
		}
		rest = rest[n+len(lit):]
	}
	return true
}

// begins reports whether item k (or the end) can begin at a place.
func (f *search) begins(k, at int) bool {
	if at > f.hi {
		return false
	}
	if k == len(f.p.items) {
		return f.ends(at)
	}
	return f.at(at).open>>k&1 != 0
}

func (f *search) canContinue(k, at int, open uint64, end bool) bool {
	if k+1 == len(f.p.items) {
		if end {
			return true
		}
	} else if open>>(k+1)&1 != 0 {
		return true
	}
	return f.p.items[k].loop && f.canBegin(k, at)
}

// canGrow reports whether item k can take the token at a place.
func (f *search) canGrow(k, at int) bool {
	if at >= f.hi || !f.p.items[k].cls.has(f.s[at]) {
		return false
	}
	next := at + width(f.s, at)
	return next <= f.hi && f.at(next).inside>>k&1 != 0
}

// canBegin reports whether item k's value, with a label's dot, can begin at a
// place; its literal text lies before.
func (f *search) canBegin(k, at int) bool {
	if f.p.items[k].kind == itemLabel {
		if at >= f.hi || f.s[at] != '.' {
			return false
		}
		at++
	}
	return f.canGrow(k, at)
}

// canOpen reports whether item k with its literal text can begin at a place.
func (f *search) canOpen(k, at int) bool {
	it := &f.p.items[k]
	if !f.p.hasLit(f.s[:f.hi], at, it.lit) {
		return false
	}
	at += len(it.lit)
	if f.canBegin(k, at) {
		return true
	}
	return it.kind == itemLabel && f.skips(k, at)
}

// skips reports whether an absent label k lets the rest begin at a place.
func (f *search) skips(k, at int) bool {
	next := f.p.items[k].next
	return f.begins(next, at)
}

// walk stores the reading that begins at a place. Lazy, every value is as
// short as it can be, otherwise as long. It returns where the suffix begins.
func (f *search) walk(at int, lazy bool, c *Captures) int {
	for k := 0; k < len(f.p.items); {
		it := &f.p.items[k]
		at += len(it.lit)
		if it.kind == itemLabel && (!f.canBegin(k, at) || lazy && f.skips(k, at)) {
			f.absent(k, it.next, c)
			k = it.next
			continue
		}
		start := at
		for {
			if it.kind == itemLabel {
				at++
				if at == start+1 {
					start = at
				}
			}
			at = f.valueEnd(k, at, lazy)
			again := it.loop && f.canBegin(k, at)
			if !again || lazy && f.begins(k+1, at) {
				break
			}
		}
		it.capture(f.s, start, at, c)
		k++
	}
	return at
}

// absent marks the labels from k up to next.
func (f *search) absent(k, next int, c *Captures) {
	if c == nil {
		return
	}
	for ; k < next; k++ {
		c[f.p.items[k].v] = absent
	}
}

// valueEnd returns where the value of item k that begins at a place ends.
func (f *search) valueEnd(k, at int, lazy bool) int {
	end := at
	for at < f.hi && f.p.items[k].cls.has(f.s[at]) {
		at += width(f.s, at)
		more := f.p.items[k].loop && f.canBegin(k, at)
		if f.begins(k+1, at) || more {
			if end = at; lazy {
				break
			}
		}
	}
	return end
}

func (p *pattern) search(s string, lo, hi int, c *Captures) bool {
	f := search{p: p, s: s, lo: lo, hi: hi, limit: hi, anchored: true}
	if !f.run() || !f.begins(0, lo) {
		return false
	}
	f.walk(lo, false, c)
	return true
}

func (p *pattern) searchHead(s string, lo, hi, limit int, c *Captures) (int, bool) {
	f := search{p: p, s: s, lo: lo, hi: hi, limit: limit - 1}
	if !f.run() || !f.begins(0, lo) {
		return 0, false
	}
	return f.walk(lo, true, c) + len(p.suffix), true
}

func (p *pattern) searchTail(s string, lo, hi int, c *Captures) (int, bool) {
	f := search{p: p, s: s, lo: lo, hi: hi, limit: hi, anchored: true}
	if !f.run() {
		return 0, false
	}
	for at := hi; at >= lo; at-- {
		if f.begins(0, at) {
			f.walk(at, false, c)
			return at, true
		}
	}
	return 0, false
}

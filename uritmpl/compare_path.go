package uritmpl

// comparePaths compares the paths of two templates. Segments that are fixed
// in both, counted from the left and from the right, are compared one by one;
// only what is left between goes through automata of several segments.
func comparePaths(a, b *Matcher) relation {
	fa, fb := a.fixedPath(), b.fixedPath()
	left := min(len(fa.before), len(fb.before))
	r := relation{meet: true, aInB: true, bInA: true}
	for i := 0; i < left; i++ {
		s := compareSegments(fa.before[i], fb.before[i])
		if s.never() {
			return apart
		}
		r = r.and(s)
	}
	fa.before, fb.before = fa.before[left:], fb.before[left:]
	if fa.elastic == nil && fb.elastic == nil {
		if len(fa.before) != len(fb.before) {
			return apart
		}
		r.witness = trimSlash(r.witness)
		return r
	}
	right := compareRight(&fa, &fb)
	if right.never() {
		return apart
	}
	r = r.and(compareMiddle(&fa, &fb)).and(right)
	r.witness = trimSlash(r.witness)
	return r
}

// trimSlash removes the slash that is put before the first segment to make it
// like the others.
func trimSlash(s string) string {
	if s == "" {
		return s
	}
	return s[1:]
}

// A fixedPath is a path during comparison. Without elastic, all segments are
// in before.
type fixedPath struct {
	before, after []*segment
	elastic       *elastic
}

func (m *Matcher) fixedPath() fixedPath {
	f := fixedPath{elastic: m.elastic, before: make([]*segment, len(m.before)), after: make([]*segment, len(m.after))}
	for i := range m.before {
		f.before[i] = &m.before[i]
	}
	for i := range m.after {
		f.after[i] = &m.after[i]
	}
	return f
}

// compareRight compares and removes the segments that are fixed in both at
// the end.
func compareRight(a, b *fixedPath) relation {
	r := equal
	for {
		sa, sb := a.last(), b.last()
		if sa == nil || sb == nil {
			return r
		}
		s := compareSegments(sa, sb)
		if s.never() {
			return apart
		}
		a.drop()
		b.drop()
		r = s.and(r)
	}
}

func (f *fixedPath) last() *segment {
	if f.elastic == nil {
		if len(f.before) == 0 {
			return nil
		}
		return f.before[len(f.before)-1]
	}
	if len(f.after) == 0 {
		return nil
	}
	return f.after[len(f.after)-1]
}

func (f *fixedPath) drop() {
	if f.elastic == nil {
		f.before = f.before[:len(f.before)-1]
	} else {
		f.after = f.after[:len(f.after)-1]
	}
}

// compareMiddle compares what is left when no more segments are fixed in both.
func compareMiddle(a, b *fixedPath) relation {
	if r, ok := compareRest(a, b); ok {
		return r
	}
	if r, ok := compareRest(b, a); ok {
		r.aInB, r.bInA = r.bInA, r.aInB
		return r
	}
	overA, overB := a.nfa(true), b.nfa(true)
	w, ok := intersect(overA, overB, segmentOther)
	if !ok {
		return apart
	}
	r := relation{meet: true, witness: w}
	r.aInB = includes(b.nfa(false), overA)
	r.bInA = includes(a.nfa(false), overB)
	return r
}

// compareRest is the common case of compareMiddle: a is a plain {+v}, and b
// has fixed segments only.
func compareRest(a, b *fixedPath) (relation, bool) {
	e := a.elastic
	if e == nil || e.kind != elasticRest || len(a.before)+len(a.after) > 0 || b.elastic != nil {
		return relation{}, false
	}
	if len(e.head.items)+len(e.tail.items) > 0 || e.head.suffix != "" || e.tail.suffix != "" || e.matrix != nil {
		return relation{}, false
	}
	switch len(b.before) {
	case 0:
		return apart, true
	case 1:
		if g := b.before[0]; g.matrix != nil || len(g.items) > 0 && g.items[0].kind == itemLabel {
			return relation{}, false // the segment may be empty
		} else if len(g.items) == 0 && g.suffix == "" {
			return apart, true
		}
	}
	r := relation{meet: true, bInA: true}
	for _, g := range b.before {
		r.witness += "/" + g.sample(true)
	}
	return r, true
}

func (f *fixedPath) nfa(over bool) *nfa {
	n := &nfa{answers: over}
	at := n.state()
	for _, g := range f.before {
		at = n.segment(at, g, over)
	}
	if f.elastic != nil {
		at = n.elastic(at, f.elastic, over)
	}
	for _, g := range f.after {
		at = n.segment(at, g, over)
	}
	n.accept = at
	return n
}

// isLiteral reports whether a segment is literal text only.
func (g *segment) isLiteral() bool { return len(g.items) == 0 && g.matrix == nil }

// isWhole reports whether a segment is one {v} and nothing else.
func (g *segment) isWhole() bool {
	return len(g.items) == 1 && g.items[0].kind == itemVar && g.items[0].lit == "" &&
		g.suffix == "" && g.matrix == nil
}

// compareSegments compares two segments, each with the slash before it.
func compareSegments(a, b *segment) relation {
	switch {
	case a.isLiteral() && b.isLiteral():
		if a.suffix != b.suffix {
			return apart
		}
		r := equal
		r.witness = "/" + a.suffix
		return r
	case a.isWhole() && b.isWhole():
		r := equal
		r.witness = "/v"
		return r
	case a.isWhole() && b.isLiteral():
		r := compareSegments(b, a)
		r.aInB, r.bInA = r.bInA, r.aInB
		return r
	case a.isLiteral() && b.isWhole():
		if a.suffix == "" || !classSimple.hasAll(a.suffix) {
			return apart
		}
		return relation{meet: true, aInB: true, witness: "/" + a.suffix}
	}
	return compareMixed(a, b)
}

// compareMixed compares segments of which at least one mixes text and
// variables or has matrix parameters.
func compareMixed(a, b *segment) relation {
	if (a.matrix != nil || b.matrix != nil) && a.semis == b.semis {
		// The parameters begin at the same semicolon, so that they are
		// compared by themselves.
		r := comparePatterns(&a.pattern, &b.pattern, segmentEmpty)
		r.witness = "/" + r.witness
		return r.and(compareMatrices(a.matrix, b.matrix))
	}
	overA, overB := segmentNFA(a, true), segmentNFA(b, true)
	w, ok := intersect(overA, overB, segmentOther)
	if !ok {
		return apart
	}
	r := relation{meet: true, witness: w}
	r.aInB = includes(segmentNFA(b, false), overA)
	r.bInA = includes(segmentNFA(a, false), overB)
	return r
}

// compareMatrices compares parameters; both sets have the empty text.
func compareMatrices(a, b *matrix) relation {
	return relation{meet: true, aInB: a.within(b), bInA: b.within(a)}
}

func (m *matrix) within(o *matrix) bool {
	if m == nil {
		return true
	}
	for _, n := range m.names {
		found := false
		if o != nil {
			for _, other := range o.names {
				found = found || other.name == n.name && (other.list || !n.list)
			}
		}
		if !found {
			return false
		}
	}
	return true
}

package uritmpl

// An nfa accepts the texts that a stretch of a template matches, in normal
// form. Its symbols are tokens: a raw byte b is symbol b, a triplet of octet b
// is symbol 256+b. State 0 is the start.
type nfa struct {
	edges  [][]edge
	accept int // the one accepting state
	// answers leaves out the texts that match and are refused for a ".."
	// component of a value: what is in a common text of two templates must be
	// answered by both, and what one takes from the other it takes refused too.
	answers bool
}

type edge struct {
	set   *symset // nil: the edge takes no symbol
	to    int
	first bool // the edge takes the first symbol of a variable
	open  bool // the edge takes a symbol of a variable
}

// A symset is a set of symbols.
type symset [8]uint64

func (s *symset) has(sym int) bool { return s[sym>>6]>>(sym&63)&1 != 0 }
func (s *symset) add(sym int)      { s[sym>>6] |= 1 << (sym & 63) }

func (s *symset) and(o *symset) (out symset, any bool) {
	for i := range s {
		out[i] = s[i] & o[i]
		any = any || out[i] != 0
	}
	return out, any
}

// The symbols of values.
var (
	symRest   = valueSymbols(func(b byte) bool { return true })
	symMatrix = valueSymbols(func(b byte) bool { return b != '/' && b != ';' })
	symSimple = classSymbols(classSimple)
	symList   = classSymbols(classList)
	symLabel  = classSymbols(classLabel)
	symQuery  = querySymbols()
	symSlash  = singleton('/')
	symDot    = singleton('.')
	symSemi   = singleton(';')
	symEquals = singleton('=')
	symCut    = cuts()
)

func valueSymbols(ok func(byte) bool) *symset {
	s := &symset{}
	for b := 1; b < 256; b++ {
		c := byte(b)
		if b > ' ' && b < 0x7f && c != '?' && c != '#' && c != '{' && c != '}' && c != '%' && ok(c) {
			s.add(b)
		}
		if !isUnreserved(c) {
			s.add(256 + b)
		}
	}
	return s
}

func querySymbols() *symset {
	s := valueSymbols(func(b byte) bool { return b != '&' })
	s.add('?')
	return s
}

func classSymbols(c class) *symset { return valueSymbols(c.has) }

// symbols returns the set of a class.
func (c class) symbols() *symset {
	switch c {
	case classSimple:
		return symSimple
	case classList:
		return symList
	case classLabel:
		return symLabel
	}
	return classSymbols(c)
}

func singleton(sym int) *symset {
	s := &symset{}
	s.add(sym)
	return s
}

// symbolAt returns the symbol of the token at s[i].
func symbolAt(s string, i int) int {
	if b, ok := triplet(s, i); ok {
		return 256 + int(b)
	}
	return int(s[i])
}

func appendSymbol(b []byte, sym int) []byte {
	if sym >= 256 {
		return appendTriplet(b, byte(sym-256))
	}
	return append(b, byte(sym))
}

// cuts are the symbols between the components of a value, however it is decoded.
func cuts() *symset {
	s := singleton('/')
	s.add('\\')
	s.add(256 + '/')
	s.add(256 + '\\')
	return s
}

func (s *symset) without(o *symset) *symset {
	out := *s
	for i := range out {
		out[i] &^= o[i]
	}
	return &out
}

// state adds a state.
func (n *nfa) state() int {
	n.edges = append(n.edges, nil)
	return len(n.edges) - 1
}

func (n *nfa) edge(from int, e edge) { n.edges[from] = append(n.edges[from], e) }

// step adds a state behind an edge that takes one symbol of set.
func (n *nfa) step(from int, set *symset) int {
	to := n.state()
	n.edge(from, edge{set: set, to: to})
	return to
}

// text adds literal text.
func (n *nfa) text(at int, s string, fold bool) int {
	for i := 0; i < len(s); i += width(s, i) {
		sym := symbolAt(s, i)
		set := singleton(sym)
		if fold && sym < 256 && sym >= 'a' && sym <= 'z' {
			set.add(sym - 'a' + 'A')
		}
		at = n.step(at, set)
	}
	return at
}

// value adds one or more symbols of set.
func (n *nfa) value(at int, set *symset) int {
	to := n.state()
	if n.answers && set.has('.') {
		n.components(at, to, set)
		return to
	}
	n.edge(at, edge{set: set, to: to, first: true, open: true})
	n.edge(to, edge{set: set, to: to, open: true})
	return to
}

// components adds one or more symbols of set, where none of the components that
// they make is "..".
func (n *nfa) components(at, to int, set *symset) {
	cut, cuts := set.and(symCut)
	other := set.without(symCut).without(symDot)
	begin, dot, dots, text := n.state(), n.state(), n.state(), n.state()
	for _, s := range [...]struct{ from, behindDot int }{{at, dot}, {begin, dot}, {dot, dots}, {dots, text}, {text, text}} {
		first := s.from == at
		n.edge(s.from, edge{set: symDot, to: s.behindDot, first: first, open: true})
		n.edge(s.from, edge{set: other, to: text, first: first, open: true})
		if cuts && s.from != dots {
			n.edge(s.from, edge{set: &cut, to: begin, first: first, open: true})
		}
	}
	for _, end := range [...]int{begin, dot, text} {
		n.edge(end, edge{to: to})
	}
}

// pattern adds a pattern.
func (n *nfa) pattern(at int, p *pattern) int {
	for k := 0; k < len(p.items); k++ {
		it := &p.items[k]
		at = n.text(at, it.lit, p.fold)
		if it.kind == itemVar {
			at = n.value(at, it.cls.symbols())
			continue
		}
		end := n.state()
		for ; ; k++ { // the labels of one expression
			n.edge(at, edge{to: end})
			dot := n.step(at, symDot)
			val := n.value(dot, p.items[k].cls.symbols())
			if p.items[k].loop {
				n.edge(val, edge{to: at})
			}
			at = val
			if k+1 == p.items[k].next {
				break
			}
		}
		n.edge(at, edge{to: end})
		at = end
	}
	return n.text(at, p.suffix, p.fold)
}

// exactNames is how many matrix parameters are compared exactly; each doubles
// the states.
const exactNames = 4

// matrix adds matrix parameters. Where there are too many to be exact it adds
// more texts than match if over is set, and fewer if it is not.
func (n *nfa) matrix(at int, m *matrix, over bool) int {
	end := n.state()
	n.edge(at, edge{to: end})
	exact := len(m.names) <= exactNames
	if !exact && !over {
		return end
	}
	count := 1
	if exact {
		count = 1 << len(m.names)
	}
	states := make([]int, count)
	for mask := range states {
		states[mask] = n.state()
		n.edge(states[mask], edge{to: end})
	}
	n.edge(at, edge{to: states[0]})
	for mask, from := range states {
		for i, nm := range m.names {
			next := mask
			if exact && !nm.list {
				if mask>>i&1 != 0 {
					continue
				}
				next |= 1 << i
			}
			key := n.text(n.step(from, symSemi), nm.name, false)
			n.edge(key, edge{to: states[next]})
			val := n.step(key, symEquals)
			n.edge(val, edge{to: states[next]})
			n.edge(n.value(val, symMatrix), edge{to: states[next]})
		}
	}
	return end
}

// segment adds a slash and a segment.
func (n *nfa) segment(at int, g *segment, over bool) int {
	at = n.pattern(n.step(at, symSlash), &g.pattern)
	if g.matrix != nil {
		at = n.matrix(at, g.matrix, over)
	}
	return at
}

// elastic adds the varying stretch.
func (n *nfa) elastic(at int, e *elastic, over bool) int {
	switch e.kind {
	case elasticRest:
		at = n.pattern(n.step(at, symSlash), &e.head)
		at = n.pattern(n.value(at, symRest), &e.tail)
		if e.matrix != nil {
			at = n.matrix(at, e.matrix, over)
		}
		return at
	case elasticAll:
		end := n.state()
		n.edge(at, edge{to: end})
		n.edge(n.value(n.step(at, symSlash), symSimple), edge{to: at})
		return end
	}
	end := n.state()
	for i := 0; i < e.count; i++ {
		n.edge(at, edge{to: end})
		at = n.value(n.step(at, symSlash), symSimple)
	}
	n.edge(at, edge{to: end})
	return end
}

// patternNFA accepts what a pattern matches, or answers.
func patternNFA(p *pattern, answers bool) *nfa {
	n := &nfa{answers: answers}
	n.accept = n.pattern(n.state(), p)
	return n
}

// segmentNFA accepts a slash and what a segment matches, or with over, what it
// may answer.
func segmentNFA(g *segment, over bool) *nfa {
	n := &nfa{answers: over}
	n.accept = n.segment(n.state(), g, over)
	return n
}

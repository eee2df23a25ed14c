package uritmpl

import (
	"maps"
	"slices"
	"strings"
)

// Pairs compares every two matchers that can have a URI in common and yields
// those that have one, i declared before j, in order of i and then j. It
// walks the templates segment by segment, so that templates that part at some
// segment are never compared. It stops looking when most pairs were found that
// are not only nested, and returns false: n templates can have n²/2 of them.
func Pairs(ms []*Matcher, most int, yield func(i, j int, c Comparison)) (all bool) {
	p := &pairing{ms: ms, ends: make([]string, len(ms)), most: most}
	schemes := map[string][]int{}
	for i, m := range ms {
		p.ends[i] = m.pathEnding()
		schemes[m.scheme] = append(schemes[m.scheme], i)
	}
	for _, scheme := range slices.Sorted(maps.Keys(schemes)) {
		p.within(schemes[scheme], 0)
	}
	slices.SortFunc(p.found, func(a, b foundPair) int {
		if a.i != b.i {
			return a.i - b.i
		}
		return a.j - b.j
	})
	for _, f := range p.found {
		yield(f.i, f.j, f.c)
	}
	return p.most > 0
}

type pairing struct {
	ms    []*Matcher
	ends  []string // the literal text that ends each path
	found []foundPair
	most  int // how many more may be found
}

type foundPair struct {
	i, j int
	c    Comparison
}

func (p *pairing) compare(i, j int) {
	if p.most <= 0 {
		return
	}
	if !strings.HasSuffix(p.ends[i], p.ends[j]) && !strings.HasSuffix(p.ends[j], p.ends[i]) {
		return
	}
	if i > j {
		i, j = j, i
	}
	if c := Compare(p.ms[i], p.ms[j]); c.Relation != Disjoint {
		p.found = append(p.found, foundPair{i, j, c})
		if c.Relation != Nested {
			p.most--
		}
	}
}

// pathEnding returns literal text with which every path of m ends. A literal
// last segment has its slash, so that no other segment's text ends with it.
func (m *Matcher) pathEnding() string {
	switch n := len(m.after); {
	case n > 0:
		return m.after[n-1].ending()
	case m.elastic != nil:
		if m.elastic.kind == elasticRest && m.elastic.matrix == nil {
			return m.elastic.tail.suffix
		}
		return ""
	case len(m.before) == 3 && m.before[2].fold:
		return "" // an authority compares without case
	}
	return m.before[len(m.before)-1].ending()
}

func (g *segment) ending() string {
	switch {
	case g.matrix != nil:
		return ""
	case len(g.items) == 0:
		return "/" + g.suffix
	}
	return g.suffix
}

// A split sorts matchers that share all segments before one by that segment.
type split struct {
	literal map[string][]int
	mixed   map[string][]int // segments with variables, by their literal prefix
	open    []int            // the varying stretch begins here
	ended   []int
}

func (p *pairing) split(group []int, depth int) split {
	s := split{literal: map[string][]int{}, mixed: map[string][]int{}}
	for _, i := range group {
		m := p.ms[i]
		switch {
		case depth == len(m.before) && m.elastic != nil:
			s.open = append(s.open, i)
		case depth == len(m.before):
			s.ended = append(s.ended, i)
		case m.before[depth].isLiteral():
			text := m.before[depth].suffix
			s.literal[text] = append(s.literal[text], i)
		default:
			text := m.before[depth].prefix()
			s.mixed[text] = append(s.mixed[text], i)
		}
	}
	return s
}

func (g *segment) prefix() string {
	if len(g.items) > 0 {
		return g.items[0].lit
	}
	return g.suffix
}

// within compares the members of a group whose segments before depth have
// texts in common.
func (p *pairing) within(group []int, depth int) {
	if len(group) < 2 || p.most <= 0 {
		return
	}
	s := p.split(group, depth)
	for n, i := range s.open {
		for _, j := range s.open[n+1:] {
			p.compare(i, j)
		}
		for _, j := range group {
			if m := p.ms[j]; depth < len(m.before) || m.elastic == nil {
				p.compare(i, j)
			}
		}
	}
	for n, i := range s.ended {
		for _, j := range s.ended[n+1:] {
			p.compare(i, j)
		}
	}
	for _, text := range slices.Sorted(maps.Keys(s.literal)) {
		p.within(s.literal[text], depth+1)
	}
	for _, prefix := range slices.Sorted(maps.Keys(s.mixed)) {
		g := s.mixed[prefix]
		p.within(g, depth+1)
		for n := range prefix {
			if h := s.mixed[prefix[:n]]; h != nil {
				p.across(g, h, depth+1)
			}
		}
	}
	p.literalMixed(&s, &s, depth)
}

// literalMixed pairs the literal segments of a with the segments of b that
// have variables and match them.
func (p *pairing) literalMixed(a, b *split, depth int) {
	if len(b.mixed) == 0 {
		return
	}
	for _, text := range slices.Sorted(maps.Keys(a.literal)) {
		if p.most <= 0 {
			return
		}
		g := a.literal[text]
		var fit []int
		for n := 0; n <= len(text); n++ {
			for _, j := range b.mixed[text[:n]] {
				if p.ms[j].before[depth].match(text, 0, len(text), nil) {
					fit = append(fit, j)
				}
			}
		}
		p.across(g, fit, depth+1)
	}
}

// across compares each of a group with each of another, whose segments before
// depth have texts in common.
func (p *pairing) across(a, b []int, depth int) {
	if len(a) == 0 || len(b) == 0 || p.most <= 0 {
		return
	}
	sa, sb := p.split(a, depth), p.split(b, depth)
	p.all(sa.open, b)
	for _, i := range a {
		if m := p.ms[i]; depth < len(m.before) || m.elastic == nil {
			p.all([]int{i}, sb.open)
		}
	}
	p.all(sa.ended, sb.ended)
	for _, text := range slices.Sorted(maps.Keys(sa.literal)) {
		p.across(sa.literal[text], sb.literal[text], depth+1)
	}
	for _, prefix := range slices.Sorted(maps.Keys(sa.mixed)) {
		g := sa.mixed[prefix]
		for n := 0; n <= len(prefix); n++ {
			p.across(g, sb.mixed[prefix[:n]], depth+1)
		}
	}
	for _, prefix := range slices.Sorted(maps.Keys(sb.mixed)) {
		g := sb.mixed[prefix]
		for n := range prefix {
			p.across(sa.mixed[prefix[:n]], g, depth+1)
		}
	}
	p.literalMixed(&sa, &sb, depth)
	p.literalMixed(&sb, &sa, depth)
}

func (p *pairing) all(a, b []int) {
	for _, i := range a {
		for _, j := range b {
			p.compare(i, j)
		}
	}
}

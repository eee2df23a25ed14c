package uritmpl

import (
	"container/heap"
	"slices"
)

// maxProduct bounds the states that a comparison visits; beyond it the answer
// is the cautious one.
const maxProduct = 1 << 15

// A meeting is a pair of states of two automata on the way to a text that both
// accept.
type meeting struct {
	state
	cost int
	from int // index of the meeting before, -1 for the first
	sym  int // the symbol between, -1 for none
}

// state is where the two automata are, and the text.
type state struct {
	a, b int
	seg  segmentSoFar
}

// segmentSoFar is what the path segment at the end of a text is: one that is "."
// or ".." is refused in every URI.
type segmentSoFar byte

const (
	segmentOther segmentSoFar = iota
	segmentEmpty
	segmentDot
	segmentDots
)

// then is the segment behind one more symbol; ok is false when the one that ends
// is refused.
func (s segmentSoFar) then(sym int) (next segmentSoFar, ok bool) {
	switch {
	case sym == '/':
		return segmentEmpty, !s.refused()
	case sym == '.' && s == segmentEmpty:
		return segmentDot, true
	case sym == '.' && s == segmentDot:
		return segmentDots, true
	}
	return segmentOther, true
}

func (s segmentSoFar) refused() bool { return s == segmentDot || s == segmentDots }

// meetings is a priority queue of indexes.
type meetings struct {
	all   []meeting
	order []int
}

func (q *meetings) Len() int           { return len(q.order) }
func (q *meetings) Less(i, j int) bool { return q.all[q.order[i]].cost < q.all[q.order[j]].cost }
func (q *meetings) Swap(i, j int)      { q.order[i], q.order[j] = q.order[j], q.order[i] }
func (q *meetings) Push(x any)         { q.order = append(q.order, x.(int)) }
func (q *meetings) Pop() any {
	last := q.order[len(q.order)-1]
	q.order = q.order[:len(q.order)-1]
	return last
}

// intersect returns a text that both automata accept, which begins where begin
// says. It looks for the text that reads most like a person's: short, with a
// letter or digit wherever a variable begins.
func intersect(a, b *nfa, begin segmentSoFar) (witness string, ok bool) {
	q := &meetings{all: []meeting{{state: state{seg: begin}, from: -1, sym: -1}}, order: []int{0}}
	done := map[state]bool{}
	for q.Len() > 0 && len(q.all) < maxProduct {
		at := heap.Pop(q).(int)
		m := q.all[at]
		if done[m.state] {
			continue
		}
		done[m.state] = true
		if m.a == a.accept && m.b == b.accept && !m.seg.refused() {
			return q.text(at), true
		}
		q.expand(a, b, at)
	}
	return "", false
}

func (q *meetings) add(m meeting) {
	q.all = append(q.all, m)
	heap.Push(q, len(q.all)-1)
}

func (q *meetings) expand(a, b *nfa, at int) {
	m := q.all[at]
	for _, e := range a.edges[m.a] {
		if e.set == nil {
			q.add(meeting{state{e.to, m.b, m.seg}, m.cost, at, -1})
		}
	}
	for _, f := range b.edges[m.b] {
		if f.set == nil {
			q.add(meeting{state{m.a, f.to, m.seg}, m.cost, at, -1})
		}
	}
	start := q.startsSegment(at)
	for _, e := range a.edges[m.a] {
		if e.set == nil {
			continue
		}
		for _, f := range b.edges[m.b] {
			if f.set == nil {
				continue
			}
			common, any := e.set.and(f.set)
			if !any {
				continue
			}
			sym := nicest(&common, start)
			if seg, ok := m.seg.then(sym); ok {
				q.add(meeting{state{e.to, f.to, seg}, m.cost + price(sym, e, f), at, sym})
			}
		}
	}
}

// startsSegment reports whether the text so far is empty or ends with a slash.
func (q *meetings) startsSegment(at int) bool {
	for ; at >= 0; at = q.all[at].from {
		if sym := q.all[at].sym; sym >= 0 {
			return sym == '/'
		}
	}
	return true
}

func (q *meetings) text(at int) string {
	var syms []int
	for ; at >= 0; at = q.all[at].from {
		if q.all[at].sym >= 0 {
			syms = append(syms, q.all[at].sym)
		}
	}
	slices.Reverse(syms)
	var b []byte
	for _, sym := range syms {
		b = appendSymbol(b, sym)
	}
	return string(b)
}

// nicest picks the symbol that reads best.
func nicest(s *symset, start bool) int {
	first := "1v"
	if start {
		first = "v1"
	}
	for _, group := range [...]string{first, "abcdefghijklmnopqrstuwxyz0", "-_.~"} {
		for i := 0; i < len(group); i++ {
			if s.has(int(group[i])) {
				return int(group[i])
			}
		}
	}
	for sym := 0; sym < 512; sym++ {
		if s.has(sym) {
			return sym
		}
	}
	return -1
}

func price(sym int, e, f edge) int {
	cost := 4
	if sym < 256 && (isAlpha(byte(sym)) || isDigit(byte(sym))) {
		return cost
	}
	if e.open && f.open {
		cost++
	}
	if e.first {
		cost += 6
	}
	if f.first {
		cost += 6
	}
	return cost
}

// includes reports whether b accepts every text that a accepts. Where that
// would take too long it says no.
func includes(b, a *nfa) bool {
	in := newInclusion(a, b)
	start := in.close([]int{0})
	type node struct {
		a   int
		set string
	}
	queue := []node{{0, start}}
	seen := map[node]bool{queue[0]: true}
	push := func(n node) {
		if !seen[n] {
			seen[n] = true
			queue = append(queue, n)
		}
	}
	for len(queue) > 0 {
		n := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if len(seen) > maxProduct || n.a == a.accept && !in.accepts(n.set) {
			return false
		}
		for _, e := range a.edges[n.a] {
			if e.set == nil {
				push(node{e.to, n.set})
				continue
			}
			for _, sym := range in.symbols {
				if e.set.has(sym) {
					push(node{e.to, in.step(n.set, sym)})
				}
			}
		}
	}
	return true
}

// An inclusion runs the sets of states of b. A set is kept as a string of its
// sorted state numbers, three bytes each, to be a map key.
type inclusion struct {
	b       *nfa
	symbols []int // one of each group that no edge tells apart
	next    map[stepKey]string
}

type stepKey struct {
	set string
	sym int
}

func newInclusion(a, b *nfa) *inclusion {
	in := &inclusion{b: b, next: map[stepKey]string{}}
	sets := map[symset]bool{}
	for _, n := range []*nfa{a, b} {
		for _, edges := range n.edges {
			for _, e := range edges {
				if e.set != nil {
					sets[*e.set] = true
				}
			}
		}
	}
	groups := []symset{fullSet()}
	for s := range sets {
		for i, n := 0, len(groups); i < n; i++ {
			inside, any := groups[i].and(&s)
			if !any || inside == groups[i] {
				continue
			}
			for w := range s {
				groups[i][w] &^= s[w]
			}
			groups = append(groups, inside)
		}
	}
	for i := range groups {
		if sym := nicest(&groups[i], false); sym >= 0 {
			in.symbols = append(in.symbols, sym)
		}
	}
	return in
}

func fullSet() (s symset) {
	for i := range s {
		s[i] = ^uint64(0)
	}
	return s
}

func (in *inclusion) accepts(set string) bool {
	for i := 0; i < len(set); i += 3 {
		if stateAt(set, i) == in.b.accept {
			return true
		}
	}
	return false
}

func stateAt(set string, i int) int {
	return int(set[i])<<16 | int(set[i+1])<<8 | int(set[i+2])
}

// close returns the set of states that are reached without a symbol.
func (in *inclusion) close(states []int) string {
	for i := 0; i < len(states); i++ {
		for _, e := range in.b.edges[states[i]] {
			if e.set == nil && !slices.Contains(states, e.to) {
				states = append(states, e.to)
			}
		}
	}
	slices.Sort(states)
	states = slices.Compact(states)
	b := make([]byte, 0, 3*len(states))
	for _, s := range states {
		b = append(b, byte(s>>16), byte(s>>8), byte(s))
	}
	return string(b)
}

func (in *inclusion) step(set string, sym int) string {
	key := stepKey{set, sym}
	if to, ok := in.next[key]; ok {
		return to
	}
	var states []int
	for i := 0; i < len(set); i += 3 {
		for _, e := range in.b.edges[stateAt(set, i)] {
			if e.set != nil && e.set.has(sym) {
				states = append(states, e.to)
			}
		}
	}
	to := in.close(states)
	in.next[key] = to
	return to
}

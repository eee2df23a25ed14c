package engine

import (
	"slices"

	"github.com/mcpdecl/mcpdecl/uritmpl"
)

// An indexNode stands for the path segments on the way to it. Entries are
// their ranks; smaller is better.
type indexNode struct {
	best int32 // of all entries below
	// URIs that reach an entry below have this many segments more, or more
	// where most is endless, and no other bits in their mask.
	fewest, most int32
	mask         uritmpl.TailMask
	// Children by the next segment.
	one     string // the text of the only literal child, if there is just one
	oneNode *indexNode
	literal map[string]*indexNode
	folded  bool // literal text is in lower case and compares without case
	mixed   []mixedNode
	byText  []textGroup // mixed segments with literal text at one end
	whole   *indexNode  // {v}
	// Entries whose path ends here, and those whose varying stretch begins.
	ends    []int32
	elastic []elasticEntry
	byLast  map[string][]elasticEntry // by the literal text of their last segment
}

// A mixedNode is a child by a segment of text and variables.
type mixedNode struct {
	segment uritmpl.Segment
	node    *indexNode
}

// A textGroup holds mixed segments that begin, or end, with literal text of
// one length, by that text. A long list of mixed segments would have to be
// tried one by one.
type textGroup struct {
	length int
	end    bool
	nodes  map[string][]mixedNode
}

type elasticEntry struct {
	rank    int32
	matcher *uritmpl.Matcher
}

// endless is more segments than a URI can have.
const endless = 1 << 30

// fewMixed is how many mixed segments are tried one by one.
const fewMixed = 4

func newIndexNode() *indexNode {
	return &indexNode{best: 1<<31 - 1, fewest: endless, literal: map[string]*indexNode{}}
}

// add puts an entry below n. Entries come in the order of their rank.
func (n *indexNode) add(m *uritmpl.Matcher, rank int32) {
	segments := m.FixedSegments()
	mask := m.TailMask()
	for i := 0; ; i++ {
		n.best = min(n.best, rank)
		n.mask |= mask
		n.fewest = min(n.fewest, int32(len(segments)-i))
		n.most = max(n.most, int32(len(segments)-i))
		if m.Elastic() {
			n.most = endless
		}
		if i == len(segments) {
			break
		}
		n = n.child(segments[i])
	}
	if !m.Elastic() {
		n.ends = append(n.ends, rank)
		return
	}
	if text, ok := m.LastSegment(); ok {
		if n.byLast == nil {
			n.byLast = map[string][]elasticEntry{}
		}
		n.byLast[text] = append(n.byLast[text], elasticEntry{rank, m})
		return
	}
	n.elastic = append(n.elastic, elasticEntry{rank, m})
}

func (n *indexNode) child(seg uritmpl.Segment) *indexNode {
	n.folded = n.folded || seg.Folded()
	if text, ok := seg.Literal(); ok {
		if n.literal[text] == nil {
			n.literal[text] = newIndexNode()
		}
		return n.literal[text]
	}
	if seg.Whole() {
		if n.whole == nil {
			n.whole = newIndexNode()
		}
		return n.whole
	}
	if length, end := textLength(seg); length > 0 {
		return n.grouped(seg, length, end)
	}
	return sameNode(&n.mixed, seg)
}

// textLength returns how much literal text a mixed segment has at an end.
func textLength(seg uritmpl.Segment) (length int, end bool) {
	if p := len(seg.Prefix()); p > 0 {
		return p, false
	}
	return len(seg.Suffix()), true
}

func (n *indexNode) grouped(seg uritmpl.Segment, length int, end bool) *indexNode {
	i := slices.IndexFunc(n.byText, func(g textGroup) bool { return g.length == length && g.end == end })
	if i < 0 {
		i = len(n.byText)
		n.byText = append(n.byText, textGroup{length, end, map[string][]mixedNode{}})
	}
	text := seg.Prefix()
	if end {
		text = seg.Suffix()
	}
	list := n.byText[i].nodes[text]
	child := sameNode(&list, seg)
	n.byText[i].nodes[text] = list
	return child
}

// sameNode returns the child of a segment that is written alike, or a new one.
func sameNode(list *[]mixedNode, seg uritmpl.Segment) *indexNode {
	for _, m := range *list {
		if m.segment.Same(seg) {
			return m.node
		}
	}
	child := newIndexNode()
	*list = append(*list, mixedNode{seg, child})
	return child
}

// seal chooses the cheapest form of each node once all entries are in.
func (n *indexNode) seal() {
	count := 0
	for _, g := range n.byText {
		count += len(g.nodes)
	}
	if count <= fewMixed {
		for _, g := range n.byText {
			for _, list := range g.nodes {
				n.mixed = append(n.mixed, list...)
			}
		}
		n.byText = nil
	}
	slices.SortFunc(n.mixed, func(a, b mixedNode) int { return int(a.node.best) - int(b.node.best) })
	for text, child := range n.literal {
		child.seal()
		if len(n.literal) == 1 {
			n.one, n.oneNode = text, child
		}
	}
	if len(n.literal) < 2 {
		n.literal = nil
	}
	for _, m := range n.mixed {
		m.node.seal()
	}
	for _, g := range n.byText {
		for _, list := range g.nodes {
			for _, m := range list {
				m.node.seal()
			}
		}
	}
	if n.whole != nil {
		n.whole.seal()
	}
}

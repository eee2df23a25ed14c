package engine

import (
	"slices"

	"github.com/mcpdecl/mcpdecl/uritmpl"
)

// An indexNode stands for the path segments on the way to it. Entries are
// their ranks; smaller is better. What most nodes do not have is kept apart,
// so that a node takes little of the cache.
type indexNode struct {
	best int32 // of all entries below
	// URIs that reach an entry below have this many segments more, and of
	// the bits of their mask no others than may and all of must.
	fewest, most int32
	end          int32 // the best entry whose path ends here, -1 if none
	may, must    uritmpl.TailMask
	// Children by the next segment.
	one     string // the text of the only literal child, if there is just one
	oneNode *indexNode
	literal map[string]*indexNode
	whole   *indexNode // {v}
	rare    *rareChildren
	folded  bool // literal text is in lower case and compares without case
	plain   bool // end wants no query and no fragment
}

// rareChildren are the parts of a node that most nodes do not have.
type rareChildren struct {
	ends    []int32 // more entries whose path ends here
	mixed   []mixedNode
	byText  []textGroup // mixed segments with literal text at one end
	elastic []elasticEntry
	byLast  map[string][]elasticEntry // elastic, by the literal text of their last segment
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
	return &indexNode{best: 1<<31 - 1, fewest: endless, end: -1, must: ^uritmpl.TailMask(0), rare: &rareChildren{}, literal: map[string]*indexNode{}}
}

// add puts an entry below n. Entries come in the order of their rank.
func (n *indexNode) add(m *uritmpl.Matcher, rank int32) {
	segments := m.FixedSegments()
	may, must := m.TailMasks()
	for i := 0; ; i++ {
		n.best = min(n.best, rank)
		n.may |= may
		n.must &= must
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
	switch text, ok := m.LastSegment(); {
	case !m.Elastic() && n.end < 0:
		n.end, n.plain = rank, may == 0
	case !m.Elastic():
		n.rare.ends = append(n.rare.ends, rank)
	case ok:
		if n.rare.byLast == nil {
			n.rare.byLast = map[string][]elasticEntry{}
		}
		n.rare.byLast[text] = append(n.rare.byLast[text], elasticEntry{rank, m})
	default:
		n.rare.elastic = append(n.rare.elastic, elasticEntry{rank, m})
	}
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
	return sameNode(&n.rare.mixed, seg)
}

// textLength returns how much literal text a mixed segment has at an end.
func textLength(seg uritmpl.Segment) (length int, end bool) {
	if p := len(seg.Prefix()); p > 0 {
		return p, false
	}
	return len(seg.Suffix()), true
}

func (n *indexNode) grouped(seg uritmpl.Segment, length int, end bool) *indexNode {
	r := n.rare
	i := slices.IndexFunc(r.byText, func(g textGroup) bool { return g.length == length && g.end == end })
	if i < 0 {
		i = len(r.byText)
		r.byText = append(r.byText, textGroup{length, end, map[string][]mixedNode{}})
	}
	text := seg.Prefix()
	if end {
		text = seg.Suffix()
	}
	list := r.byText[i].nodes[text]
	child := sameNode(&list, seg)
	r.byText[i].nodes[text] = list
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
	for text, child := range n.literal {
		child.seal()
		if len(n.literal) == 1 {
			n.one, n.oneNode = text, child
		}
	}
	if len(n.literal) < 2 {
		n.literal = nil
	}
	if n.whole != nil {
		n.whole.seal()
	}
	n.rare.seal()
	if r := n.rare; len(r.ends)+len(r.mixed)+len(r.byText)+len(r.elastic)+len(r.byLast) == 0 {
		n.rare = nil
	}
}

func (r *rareChildren) seal() {
	count := 0
	for _, g := range r.byText {
		count += len(g.nodes)
		for _, list := range g.nodes {
			for _, m := range list {
				m.node.seal()
			}
		}
	}
	for _, m := range r.mixed {
		m.node.seal()
	}
	if count <= fewMixed {
		for _, g := range r.byText {
			for _, list := range g.nodes {
				r.mixed = append(r.mixed, list...)
			}
		}
		r.byText = nil
	}
	slices.SortFunc(r.mixed, func(a, b mixedNode) int { return int(a.node.best) - int(b.node.best) })
}

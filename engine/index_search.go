package engine

import (
	"strings"

	"github.com/mcpdecl/mcpdecl/uritmpl"
)

// An indexSearch walks the trie along one URI. best is the best rank so far;
// a node that has nothing better is not entered.
type indexSearch struct {
	ix    *Index
	uri   *uritmpl.URI
	text  string
	count int32 // segments of the path
	mask  uritmpl.TailMask
	best  int32
	// The bounds of the first segments, as many as the trie is deep.
	segments []uritmpl.Span
}

// stackSegments is how many segments a search can note without allocating.
const stackSegments = 32

// find returns the best rank for a URI, or the number of ranks.
func (s *indexSearch) find(root *indexNode) int32 {
	s.text = s.uri.Text()
	s.mask = s.uri.TailMask()
	s.best = int32(len(s.ix.ranked))
	at, end := s.uri.Path()
	s.count = int32(strings.Count(s.text[at:end], "/") + 1)
	for range min(int(s.count), s.ix.depth) {
		stop := at
		for stop < end && s.text[stop] != '/' {
			stop++
		}
		s.segments = append(s.segments, uritmpl.Span{Start: int16(at), End: int16(stop)})
		at = stop + 1
	}
	s.walk(root, 0)
	return s.best
}

// walk tries the segment at a depth, the most specific kind of child first.
func (s *indexSearch) walk(n *indexNode, depth int32) {
	if n.best >= s.best || s.mask&^n.mask != 0 {
		return
	}
	left := s.count - depth
	if left < n.fewest || left > n.most {
		return
	}
	if left == 0 {
		s.leaf(n)
	} else if int(depth) < len(s.segments) {
		s.children(n, depth)
	}
	if n.elastic != nil {
		s.elastic(n.elastic)
	}
	if n.byLast != nil {
		_, end := s.uri.Path()
		slash := strings.LastIndexByte(s.text[:end], '/')
		s.elastic(n.byLast[s.text[slash+1:end]])
	}
}

func (s *indexSearch) children(n *indexNode, depth int32) {
	at, stop := int(s.segments[depth].Start), int(s.segments[depth].End)
	text := s.text[at:stop]
	if n.folded {
		text = uritmpl.Fold(text)
	}
	if n.oneNode != nil {
		if text == n.one {
			s.walk(n.oneNode, depth+1)
		}
	} else if child := n.literal[text]; child != nil {
		s.walk(child, depth+1)
	}
	for i := range n.mixed {
		s.mixed(&n.mixed[i], at, stop, depth)
	}
	for i := range n.byText {
		s.grouped(&n.byText[i], text, at, stop, depth)
	}
	if n.whole != nil && n.whole.best < s.best && wholeValue(text) {
		s.walk(n.whole, depth+1)
	}
}

// wholeValue reports whether {v} takes a segment.
func wholeValue(text string) bool {
	return text != "" && strings.IndexByte(text, ';') < 0
}

func (s *indexSearch) mixed(m *mixedNode, at, stop int, depth int32) {
	if m.node.best < s.best && m.segment.Match(s.text, at, stop) {
		s.walk(m.node, depth+1)
	}
}

// grouped tries the mixed segments with the literal text that stands at one
// end of a segment; text is the segment, folded if literal text is.
func (s *indexSearch) grouped(g *textGroup, text string, at, stop int, depth int32) {
	if len(text) < g.length {
		return
	}
	list := g.nodes[text[:g.length]]
	if g.end {
		list = g.nodes[text[len(text)-g.length:]]
	}
	for i := range list {
		s.mixed(&list[i], at, stop, depth)
	}
}

// leaf tries the entries whose path ends here; they differ in query and
// fragment.
func (s *indexSearch) leaf(n *indexNode) {
	for _, rank := range n.ends {
		if rank >= s.best {
			return
		}
		if s.ix.ranked[rank].matcher.MatchTail(s.uri, nil) {
			s.best = rank
			return
		}
	}
}

func (s *indexSearch) elastic(list []elasticEntry) {
	for i := range list {
		if list[i].rank >= s.best {
			return
		}
		if list[i].matcher.Capture(s.uri, nil) {
			s.best = list[i].rank
			return
		}
	}
}

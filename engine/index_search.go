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
	// spans are those of the entry captured, all or behind the path; every
	// try writes to them.
	spans    *uritmpl.Captures
	captured int32
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
	s.walk(root, 0)
	return s.best
}

// appendSegments appends the bounds of at most n segments of a URI's path.
func appendSegments(dst []uritmpl.Span, u *uritmpl.URI, n int) []uritmpl.Span {
	text := u.Text()
	at, end := u.Path()
	for ; n > 0 && at <= end; n-- {
		stop := at
		for stop < end && text[stop] != '/' {
			stop++
		}
		dst = append(dst, uritmpl.Span{Start: int16(at), End: int16(stop)})
		at = stop + 1
	}
	return dst
}

// walk tries the segment at a depth, the most specific kind of child first.
func (s *indexSearch) walk(n *indexNode, depth int32) {
	if n.best >= s.best || s.mask&^n.may != 0 || n.must&^s.mask != 0 {
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
	if r := n.rare; r != nil {
		s.elastic(r.elastic)
		if r.byLast != nil {
			_, end := s.uri.Path()
			slash := strings.LastIndexByte(s.text[:end], '/')
			s.elastic(r.byLast[s.text[slash+1:end]])
		}
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
	if r := n.rare; r != nil {
		for i := range r.mixed {
			s.mixed(&r.mixed[i], at, stop, depth)
		}
		for i := range r.byText {
			s.grouped(&r.byText[i], text, at, stop, depth)
		}
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
	if n.plain && s.mask == 0 {
		s.best = min(s.best, n.end)
		return
	}
	if n.end >= 0 && s.tail(n.end) || n.rare == nil {
		return
	}
	for _, rank := range n.rare.ends {
		if s.tail(rank) {
			return
		}
	}
}

// tail tries the query and fragment of an entry. It reports whether no later
// entry can be better.
func (s *indexSearch) tail(rank int32) bool {
	if rank >= s.best {
		return true
	}
	s.captured = -1
	if !s.ix.ranked[rank].matcher.MatchTail(s.uri, s.spans) {
		return false
	}
	s.best, s.captured = rank, rank
	return true
}

func (s *indexSearch) elastic(list []elasticEntry) {
	for i := range list {
		if list[i].rank >= s.best {
			return
		}
		s.captured = -1
		if list[i].matcher.Capture(s.uri, s.spans) {
			s.best, s.captured = list[i].rank, list[i].rank
			return
		}
	}
}

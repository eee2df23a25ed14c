package engine

import (
	"slices"

	"github.com/mcpdecl/mcpdecl/uritmpl"
)

// Entry is one declared URI: a resource, whose matcher has no variables, or a
// resource template.
type Entry struct {
	Matcher  *uritmpl.Matcher
	AllowDot []string // variables with allow_dot_segments
}

// Index finds the entry that answers a URI. It is immutable and safe for
// concurrent use.
//
// A map of the static URIs stands in front. Behind it, entries are sorted by
// rank once, so that a smaller number is a better entry, and put into a trie
// for each scheme; a search keeps the best number so far and leaves out what
// cannot be better.
type Index struct {
	entries []*uritmpl.Matcher // in the order of declaration
	static  map[string]int     // URIs as declared and in normal form
	ranked  []rankedEntry      // templates, best first
	schemes map[string]*indexNode
	depth   int // most fixed segments of a template
}

type rankedEntry struct {
	matcher *uritmpl.Matcher
	entry   int
}

// NewIndex makes an index of entries in the order of their declaration.
func NewIndex(entries []Entry) *Index {
	ix := &Index{static: map[string]int{}, schemes: map[string]*indexNode{}}
	for i, e := range entries {
		m := e.Matcher
		if len(e.AllowDot) > 0 {
			m = m.AllowDotSegments(e.AllowDot...)
		}
		ix.entries = append(ix.entries, m)
		if !m.Static() {
			ix.ranked = append(ix.ranked, rankedEntry{m, i})
		}
	}
	ix.addStatic()
	slices.SortStableFunc(ix.ranked, func(a, b rankedEntry) int {
		sign, _ := a.matcher.Decide(b.matcher)
		return sign
	})
	for rank, e := range ix.ranked {
		root := ix.schemes[e.matcher.Scheme()]
		if root == nil {
			root = newIndexNode()
			ix.schemes[e.matcher.Scheme()] = root
		}
		root.add(e.matcher, int32(rank))
		ix.depth = max(ix.depth, len(e.matcher.FixedSegments()))
	}
	for _, root := range ix.schemes {
		root.seal()
	}
	return ix
}

// addStatic fills the map in front. Exact URIs come before normal forms, and
// earlier declarations before later ones.
func (ix *Index) addStatic() {
	put := func(uri string, i int) {
		if _, taken := ix.static[uri]; !taken {
			ix.static[uri] = i
		}
	}
	for i, m := range ix.entries {
		if m.Static() {
			put(m.String(), i)
		}
	}
	for i, m := range ix.entries {
		if m.Static() {
			put(m.NormalForm(), i)
		}
	}
}

// Found is the answer to a URI: the entry that matches it best, and where its
// values are. Values decodes them.
type Found struct {
	Entry   int // -1 if nothing matches
	matcher *uritmpl.Matcher
	uri     uritmpl.URI
	spans   uritmpl.Captures
}

// Find returns the best match of a URI, with Entry -1 if there is none. The
// error is a *uritmpl.Refusal. A URI is refused as a whole: it is never
// answered by an entry that matches it less well.
//
// Find does not allocate for URIs in normal form.
func (ix *Index) Find(uri string) (Found, error) {
	f := Found{Entry: -1}
	if i, ok := ix.static[uri]; ok {
		f.Entry = i
		return f, nil
	}
	var r *uritmpl.Refusal
	if f.uri, r = uritmpl.ReadURI(uri); r != nil {
		return f, r
	}
	if i := ix.findStatic(&f.uri); i >= 0 {
		f.Entry = i
		return f, nil
	}
	ix.findTemplate(&f)
	if f.uri.HasDotSegment() {
		if r := f.uri.RefuseDots(f.matcher, &f.spans); r != nil {
			return Found{Entry: -1}, r
		}
	}
	return f, nil
}

// findStatic looks a URI up in the form in which static URIs are equal. The
// exact text has been looked up before.
func (ix *Index) findStatic(u *uritmpl.URI) int {
	if len(ix.static) == 0 || u.IsStaticForm() {
		return -1
	}
	var buf [256]byte
	if i, ok := ix.static[string(u.AppendStatic(buf[:0]))]; ok {
		return i
	}
	return -1
}

// findTemplate stores the best template, if one matches.
func (ix *Index) findTemplate(f *Found) {
	root := ix.schemes[f.uri.Scheme()]
	if root == nil {
		return
	}
	var buf [stackSegments]uritmpl.Span
	s := indexSearch{ix: ix, uri: &f.uri, segments: appendSegments(buf[:0], &f.uri, ix.depth),
		spans: &f.spans, captured: -1}
	best := int(s.find(root))
	if best == len(ix.ranked) {
		return
	}
	f.Entry, f.matcher = ix.ranked[best].entry, ix.ranked[best].matcher
	f.matcher.CaptureSegments(&f.uri, s.segments, int(s.captured) == best, &f.spans)
}

// Values appends the decoded values to dst, in the order of the template's
// variables. The error is a *uritmpl.Refusal.
func (f *Found) Values(dst []uritmpl.Value) ([]uritmpl.Value, error) {
	if f.matcher == nil {
		return dst, nil
	}
	out, r := f.matcher.Decode(&f.uri, &f.spans, dst)
	if r != nil {
		return dst, r
	}
	return out, nil
}

package engine

import (
	"slices"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/uritmpl"
)

// Candidate is an entry that matches a URI.
type Candidate struct {
	Entry  int
	LostBy string // the rule that decided for the first candidate; "" for that one
}

// Candidates returns every entry that matches a URI, best first. It tries all
// entries and is meant for explanations.
func (ix *Index) Candidates(uri string) []Candidate {
	u, r := uritmpl.ReadURI(uri)
	if r != nil {
		return nil
	}
	var out []Candidate
	for i, m := range ix.entries {
		if m.Capture(&u, nil) {
			out = append(out, Candidate{Entry: i})
		}
	}
	slices.SortStableFunc(out, func(a, b Candidate) int {
		sign, _ := ix.entries[a.Entry].Decide(ix.entries[b.Entry])
		return sign
	})
	for i := range out {
		if i > 0 {
			_, out[i].LostBy = ix.entries[out[0].Entry].Decide(ix.entries[out[i].Entry])
		}
	}
	return out
}

// Nearest returns the entry that a URI without a match follows longest, the
// byte of the URI's normal form at which it leaves that entry's template, and
// what the template wants there. A scheme that no entry has is taken for a
// mistyped one. entry is -1 if there is no entry, or the URI has none or is refused.
func (ix *Index) Nearest(uri string) (entry, offset int, want string) {
	entry = -1
	u, r := uritmpl.ReadURI(uri)
	if r != nil {
		return entry, 0, ""
	}
	whole := false
	for i, m := range ix.entries {
		at, words := m.Mismatch(uri)
		// Of two that part at the same byte, one whose path fits is nearer.
		if at > offset || at == offset && at > 0 && !whole && m.MatchesPath(&u) {
			entry, offset, want = i, at, words
			whole = m.MatchesPath(&u)
		}
	}
	if entry < 0 && u.Scheme() != "" {
		return ix.nearestScheme(uri, u.Scheme())
	}
	return entry, offset, want
}

// nearestScheme returns, of the entries whose scheme resembles that of a URI
// most, the one that the rest of the URI follows longest.
func (ix *Index) nearestScheme(uri, scheme string) (entry, offset int, want string) {
	entry = -1
	least, longest := 0, 0
	for i, m := range ix.entries {
		distance := decl.EditDistance(scheme, m.Scheme())
		if entry >= 0 && distance > least {
			continue
		}
		at, differs := m.Mismatch(m.Scheme() + uri[len(scheme):])
		if differs == "" {
			at = len(uri) // nothing else is wrong
		}
		if entry < 0 || distance < least || at > longest {
			entry, least, longest = i, distance, at
			_, want = m.Mismatch(uri)
		}
	}
	return entry, 0, want
}

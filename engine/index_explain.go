package engine

import (
	"slices"

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
// what the template wants there. entry is -1 if no entry has the URI's scheme.
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
	return entry, offset, want
}

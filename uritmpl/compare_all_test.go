package uritmpl

import (
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCompareAgainstShortURIs holds the verdicts on pairs of generated templates
// against every short URI: one that both answer is never missed, and what is
// called contained is contained.
func TestCompareAgainstShortURIs(t *testing.T) {
	uris := shortURIs("x://h/", "a1-./;=?&#,", 4)
	templates := generatedTemplates(rand.New(rand.NewPCG(7, 9)), 300)
	matched, answered := make([]bitset, len(templates)), make([]bitset, len(templates))
	for i, m := range templates {
		matched[i], answered[i] = uriSets(m, uris)
	}
	for i, a := range templates {
		for j, b := range templates[:i] {
			c := Compare(a, b)
			both := answered[i].firstCommon(answered[j])
			aInB, bInA := answered[i].within(matched[j]), answered[j].within(matched[i])
			switch c.Relation {
			case Disjoint:
				if both >= 0 {
					t.Errorf("%s and %s are not disjoint: %s", a, b, uris[both])
				}
				continue
			case Duplicate:
				if !aInB || !bInA {
					t.Errorf("%s and %s are no duplicates", a, b)
				}
			case Nested, Shadowed:
				if inner := (c.Winner == 0) == (c.Relation == Nested); inner && !aInB || !inner && !bInA {
					t.Errorf("%s and %s: %+v", a, b, c)
				}
			}
			if !matches(a, c.Witness) || !matches(b, c.Witness) {
				t.Errorf("%s and %s do not both match %q", a, b, c.Witness)
			}
		}
	}
}

// generatedTemplates have few different literals, so that many of them meet.
func generatedTemplates(rnd *rand.Rand, n int) []*Matcher {
	literals := []string{"a", "1", "-", ".", "a-", "1.", "b", "/", "/a", "/a/"}
	expressions := []string{"{v}", "{+v}", "{/v}", "{/v*}", "{.v}", "{;v}", "{#v}", "{?v}", "{v:2}", "{?v*}", "?a={v}", "{&v}", "{/v,w}", "{?v,w}"}
	var out []*Matcher
	seen := map[string]bool{}
	for len(out) < n {
		text := "x://h/"
		for i := range 1 + rnd.IntN(4) {
			if rnd.IntN(2) == 0 {
				text += literals[rnd.IntN(len(literals))]
				continue
			}
			own := strings.NewReplacer("v", string(rune('p'+2*i)), "w", string(rune('q'+2*i)))
			text += own.Replace(expressions[rnd.IntN(len(expressions))])
		}
		// Three literal dots: see docs/matching.md.
		if seen[text] || strings.Contains(text, "...") {
			continue
		}
		seen[text] = true
		if parsed, err := Parse(text); err == nil {
			if m, err := Compile(parsed); err == nil {
				out = append(out, m)
			}
		}
	}
	return out
}

// shortURIs are the prefix with all texts of at most n characters behind it.
func shortURIs(prefix, alphabet string, n int) []string {
	out := []string{prefix}
	if n > 0 {
		for _, c := range alphabet {
			out = append(out, shortURIs(prefix+string(c), alphabet, n-1)...)
		}
	}
	return out
}

type bitset []uint64

// uriSets are the URIs that a template matches, and those of them that it does
// not refuse.
func uriSets(m *Matcher, uris []string) (matched, answered bitset) {
	matched, answered = make(bitset, len(uris)/64+1), make(bitset, len(uris)/64+1)
	for i, uri := range uris {
		u, refusal := ReadURI(uri)
		var c Captures
		if refusal == nil && m.Capture(&u, &c) {
			matched[i/64] |= 1 << (i % 64)
			if _, refusal = m.Decode(&u, &c, nil); refusal == nil {
				answered[i/64] |= 1 << (i % 64)
			}
		}
	}
	return matched, answered
}

func (s bitset) firstCommon(o bitset) int {
	for i := range s {
		if common := s[i] & o[i]; common != 0 {
			return i*64 + bits.TrailingZeros64(common)
		}
	}
	return -1
}

func (s bitset) within(o bitset) bool {
	for i := range s {
		if s[i]&^o[i] != 0 {
			return false
		}
	}
	return true
}

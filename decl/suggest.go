package decl

import (
	"slices"
	"strconv"
	"strings"
)

// suggest returns the candidate that is nearest to a mistyped name, or "" when
// none is near enough to be what was meant: at most a third of the longer
// name's letters may differ (two in short names), or one is a prefix of the
// other from three letters on.
func suggest(name string, candidates []string) string {
	best, bestDistance := "", 1<<30
	for _, c := range candidates {
		d := EditDistance(strings.ToLower(name), strings.ToLower(c))
		if c == name || !near(name, c, d) {
			continue
		}
		if d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

func near(a, b string, distance int) bool {
	if prefixOf(a, b) || prefixOf(b, a) {
		return true
	}
	longest := max(len(a), len(b))
	if longest <= 3 {
		return distance <= 1
	}
	return distance <= max(2, longest/3) && distance < longest/2+1
}

func prefixOf(short, long string) bool {
	return len(short) >= 3 && strings.HasPrefix(strings.ToLower(long), strings.ToLower(short))
}

// EditDistance counts insertions, deletions, substitutions and swaps of
// neighbours (optimal string alignment) between two short names.
func EditDistance(a, b string) int {
	ra, rb := []rune(a), []rune(b)
	rows := make([][]int, len(ra)+1)
	for i := range rows {
		rows[i] = make([]int, len(rb)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(ra); i++ {
		for j := 1; j <= len(rb); j++ {
			cost := 1
			if ra[i-1] == rb[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && ra[i-1] == rb[j-2] && ra[i-2] == rb[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(ra)][len(rb)]
}

// DidYouMean returns the sentence "Did you mean x?" for the nearest candidate,
// or "".
func DidYouMean(name string, candidates []string) (sentence, candidate string) {
	c := suggest(name, candidates)
	if c == "" {
		return "", ""
	}
	return "Did you mean " + c + "?", c
}

// list joins names for a sentence: a, b and c; "none" when there are none.
func list(names []string) string {
	switch len(names) {
	case 0:
		return "none"
	case 1:
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

func quoteAll(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strconv.Quote(n)
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

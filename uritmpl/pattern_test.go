package uritmpl

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestScanAgreesWithSearch holds the scans that read plain patterns against
// the search that reads all.
func TestScanAgreesWithSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	literals := []string{"a", "b", "ab", "-", ",", "a,", ";", "aa", "%2F", ""}
	random := func(from []string, n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(from[r.IntN(len(from))])
		}
		return b.String()
	}
	for range 20000 {
		var p pattern
		cls := []class{classSimple, classList}[r.IntN(2)]
		for k := range 1 + r.IntN(3) {
			lit := random(literals, 1+r.IntN(2))
			if k > 0 && lit == "" {
				lit = "-"
			}
			p.items = append(p.items, item{lit: lit, cls: cls, v: k, label: -1})
		}
		p.suffix = random(literals, r.IntN(2))
		p.seal()
		text := random([]string{"a", "b", "c", "-", ",", ";", "%2F", "ab"}, r.IntN(12))
		var scan, search Captures
		got := p.match(text, 0, len(text), &scan)
		if want := p.search(text, 0, len(text), &search); got != want || got && scan != search {
			t.Fatalf("%+v <- %q: scan %v %v, search %v %v", p, text, got, scan[:3], want, search[:3])
		}
		checkHeadAndTail(t, &p, text)
	}
}

func checkHeadAndTail(t *testing.T, p *pattern, text string) {
	t.Helper()
	var scan, search Captures
	if p.items[0].lit != "" {
		got, ok := p.matchTail(text, 0, len(text), &scan)
		want, ok2 := p.searchTail(text, 0, len(text), &search)
		if ok != ok2 || ok && (got != want || scan != search) {
			t.Fatalf("%+v at the end of %q: scan %d %v, search %d %v", p, text, got, ok, want, ok2)
		}
	}
	if p.suffix != "" {
		got, ok := p.matchHead(text, 0, len(text), len(text), &scan)
		want, ok2 := p.searchHead(text, 0, len(text), len(text), &search)
		if ok != ok2 || ok && (got != want || scan != search) {
			t.Fatalf("%+v at the start of %q: scan %d %v, search %d %v", p, text, got, ok, want, ok2)
		}
	}
}

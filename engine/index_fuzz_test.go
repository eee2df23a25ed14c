package engine

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/mcpdecl/mcpdecl/uritmpl"
)

// naive answers a URI by trying every matcher.
func naive(ms []*uritmpl.Matcher, uri string) resolved {
	u, r := uritmpl.ReadURI(uri)
	if r != nil {
		return resolved{-1, nil, r.Code}
	}
	best := -1
	for i, m := range ms {
		if !m.Capture(&u, nil) {
			continue
		}
		if best >= 0 {
			if sign, _ := ms[best].Decide(m); sign <= 0 {
				continue
			}
		}
		best = i
	}
	if best < 0 {
		if u.HasDotSegment() {
			return resolved{-1, nil, uritmpl.RefusedDotSegment}
		}
		return resolved{-1, nil, ""}
	}
	var c uritmpl.Captures
	ms[best].Capture(&u, &c)
	values, r := ms[best].Decode(&u, &c, nil)
	if r != nil {
		return resolved{-1, nil, r.Code}
	}
	return resolved{best, values, ""}
}

// The alphabet is small, so that templates and URIs meet often.
var (
	fuzzSegments = []string{
		"a", "b", "ab", "{}", "{}", "a{}", "{}b", "a{}b", "{}-{}", "{},{}", "{}{.}", "a{.}", "{;}", "a{;}", "{}{;}",
		"{+}", "{+}.b", "a{+}", "{+}{.}", "{}-{+}-{}", "", "A", "a-b", "{_,_}", "a{._,_}", "{*}",
	}
	fuzzTails = []string{"", "", "", "{?}", "{?_,_}", "?a=1{&}", "?b={}", "{#}", "{?}{#}", "#a", "?a", "{/}", "{/_,_}", "{/*}", "{/*}/a"}
	fuzzURI   = []string{"a", "b", "ab", "a-b", "a.b", "a,b", "a;b=1", "A", "-", ".", "..", "%2F", "%61", "c", "", "a%2Fb", "b.a.b"}
	fuzzEnds  = []string{"", "", "?a=1", "?b=1", "?a=1&b=2", "?b=2&a=1", "#a", "?a", "?", "#", "?b=1#a"}
)

// name gives every variable of a sketch a name: "{}" is {a}, "{_,_}" is
// {a,b}, "{*}" and "{/*}" are lists.
func nameVariables(sketch string) string {
	var b strings.Builder
	next := 'a'
	name := func() {
		b.WriteRune(next)
		next++
	}
	for i := 0; i < len(sketch); i++ {
		switch c := sketch[i]; {
		case c == '_', c == '*', c == '}' && !strings.ContainsRune("_*", rune(sketch[i-1])):
			name()
			if c != '_' {
				b.WriteByte(c)
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

func randomMatchers(r *rand.Rand, n int) []*uritmpl.Matcher {
	var ms []*uritmpl.Matcher
	for len(ms) < n {
		var segs []string
		for range 1 + r.IntN(4) {
			segs = append(segs, pick(r, fuzzSegments))
		}
		start := "x:"
		if r.IntN(2) == 0 {
			start = "x://"
		}
		t, err := uritmpl.Parse(nameVariables(start + strings.Join(segs, "/") + pick(r, fuzzTails)))
		if err != nil {
			continue
		}
		if m, err := uritmpl.Compile(t); err == nil {
			ms = append(ms, m)
		}
	}
	return ms
}

func randomURI(r *rand.Rand) string {
	var segs []string
	for range 1 + r.IntN(5) {
		segs = append(segs, pick(r, fuzzURI))
	}
	start := "x:"
	if r.IntN(2) == 0 {
		start = "x://"
	}
	return start + strings.Join(segs, "/") + pick(r, fuzzEnds)
}

func checkIndex(t *testing.T, r *rand.Rand, ms []*uritmpl.Matcher, uris []string) {
	entries := make([]Entry, len(ms))
	for i, m := range ms {
		entries[i].Matcher = m
		if r.IntN(8) == 0 {
			for _, v := range m.Template().Variables() {
				entries[i].AllowDot = append(entries[i].AllowDot, v.Name)
			}
			ms[i] = m.AllowDotSegments(entries[i].AllowDot...)
		}
	}
	ix := NewIndex(entries)
	for _, uri := range uris {
		got, want := resolve(t, ix, uri), naive(ms, uri)
		// A static URI is found by its exact text before anything else, of
		// two equal ones the first.
		if got.entry >= 0 && want.entry >= 0 && ms[got.entry].Static() && ms[want.entry].Static() {
			continue
		}
		if len(got.values)+len(want.values) == 0 {
			got.values, want.values = nil, nil
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q <- %s:\n got %+v\nwant %+v", ms, uri, got, want)
		}
		found := ix.Candidates(uri)
		if want.entry >= 0 && (len(found) == 0 || found[0].Entry != want.entry) {
			t.Errorf("%q <- %s: candidates %v, want %d first", ms, uri, found, want.entry)
		}
	}
}

func FuzzIndex(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, "x://a/b")
	}
	f.Fuzz(func(t *testing.T, seed uint64, uri string) {
		r := rand.New(rand.NewPCG(seed, 0))
		ms := randomMatchers(r, 1+r.IntN(24))
		uris := []string{uri}
		for range 32 {
			uris = append(uris, randomURI(r))
		}
		checkIndex(t, r, ms, uris)
	})
}

func TestIndexAgreesWithNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var uris []string
		for range 64 {
			uris = append(uris, randomURI(r))
		}
		checkIndex(t, r, randomMatchers(r, 1+r.IntN(64)), uris)
	}
}

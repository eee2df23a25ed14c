package uritmpl

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func FuzzParse(f *testing.F) {
	cases := readCases(f)
	for _, c := range cases.Registration {
		f.Add(c.Template)
	}
	for _, c := range cases.Expand {
		f.Add(c.Template)
	}
	for _, s := range []string{"x:{+a}.x{;b}/c{?d*}{&e}{#f}", "x:a%C3{b}", "x:%00", "x:a/../b", "x:{a}%40{b}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tmpl, err := Parse(s)
		var e *Error
		if errors.As(err, &e) {
			checkError(t, e)
			return
		}
		if tmpl.String() != s {
			t.Fatalf("%q becomes %q", s, tmpl)
		}
		for _, v := range tmpl.Variables() {
			if got := s[v.Offset : v.Offset+v.Length]; !strings.HasPrefix(got, v.Name) {
				t.Fatalf("variable %q is said to stand at %q", v.Name, got)
			}
		}
		m, err := Compile(tmpl)
		if errors.As(err, &e) {
			checkError(t, e)
			if e.Suggestion != "" {
				MustCompile(e.Suggestion)
			}
			return
		}
		example := m.sample(true)
		if _, path, _ := strings.Cut(example, ":"); dotted(path) {
			return // the shortest URI of "x:.{.a}" is a dot segment, which is refused
		}
		if !matches(m, example) {
			t.Fatalf("%q does not match its example %q", s, example)
		}
	})
}

// edgeSlash reports a value of several segments that begins or ends with a
// slash: beside a literal dot it would make a dot segment.
func edgeSlash(m *Matcher, values []Value) bool {
	for i, v := range m.Template().Variables() {
		if t := values[i].Text; v.MultiSegment && (strings.HasPrefix(t, "/") || strings.HasSuffix(t, "/")) {
			return true
		}
	}
	return false
}

func FuzzMatchExpand(f *testing.F) {
	for _, c := range readCases(f).Cases {
		for _, s := range c.Templates {
			f.Add(s, c.URI)
		}
	}
	f.Add("x:{+p}{.e}", "x:a%2F.%2Fx.y/z")
	f.Add("x:{+p}", "x:a%3F%23%2525")
	f.Add("x:{+p}.x{;b,c}", "x:q.x;b=.x;c=1")
	f.Add("x:{a}40{b}", "x:x40@y")
	f.Add("x:{a,b}-{c}", "x:1,2-3,4-5")
	f.Add("x:w{.x,y}.{z}", "x:w.a.b.c.d")
	f.Fuzz(func(t *testing.T, template, uri string) {
		tmpl, err := Parse(template)
		if err != nil {
			return
		}
		m, err := Compile(tmpl)
		if err != nil {
			return
		}
		got, ok, err := m.Match(uri)
		if err != nil || !ok {
			if at, _ := m.Mismatch(uri); at < 0 || at > 3*len(uri) {
				t.Fatalf("%q leaves %q at %d", uri, template, at)
			}
			return
		}
		n, err := Normalize(uri)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Normalize(n); err != nil || again != n {
			t.Fatalf("the normal form %q has the normal form %q, %v", n, again, err)
		}
		if edgeSlash(m, got.Values) {
			return // the exception that docs/matching.md states
		}
		checkBack(t, m, got, uri, func() (string, error) { return m.Expand(got.Values) })
		if plain(m, got.Values) {
			checkBack(t, m, got, uri, func() (string, error) { return tmpl.Expand(toVars(m, got.Values)) })
		}
	})
}

func checkBack(t *testing.T, m *Matcher, want Match, uri string, expand func() (string, error)) {
	t.Helper()
	out, err := expand()
	if err != nil {
		t.Fatalf("%s <- %q: expand %+v: %v", m, uri, want, err)
	}
	if len(out) > maxURI {
		return
	}
	got, ok, err := m.Match(out)
	if err != nil || !ok || !reflect.DeepEqual(got, want) {
		t.Fatalf("%s <- %q: %+v\nexpands to %q: %+v %v %v", m, uri, want, out, got, ok, err)
	}
}

// plain reports whether RFC 6570 expansion keeps the values: in {+v} and {#v}
// it does not encode what the URI would be cut at, and {&v} without {?v} begins
// no query.
func plain(m *Matcher, values []Value) bool {
	asked := len(m.Template().Variables()) > 0 && m.query != nil && len(m.query.pieces) > 0
	for i, v := range m.Template().Variables() {
		text := values[i].Text
		asked = asked || v.Operator == "?" && values[i].Present
		if v.Operator == "&" && values[i].Present && !asked {
			return false
		}
		if v.Operator == "#" && strings.Contains(text, "%") {
			return false
		}
		if v.Operator == "+" && (strings.ContainsAny(text, "%?#") || strings.Contains("/"+text+"/", "/./")) {
			return false
		}
	}
	return true
}

func toVars(m *Matcher, values []Value) map[string]any {
	vars := map[string]any{}
	for i, v := range m.Template().Variables() {
		switch {
		case !values[i].Present:
		case v.List:
			vars[v.Name] = values[i].List
		default:
			vars[v.Name] = values[i].Text
		}
	}
	return vars
}

// Sketches of templates over a small alphabet, so that they meet often. "{}"
// becomes {a}, "{_,_}" {a,b} and "{*}" a list, with the next free names.
var (
	sketchSegments = []string{
		"a", "b", "ab", "{}", "{}", "a{}", "{}b", "a{}b", "{}-{}", "{}.{}", "{_,_}", "{}{.}", "a{.}", "a{._,_}", "a{.*}",
		"{;}", "a{;}", "{}{;}", "a{;_,_}", "a;a=1", "{+}", "{+}.b", "a{+}", "{+}{.}", "{}-{+}-{}", "", "A", "a-b", "a.b",
	}
	sketchTails = []string{
		"", "", "", "", "{?}", "{?_,_}", "{?*}", "?a=1", "?a=1{&}", "?b=1{&*}", "?b={}", "?{}", "?a={}-{}", "{#}", "#a", "#{}", "{?}{#}",
		"{/}", "{/_,_}", "{/*}", "{/}/a", "{/*}/a/{}",
	}
	sketchURIs = []string{"a", "b", "ab", "a-b", "a.b", "a,b", "a;b=1", "a;a=1", "a;a=1;b=2", "A", "-", "aab", "", "a-a-b", "b.a.b", ".a"}
	sketchEnds = []string{"", "", "", "?a=1", "?b=1", "?a=1&b=2", "?b=1&a=1", "?b=1&b=1", "?a=1-2", "?a", "#a", "#b", "?a=1#a"}
)

func expandSketch(sketch string) string {
	var b strings.Builder
	next := byte('a')
	for i := 0; i < len(sketch); i++ {
		c := sketch[i]
		if c == '_' || c == '*' || c == '}' && sketch[i-1] != '_' && sketch[i-1] != '*' {
			b.WriteByte(next)
			next++
		}
		if c != '_' {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func joined(r *rand.Rand, parts, ends []string, most int) string {
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	segs := make([]string, 1+r.IntN(most))
	for i := range segs {
		segs[i] = pick(parts)
	}
	return [...]string{"x:", "x:/", "x://"}[r.IntN(3)] + strings.Join(segs, "/") + pick(ends)
}

func randomMatcher(r *rand.Rand) *Matcher {
	for {
		tmpl, err := Parse(expandSketch(joined(r, sketchSegments, sketchTails, 3)))
		if err != nil {
			continue
		}
		if m, err := Compile(tmpl); err == nil {
			return m
		}
	}
}

func FuzzWitness(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, "x://a/b")
	}
	f.Fuzz(func(t *testing.T, seed uint64, uri string) {
		r := rand.New(rand.NewPCG(seed, 1))
		checkPairs(t, r, 12, 40, uri)
	})
}

func TestPairsAgreeWithURIs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		checkPairs(t, r, 24, 60, "x:")
	}
}

// checkPairs holds Compare for random matchers against random URIs, and Pairs
// against Compare.
func checkPairs(t *testing.T, r *rand.Rand, matchers, uris int, uri string) {
	ms := make([]*Matcher, matchers)
	for i := range ms {
		ms[i] = randomMatcher(r)
	}
	tried := []string{uri}
	for range uris {
		tried = append(tried, joined(r, sketchURIs, sketchEnds, 4))
	}
	for _, m := range ms {
		tried = append(tried, m.sample(true), m.sample(false))
	}
	type key struct{ i, j int }
	pairs := map[key]Comparison{}
	Pairs(ms, 1<<30, func(i, j int, c Comparison) { pairs[key{i, j}] = c })
	for i, a := range ms {
		for j := i + 1; j < len(ms); j++ {
			b := ms[j]
			c := Compare(a, b)
			if got, found := pairs[key{i, j}]; found != (c.Relation != Disjoint) || found && got != c {
				t.Errorf("%s, %s: Pairs has %+v, Compare %+v", a, b, got, c)
			}
			if c.Relation != Disjoint && !(matches(a, c.Witness) && matches(b, c.Witness)) {
				t.Errorf("%s, %s: witness %q does not match both", a, b, c.Witness)
			}
			for _, u := range tried {
				checkComparison(t, a, b, c, u)
			}
		}
	}
}

func checkComparison(t *testing.T, a, b *Matcher, c Comparison, uri string) {
	inA, inB := matches(a, uri), matches(b, uri)
	winner, loser := inA, inB
	if c.Winner == 1 {
		winner, loser = inB, inA
	}
	wrong := false
	switch c.Relation {
	case Disjoint:
		wrong = inA && inB
	case Duplicate:
		wrong = inA != inB
	case Shadowed:
		wrong = loser && !winner
	case Nested:
		wrong = winner && !loser
	}
	if wrong {
		t.Errorf("%s, %s: %s (winner %d), but %q matches %v, %v", a, b, c.Relation, c.Winner, uri, inA, inB)
	}
}

// dotted reports whether a path has a "." or ".." component.
func dotted(path string) bool {
	for part := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '\\' }) {
		if part == "." || part == ".." {
			return true
		}
	}
	return false
}

package uritmpl

import "testing"

func TestPairCases(t *testing.T) {
	for _, c := range readCases(t).Pairs {
		a, b := MustCompile(c.A), MustCompile(c.B)
		got := Compare(a, b)
		winner := "-"
		if got.Winner >= 0 {
			winner = []string{"a", "b"}[got.Winner]
		}
		want := "-"
		if c.Winner != nil {
			want = *c.Winner
		}
		if got.Relation.String() != c.Kind || winner != want {
			t.Errorf("%s, %s: got %s, winner %s (%s), want %s, %s", c.A, c.B, got.Relation, winner, got.Rule, c.Kind, want)
		}
		witness := ""
		if c.Witness != nil {
			witness = *c.Witness
		}
		if got.Witness != witness {
			t.Errorf("%s, %s: got witness %q, want %q", c.A, c.B, got.Witness, witness)
		}
	}
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		a, b     string
		relation Relation
		winner   int
		rule     string
		witness  string
	}{
		{"x://h/{+p}", "x://h/{a}", Nested, 1, RuleMultiSegment, "x://h/v"},
		{"x://h/{+p}/x/{b}", "x://h/{a}/x/{+q}", Overlap, 0, RuleDeclaration, "x://h/v/x/v"},
		{"x://h/{+p}.md", "x://h/{+p}.txt", Disjoint, -1, "", ""},
		{"x://h/{a}-{b}", "x://h/{a}", Nested, 0, RuleLiterals, "x://h/v-w"},
		{"x://h/{a}-x", "x://h/y-{b}", Overlap, 1, RuleLeftmost, "x://h/y-x"},
		{"x://h/a{v}", "x://h/{v}b", Overlap, 0, RuleLeftmost, "x://h/ab"},
		{"x://h/f{.e}", "x://h/f", Nested, 1, RuleStatic, "x://h/f"},
		{"x://h/f{.e,f}", "x://h/f{.g}", Nested, 1, RuleOptional, "x://h/f"},
		{"x://h/f{.e*}", "x://h/{a}", Nested, 0, RuleLiterals, "x://h/f"},
		{"x://h/f{;p}", "x://h/f{;p,q}", Nested, 0, RuleOptional, "x://h/f"},
		{"x://h/f{;p}", "x://h/f{;q}", Overlap, 0, RuleDeclaration, "x://h/f"},
		{"x://h/f{;p}", "x://h/f;p=1/{v}", Disjoint, -1, "", ""},
		{"x://h/{v}{;p}", "x://h/f;p=1", Nested, 1, RuleStatic, "x://h/f;p=1"},
		{"x://h/{v}{;p}", "x://h/{v};p=1", Nested, 1, RuleLiterals, "x://h/v;p=1"},
		{"x://h{/a,b}", "x://h{/c*}", Nested, 0, RuleMultiSegment, "x://h"},
		{"x://h{/a*}/e", "x://h/{a}/e", Nested, 1, RuleLiterals, "x://h/v/e"},
		{"x://h{/a*}", "x://h/{+p}", Overlap, 1, RuleLiterals, "x://h/v"},
		{"x:s?k={q}", "x:s{?k}", Nested, 0, RuleLiterals, "x:s?k=v"},
		{"x:s?k=1{&q}", "x:s?l=2{&q,k}", Disjoint, -1, "", ""},
		{"x:s?k=1{&l}", "x:s?l=2{&k}", Overlap, 0, RuleDeclaration, "x:s?k=1&l=2"},
		{"x:s?k=1{&a}", "x:s?k=2{&a}", Disjoint, -1, "", ""},
		{"x:s{?k*}", "x:s{?k}", Shadowed, 0, RuleDeclaration, "x:s"},
		{"x:s{?a,b}", "x:s{?b}{&a}", Duplicate, -1, "", "x:s"},
		{"x:s?{a,b}", "x:s?{c,d}", Duplicate, -1, "", "x:s?p,q"},
		{"x:s{#f}", "x:s", Nested, 1, RuleStatic, "x:s"},
		{"x:{a}{#f}", "x:{a}#top-{g}", Nested, 1, RuleLiterals, "x:v#top-v"},
		{"x:{a}", "y:{a}", Disjoint, -1, "", ""},
		{"x:{a}.{b}", "x:{a}.json", Nested, 1, RuleLiterals, "x:v.json"},
	} {
		got := Compare(MustCompile(c.a), MustCompile(c.b))
		want := Comparison{c.relation, c.winner, c.rule, c.witness}
		if got != want {
			t.Errorf("%s, %s:\n got %+v\nwant %+v", c.a, c.b, got, want)
		}
	}
}

// TestCompareBehindDots compares templates whose shortest common text is a dot
// segment, which every URI refuses.
func TestCompareBehindDots(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want Relation
	}{
		{"x://h/.{.ext}", "x://h/.{.name}", Duplicate},
		{"x://h/{name}", "x://h/.{.ext}", Nested},
	} {
		got := Compare(MustCompile(c.a), MustCompile(c.b))
		if got.Relation != c.want {
			t.Errorf("%s and %s: %v, witness %q", c.a, c.b, got.Relation, got.Witness)
		}
		if !matches(MustCompile(c.a), got.Witness) || !matches(MustCompile(c.b), got.Witness) {
			t.Errorf("%s and %s: witness %q", c.a, c.b, got.Witness)
		}
	}
}

package uritmpl

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkLinear shows that the time per byte does not grow with the URI, for
// every kind of template that is accepted and for URIs that nearly match.
func BenchmarkLinear(b *testing.B) {
	for _, k := range []struct{ name, template, start, fill, end string }{
		{"simple", "x:h/{a}", "x:h/", "v", ""},
		{"simple_triplets", "x:h/{a}", "x:h/", "%40", ""},
		{"list", "x:h/{a,b,c}", "x:h/", "v", ",v,v"},
		{"list_miss", "x:h/{a,b,c}", "x:h/", "v,", ""},
		{"separators", "x:{a}L{b}L{c}L{d}M", "x:", "L", ""},
		{"separators_hit", "x:{a}L{b}L{c}L{d}M", "x:", "L", "M"},
		{"dashes", "x:{a}-{b}-{c}", "x:", "v-", "v"},
		{"label", "x:{a}{.e}", "x:", "v.", "e"},
		{"labels", "x:w{.a*}.{b}-{c}", "x:w", ".v", "-v"},
		{"labels_miss", "x:w{.a*}.{b}-{c}", "x:w", ".v", ""},
		{"rest", "x:h/{+p}", "x:h/", "v/", "v"},
		{"rest_middle", "x:{a}-{b}@{+p}-{c}.md", "x:", "v-", "@v-v.md"},
		{"rest_miss", "x:{a}-{b}@{+p}-{c}.md", "x:", "v@-", ""},
		{"rest_fixed", "x:h/{+p}/a/{b}", "x:h/", "a/", "a/b"},
		{"rest_matrix", "x:{+p}.x{;a,b}", "x:", ".x;a=1", ";b=2"},
		{"path_list", "x:h{/a*}/end", "x:h/", "v/", "end"},
		{"path_list_miss", "x:h{/a*}/end", "x:h/", "v/", "v"},
		{"matrix", "x:h{;a*}", "x:h", ";a=v", ""},
		{"query", "x:h{?q*}", "x:h?q=", "v&q=", "v"},
		{"query_value", "x:h?q={a}-{b}{&c}", "x:h?q=", "v-", "v"},
		{"query_miss", "x:h?a=1&b=2{&c*}", "x:h?a=1&c=", "v&c=", "v"},
		{"fragment", "x:h{#f}", "x:h#", "v", ""},
	} {
		m := MustCompile(k.template)
		for _, size := range []int{512, 2048, 8192} {
			room := size - len(k.start) - len(k.end)
			uri := k.start + strings.Repeat(k.fill, room/len(k.fill)) + k.end
			b.Run(fmt.Sprintf("%s/%d", k.name, size), func(b *testing.B) {
				u, r := ReadURI(uri)
				if r != nil {
					b.Fatal(r)
				}
				var c Captures
				for b.Loop() {
					m.Capture(&u, &c)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(uri)), "ns/byte")
			})
		}
	}
}

func BenchmarkReadURI(b *testing.B) {
	for _, uri := range []string{
		"shop://customers/12345/orders/2024-06-01/lines",
		"shop://customers/a%20b/orders/2024-06-01/lines?q=caf%C3%A9",
		"shop://customers/a b/%7Eorders/2024-06-01/lines",
	} {
		b.Run(fmt.Sprint(len(uri)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, r := ReadURI(uri); r != nil {
					b.Fatal(r)
				}
			}
		})
	}
}

func BenchmarkParseCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		MustCompile("shop://customers/{id}/orders/{date}/lines{?q,limit}")
	}
}

func BenchmarkExpand(b *testing.B) {
	t, err := Parse("https://api.example.com/customers/{id}/orders/{date}{?q,limit}")
	if err != nil {
		b.Fatal(err)
	}
	vars := map[string]any{"id": "a b", "date": "2024-06-01", "q": "café", "limit": 10}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := t.Expand(vars); err != nil {
			b.Fatal(err)
		}
	}
}

// realisticTemplates returns n templates as a large server might declare them,
// all under one authority if single is set.
func realisticTemplates(n int, single bool) []*Matcher {
	forms := []string{
		"%s/%s", "%s/%s/{id}", "%s/%s/{id}/lines", "%s/%s/{id}/lines/{line}", "%s/%s{?q,limit,offset}",
		"%s/%s/files/{+path}", "%s/%s/{id}.json", "%s/%s/by-{key}-{value}", "%s/%s/tree{/path*}", "%s/%s/{id}/at/{date}{?q}",
	}
	ms := make([]*Matcher, n)
	for i := range ms {
		authority := "app://shop"
		if !single {
			authority = fmt.Sprintf("app://team%d", i%37)
		}
		ms[i] = MustCompile(fmt.Sprintf(forms[i%len(forms)], authority, fmt.Sprintf("kind%d", i/len(forms))))
	}
	return ms
}

func BenchmarkPairs(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		for _, single := range []bool{false, true} {
			ms := realisticTemplates(n, single)
			if n > 1 {
				ms[n-1] = MustCompile("app://{host}/{+rest}") // contains all others
			}
			b.Run(fmt.Sprintf("%d/single=%v", n, single), func(b *testing.B) {
				for b.Loop() {
					Pairs(ms, 1<<30, func(i, j int, c Comparison) {})
				}
			})
		}
	}
	// Every pair of these has a URI in common.
	mixes := make([]*Matcher, 256)
	for i := range mixes {
		s := "x:/"
		for bit := range 8 {
			if i>>bit&1 == 0 {
				s += "/a"
			} else {
				s += fmt.Sprintf("/{v%d}", bit)
			}
		}
		mixes[i] = MustCompile("x:/h" + s[3:])
	}
	b.Run("256/mixes", func(b *testing.B) {
		for b.Loop() {
			Pairs(mixes, 1<<30, func(i, j int, c Comparison) {})
		}
	})
}

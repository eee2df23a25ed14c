package engine

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpdecl/mcpdecl/uritmpl"
)

// benchTemplates returns n templates of mixed kinds under a few authorities,
// one in ten static.
func benchTemplates(n int) []string {
	forms := []string{
		"app://shop/kind%d", "app://shop/kind%d/{id}", "app://shop/kind%d/{id}/lines", "app://shop/kind%d/{id}/lines/{line}/notes/{note}",
		"app://shop/kind%d/search{?q,limit,offset}", "app://shop/kind%d/files/{+path}", "app://crm/kind%d/{id}.json",
		"app://crm/kind%d/by-{key}-{value}", "app://{tenant}/kind%d/tree{/path*}", "app://crm/{team}/kind%d/{id}{?lang}",
	}
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(forms[i%len(forms)], i/len(forms))
	}
	return out
}

func BenchmarkFind(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10000} {
		ix := newTestIndex(benchTemplates(n)...)
		mid := n / 20
		for _, c := range []struct{ name, uri string }{
			{"static", fmt.Sprintf("app://shop/kind%d", mid)},
			{"hit", fmt.Sprintf("app://shop/kind%d/12345", mid)},
			{"three", fmt.Sprintf("app://shop/kind%d/12345/lines/17/notes/3", mid)},
			{"last", fmt.Sprintf("app://crm/red/kind%d/12345?lang=en", n/10-1)},
			{"deep", fmt.Sprintf("app://shop/kind%d/files/src/main/java/org/example/app/Main.java", mid)},
			{"query", fmt.Sprintf("app://shop/kind%d/search?offset=20&q=caf%%C3%%A9&limit=10", mid)},
			{"mixed", fmt.Sprintf("app://crm/kind%d/by-color-red", mid)},
			{"miss", fmt.Sprintf("app://shop/kind%d/12345/nothing/like/this", mid)},
			{"miss_first", "app://shop/unkind/12345"},
		} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := ix.Find(c.uri); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkFindSpread looks up another URI each time, so that the index does
// not stay in the nearest cache.
func BenchmarkFindSpread(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10000} {
		ix := newTestIndex(benchTemplates(n)...)
		uris := make([]string, 0, n)
		for i := range n / 10 {
			uris = append(uris,
				fmt.Sprintf("app://shop/kind%d/12345", i), fmt.Sprintf("app://shop/kind%d/12345/lines", i),
				fmt.Sprintf("app://crm/kind%d/17.json", i), fmt.Sprintf("app://shop/kind%d/search?q=x&limit=5", i))
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if f, err := ix.Find(uris[i*7919%len(uris)]); err != nil || f.Entry < 0 {
					b.Fatal(f.Entry, err)
				}
			}
		})
	}
}

func BenchmarkValues(b *testing.B) {
	for _, n := range []int{10, 10000} {
		ix := newTestIndex(benchTemplates(n)...)
		for _, c := range []struct{ name, uri string }{
			{"three_path", "app://shop/kind0/12345/lines/17/notes/3"},
			{"three_query", "app://shop/kind0/search?offset=20&q=caf%C3%A9%20noir&limit=10"},
		} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				b.ReportAllocs()
				var buf [8]uritmpl.Value
				for b.Loop() {
					f, err := ix.Find(c.uri)
					if err != nil || f.Entry < 0 {
						b.Fatal(f.Entry, err)
					}
					if _, err = f.Values(buf[:0]); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// adversarialTemplates returns every mix of a literal and a variable over ten
// segments, so that many templates match nearly everything.
func adversarialTemplates(end string) []string {
	out := make([]string, 1024)
	for i := range out {
		s := "x://h"
		for bit := range 10 {
			if i>>bit&1 == 0 {
				s += "/a"
			} else {
				s += fmt.Sprintf("/{v%d}", bit)
			}
		}
		out[i] = s + end
	}
	return out
}

func BenchmarkAdversarial(b *testing.B) {
	for _, c := range []struct{ name, end, uri string }{
		{"best", "", "x://h" + strings.Repeat("/a", 10)},
		{"worst_hit", "", "x://h" + strings.Repeat("/a", 9) + "/b"},
		{"alternating", "", "x://h" + strings.Repeat("/a/b", 5)},
		{"miss_at_end", "/end", "x://h" + strings.Repeat("/a", 10) + "/nope"},
		{"miss_length", "", "x://h" + strings.Repeat("/a", 11)},
		{"miss_required", "?k=1{&q}", "x://h" + strings.Repeat("/a", 10) + "?q=1"},
		{"miss_value", "?k=1{&q}", "x://h" + strings.Repeat("/a", 10) + "?k=2"},
		{"miss_query", "{?q}", "x://h" + strings.Repeat("/a", 10) + "?r=1"},
	} {
		ix := newTestIndex(adversarialTemplates(c.end)...)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ix.Find(c.uri); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkServeMux is the same lookup in net/http's router, which has no
// queries, no {+path} but at the end, and no mixed segments, and refuses
// patterns that overlap.
func BenchmarkServeMux(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10000} {
		mux := http.NewServeMux()
		for i := range n {
			forms := []string{
				"/shop/kind%d", "/shop/kind%d/{id}", "/shop/kind%d/{id}/lines", "/shop/kind%d/{id}/lines/{line}/notes/{note}",
				"/search/kind%d", "/files/kind%d/{path...}", "/crm/kind%d/{id}", "/crm/kind%d/{key}/{value}", "/tree/kind%d/{path...}", "/teams/{team}/kind%d/{id}",
			}
			mux.HandleFunc(fmt.Sprintf(forms[i%len(forms)], i/len(forms)), func(http.ResponseWriter, *http.Request) {})
		}
		mid := n / 20
		for _, c := range []struct{ name, path string }{
			{"hit", fmt.Sprintf("/shop/kind%d/12345", mid)},
			{"three", fmt.Sprintf("/shop/kind%d/12345/lines/17/notes/3", mid)},
			{"deep", fmt.Sprintf("/files/kind%d/src/main/java/org/example/app/Main.java", mid)},
			{"miss", fmt.Sprintf("/shop/kind%d/12345/nothing/like/this", mid)},
		} {
			req := httptest.NewRequest("GET", c.path, nil)
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					mux.Handler(req)
				}
			})
		}
	}
}

package engine

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"testing"

	"github.com/mcpdecl/mcpdecl/uritmpl"
)

// resolved is what a URI comes to: an entry with its values, nothing, or a
// refusal.
type resolved struct {
	entry  int
	values []uritmpl.Value
	code   string
}

func resolve(t testing.TB, ix *Index, uri string) resolved {
	t.Helper()
	found, err := ix.Find(uri)
	var values []uritmpl.Value
	if err == nil {
		values, err = found.Values(nil)
	}
	if err == nil {
		return resolved{found.Entry, values, ""}
	}
	var r *uritmpl.Refusal
	if !errors.As(err, &r) {
		t.Fatalf("%s: error is no refusal: %v", uri, err)
	}
	return resolved{-1, nil, r.Code}
}

func newTestIndex(templates ...string) *Index {
	entries := make([]Entry, len(templates))
	for i, s := range templates {
		entries[i].Matcher = uritmpl.MustCompile(s)
	}
	return NewIndex(entries)
}

func TestIndexCases(t *testing.T) {
	b, err := os.ReadFile("../testdata/uri_templates.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			ID           string         `json:"id"`
			Templates    []string       `json:"templates"`
			URI          string         `json:"uri"`
			WantTemplate *int           `json:"want_template"`
			WantVars     map[string]any `json:"want_vars"`
			WantError    string         `json:"want_error"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Cases {
		t.Run(c.ID, func(t *testing.T) {
			got := resolve(t, newTestIndex(c.Templates...), c.URI)
			want := -1
			if c.WantTemplate != nil {
				want = *c.WantTemplate
			}
			if got.entry != want || got.code != c.WantError {
				t.Fatalf("%q <- %s: got entry %d %q, want %d %q", c.Templates, c.URI, got.entry, got.code, want, c.WantError)
			}
			if want < 0 {
				return
			}
			vars := map[string]any{}
			for i, v := range uritmpl.MustCompile(c.Templates[want]).Template().Variables() {
				switch val := got.values[i]; {
				case val.IsList && val.Present:
					list := []any{}
					for _, s := range val.List {
						list = append(list, s)
					}
					vars[v.Name] = list
				case val.Present:
					vars[v.Name] = val.Text
				}
			}
			if !reflect.DeepEqual(vars, c.WantVars) {
				t.Errorf("%q <- %s: got %v, want %v", c.Templates, c.URI, vars, c.WantVars)
			}
		})
	}
}

func TestIndexDotSegments(t *testing.T) {
	path := Entry{Matcher: uritmpl.MustCompile("x://h/{+path}"), AllowDot: []string{"path"}}
	named := Entry{Matcher: uritmpl.MustCompile("x://h/files/{name}/raw")}
	ix := NewIndex([]Entry{path, named})
	for _, c := range []struct {
		uri, code string
		entry     int
	}{
		{"x://h/../etc", "", 0},
		{"x://h/a/%2e%2E/etc", "", 0},
		{"x://h/a%2F..%2Fb", "", 0},
		{"x://h/files/../raw", "dot_segment", -1},  // the other template wins, and refuses
		{"x://h/files/..%2F/raw", "traversal", -1}, // and it never falls through
		{"x://../h", "dot_segment", -1},
		{"y://h/../h", "dot_segment", -1},
		{"x://h/files/a/raw", "", 1},
	} {
		if got := resolve(t, ix, c.uri); got.entry != c.entry || got.code != c.code {
			t.Errorf("%s: got %d %q, want %d %q", c.uri, got.entry, got.code, c.entry, c.code)
		}
	}
}

func TestIndexStatic(t *testing.T) {
	ix := newTestIndex("x://{+p}", "x://Host/A%7e", "x://host/a", "x://h?b=1&a=2")
	for uri, want := range map[string]int{
		"x://Host/A%7e": 1, "X://hOST/A~": 1, "x://HOST/%41%7E": 1,
		"x://host/A": 0, "x://host/a": 2, "x://HOST/a": 2,
		"x://h?b=1&a=2": 3, "x://H?b=1&a=2": 3, "x://h?a=2&b=1": -1,
	} {
		if got := resolve(t, ix, uri); got.entry != want || got.code != "" {
			t.Errorf("%s: got %d %q, want %d", uri, got.entry, got.code, want)
		}
	}
}

func TestIndexCandidates(t *testing.T) {
	ix := newTestIndex("x://h/{+p}", "x://h/{a}/{b}", "x://h/a/b", "x://h/a/{b}", "x://h/{a}/b", "x://h/z")
	want := []Candidate{
		{2, ""}, {3, "static"}, {4, "static"}, {1, "static"}, {0, "static"},
	}
	if got := ix.Candidates("x://h/a/b"); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	want = []Candidate{{3, ""}, {1, "literals"}, {0, "literals"}}
	if got := ix.Candidates("x://h/a/c"); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestIndexNearest(t *testing.T) {
	ix := newTestIndex("shop://orders/{id}/lines", "shop://orders/{id}{?q,limit}", "shop://customers/{id}", "shop://a/{+p}/end")
	for _, c := range []struct {
		uri    string
		entry  int
		offset int
		want   string
	}{
		{"shop://order/5", 0, 12, `expected "/orders/"`},
		{"shop://orders/5/line", 0, 20, `expected "/lines"`},
		{"shop://orders/5?x=1", 1, 16, `unknown query parameter "x"; the template has q, limit`},
		{"shop://orders/5?q=1&q=2", 1, 20, `query parameter "q" stands twice`},
		{"shop://orders/5#top", 1, 15, `expected no fragment`},
		{"shop://customers/", 2, 17, `expected a value for "id"`},
		{"shop://customers", 2, 16, `expected "/{id}"`},
		{"shop://customers/5/x", 2, 18, `expected the end of the path`},
		{"shop://a/b", 3, 9, `expected "{+p}/end"`},
		{"shpo://customers/5", 2, 0, `expected scheme "shop"`},
		{"other://orders/5/lines", 0, 0, `expected scheme "shop"`},
		{"no uri", -1, 0, ""},
	} {
		entry, offset, want := ix.Nearest(c.uri)
		if entry != c.entry || offset != c.offset || want != c.want {
			t.Errorf("%s: got %d, %d, %s, want %d, %d, %s", c.uri, entry, offset, want, c.entry, c.offset, c.want)
		}
	}
}

func TestIndexFindAllocatesNothing(t *testing.T) {
	ix := newTestIndex("x://h/{a}/{b}", "x://h/{+p}.md", "x://h/i-{a}-{b}{?q,r}", "x://h/{a,b}/z", "x://h/st")
	for _, uri := range []string{"x://h/1/2", "x://h/a/b/c.md", "x://h/i-1-2?r=1&q=2", "x://h/1,2/z", "x://h/st", "x://h/none/of/them?"} {
		n := testing.AllocsPerRun(100, func() {
			if _, err := ix.Find(uri); err != nil {
				t.Fatal(err)
			}
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", uri, n)
		}
	}
}

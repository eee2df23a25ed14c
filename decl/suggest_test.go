package decl

import "testing"

func TestSuggest(t *testing.T) {
	names := []string{"title", "description", "uri", "mime_type", "id", "customer", "integer", "query"}
	for given, want := range map[string]string{
		"titel": "title", "tilte": "title", "descripton": "description", "desc": "description", "URI": "uri", "url": "uri",
		"mimetype": "mime_type", "mimeType": "mime_type", "idd": "id", "costumer": "customer", "qeury": "query",
		"sq1": "", "x": "", "port": "", "zzzzzz": "", "title": "", "": "",
	} {
		if got := suggest(given, names); got != want {
			t.Errorf("suggest(%q) = %q, want %q", given, got, want)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"é", "e", 1}, {"ab", "ba", 1}} {
		if got := EditDistance(c.a, c.b); got != c.want || EditDistance(c.b, c.a) != c.want {
			t.Errorf("EditDistance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestList(t *testing.T) {
	for want, names := range map[string][]string{"none": nil, "a": {"a"}, "a and b": {"a", "b"}, "a, b and c": {"a", "b", "c"}} {
		if got := list(names); got != want {
			t.Errorf("list(%v) = %q", names, got)
		}
	}
}

package uritmpl

import (
	"errors"
	"strings"
	"testing"
)

func TestRank(t *testing.T) {
	for template, want := range map[string]Rank{
		"shop://customers/{id}":      {17, 0, 0, 1},
		"x:caf%C3%A9/{a,b}":          {9, 0, 0, 2},
		"x:%7Ea{/b*}":                {4, 1, 1, 1},
		"x:{+a}{.b}/c{;d}{?e,f}":     {4, 1, 4, 5},
		"x:h?k=1{&l}{#m}":            {7, 1, 2, 2},
		"x:h{/a,b}/c/{d}":            {6, 0, 2, 3},
		"test://static/caf\u00e9%7E": {20, 0, 0, 0},
	} {
		if got := MustCompile(template).Rank(); got != want {
			t.Errorf("%s: got %+v, want %+v", template, got, want)
		}
	}
}

func TestNormalize(t *testing.T) {
	for uri, want := range map[string]string{
		"X:a":                          "x:a",
		"Shop://Host/A":                "shop://Host/A",
		"x:%7e%41%2f%C3%a9":            "x:~A%2F%C3%A9",
		"x:\u65e5 \u672c?q=\u00e9#%61": "x:%E6%97%A5%20%E6%9C%AC?q=%C3%A9#a",
		"x:a//b/":                      "x:a//b/",
		"no scheme":                    "no%20scheme",
		"x:a/%2E%2e/b":                 "x:a/../b",
	} {
		if got, err := Normalize(uri); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", uri, got, err, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	m := MustCompile("x:h/{a}{?q*}")
	for _, c := range []struct {
		uri, code string
		offset    int
		parameter string
	}{
		{"x:h/" + strings.Repeat("v", 8189), RefusedTooLong, 8192, ""},
		{"x:h/a\tb", RefusedControlChar, 5, ""},
		{"x:h/a\x7f", RefusedControlChar, 5, ""},
		{"x:h/a%", RefusedBadPercent, 5, ""},
		{"x:h/a?q=%4", RefusedBadPercent, 8, ""},
		{"x:h/a%00", RefusedNUL, 5, ""},
		{"y:other%00", RefusedNUL, 7, ""}, // whatever it matches
		{"x:h/a%C3", RefusedInvalidUTF8, 5, ""},
		{"x:h/a\xff", RefusedInvalidUTF8, 5, ""},
		{"x:h/{a}", RefusedUnexpanded, 4, ""},
		{"x:h/..", RefusedDotSegment, 4, ""},
		{"x:h/%2E", RefusedDotSegment, 4, ""},
		{"x:\u00e9/./h", RefusedDotSegment, 5, ""},
		{"x:h/..%2Fb", RefusedTraversal, 4, "a"},
		{"x:h/%c3%A9%5c..", RefusedTraversal, 4, "a"},
		{"x:h/a?q=b&q=..", RefusedTraversal, 12, "q"},
		{"x:h/a?q=b&q=c/../d", RefusedTraversal, 12, "q"},
	} {
		_, _, err := m.Match(c.uri)
		var r *Refusal
		if !errors.As(err, &r) {
			t.Errorf("%q: got %v, want refusal %s", c.uri, err, c.code)
			continue
		}
		if r.Code != c.code || r.Offset != c.offset || r.Parameter != c.parameter || r.Reason == "" {
			t.Errorf("%q: got %+v, want %s at %d in %q", c.uri, r, c.code, c.offset, c.parameter)
		}
		if len(r.URI) > maxURIInRefusal+3 {
			t.Errorf("%q: refusal repeats %d bytes of the URI", c.code, len(r.URI))
		}
	}
	for _, uri := range []string{"x:h/" + strings.Repeat("v", 8188), "x:h/a..b", "x:h/...", "x:h/a?q=..b", "x:h/a%0A"} {
		if _, ok, err := m.Match(uri); !ok || err != nil {
			t.Errorf("%.20q: got %v, %v, want a match", uri, ok, err)
		}
	}
}

func TestAllowDotSegments(t *testing.T) {
	m := MustCompile("x:{a}/{+p}/{b}").AllowDotSegments("p", "unknown")
	for uri, want := range map[string]string{
		"x:a/../c/b":         "",
		"x:a/b%2F..%2Fc/d":   "",
		"x:../p/b":           RefusedDotSegment,
		"x:a/../..":          RefusedDotSegment,
		"x:a/p/..%2F":        RefusedTraversal,
		"x:a/../..%5Cp/b%2F": "",
	} {
		_, ok, err := m.Match(uri)
		code := ""
		var r *Refusal
		if errors.As(err, &r) {
			code = r.Code
		}
		if code != want || ok != (want == "") {
			t.Errorf("%s: got %v %q, want %q", uri, ok, code, want)
		}
	}
}

func TestReadings(t *testing.T) {
	for _, c := range []struct{ template, uri, want string }{
		{"x:{a}-{b}@{+p}", "x:1-2-3@4@5", "1|2-3|4@5"},
		{"x:{+p}@{a}-{b}", "x:1@2@3-4-5", "1@2|3-4|5"},
		{"x:{a}{.e}", "x:f.", "f.|-"},
		{"x:{a}{.e}", "x:.e", ".e|-"},
		{"x:{a}{.e}-x", "x:v.e-x", "v|e"},
		{"x:{+p}{.e}", "x:a.b/c", "a.b/c|-"},
		{"x:{a,b}{.e}", "x:1,2.e", "1|2|e"},
		{"x:w{.a}.com", "x:w.com", "-"},
		{"x:w{.a}.com", "x:w.com.com", "com"},
		{"x:w{.a}.{b}", "x:w.x", "-|x"},
		{"x:w{.a,b}-{c}", "x:w.1-2", "1|-|2"},
		{"x:{/a,b}/c", "x:/c", "-|-"},
		{"x:{/a,b}/c", "x:/1/c", "1|-"},
		{"x:h{/a}/{b}", "x:h/1", "-|1"},
		{"x:{+p}.x{;b,c}", "x:q.x;b=.x;c=1", "q.x;b=|-|1"},
		{"x:{a}%2F{b}", "x:1%2f2%2F3", "1/2|3"},
		{"x:{a}40{b}", "x:1%40402", "1@|2"},
		{"x:s?k=1&q={q}{&r}", "x:s?r=&q=2&k=1", "2|"},
		{"x:s{?q}", "x:s?q", ""},
		{"x://A{b}C/{d}", "x://aXc/D", "X|D"},
	} {
		m := MustCompile(c.template)
		got, ok, err := m.Match(c.uri)
		if !ok || err != nil {
			t.Errorf("%s <- %s: %v, %v", c.template, c.uri, ok, err)
			continue
		}
		var parts []string
		for _, v := range got.Values {
			if !v.Present {
				v.Text = "-"
			}
			parts = append(parts, v.Text)
		}
		if s := strings.Join(parts, "|"); s != c.want {
			t.Errorf("%s <- %s: got %s, want %s", c.template, c.uri, s, c.want)
		}
	}
}

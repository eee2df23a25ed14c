package http

import (
	"errors"
	nethttp "net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
)

// hostilePayloads are the values of testdata/ssrf.txt.
func hostilePayloads(t testing.TB) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/ssrf.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		p, err := strconv.Unquote(`"` + strings.ReplaceAll(line, `"`, `\"`) + `"`)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		out = append(out, p)
	}
	return out
}

// position is a place of a value in a url, and where it must arrive.
type position struct {
	name, url string
	before    string // the path up to the value
	after     string // the path behind it
	key       string // the only pair of the query that holds it
	slashes   bool   // the value may have slashes
	list      bool
}

var positions = []position{
	{name: "segment", url: "/users/{id}", before: "/v2/users/"},
	{name: "inner", url: "/users/{id}/posts", before: "/v2/users/", after: "/posts"},
	{name: "relative", url: "{id}", before: "/v2/"},
	{name: "part", url: "/p-{id}.json", before: "/v2/p-", after: ".json"},
	{name: "reserved", url: "/files/{+id}", before: "/v2/files/", slashes: true},
	{name: "reserved_inner", url: "/files/{+id}/raw", before: "/v2/files/", after: "/raw", slashes: true},
	{name: "reserved_only", url: "{+id}", before: "/v2/", slashes: true},
	{name: "path", url: "/x{/id}", before: "/v2/x/"},
	{name: "exploded", url: "/x{/id*}", before: "/v2/x/", list: true},
	{name: "label", url: "/x{.id}", before: "/v2/x."},
	{name: "matrix", url: "/x{;id}", before: "/v2/x;id="},
	{name: "query", url: "/s{?id}", before: "/v2/s", key: "id"},
	{name: "pair", url: "/s?q={id}", before: "/v2/s", key: "q"},
	{name: "further", url: "/s?a=1{&id}", before: "/v2/s", key: "id"},
	{name: "exploded_query", url: "/s{?id*}", before: "/v2/s", key: "id", list: true},
}

func positionConfig() string {
	var b strings.Builder
	b.WriteString("connection \"http\" \"api\" {\n base_url = \"BASE/v2\"\n bearer = \"token-of-the-connection\"\n}\n")
	for _, p := range positions {
		v := "{id}"
		if p.list {
			v = "{/id*}"
		}
		b.WriteString("resource \"" + p.name + "\" {\n uri = \"t://" + p.name + "/x" + v + "\"\n source \"http\" {\n connection = connection.http.api\n url = \"" + p.url + "\"\n }\n}\n")
	}
	b.WriteString(`
resource "header" {
  uri = "t://header/{id}"
  source "http" {
    connection = connection.http.api
    url        = "/h"
    headers    = { "X-Value" = param.id }
  }
}
resource "body" {
  uri = "t://body/{id}"
  source "http" {
    connection = connection.http.api
    url        = "/b"
    method     = "POST"
    json_body  = { value = param.id }
  }
}
`)
	return b.String()
}

// recorder keeps the last request as it came over the wire.
type recorder struct {
	mu   sync.Mutex
	seen *nethttp.Request
	n    int
}

func (r *recorder) ServeHTTP(w nethttp.ResponseWriter, req *nethttp.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen, r.n = req, r.n+1
	_, _ = w.Write([]byte("ok"))
}

func (r *recorder) take() *nethttp.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	req := r.seen
	r.seen = nil
	return req
}

// TestC1_HostileValues puts every hostile value into every place. It is
// refused, or arrives as nothing but data where it was put.
func TestC1_HostileValues(t *testing.T) {
	payloads := hostilePayloads(t)
	if len(payloads) < 150 {
		t.Fatalf("only %d values", len(payloads))
	}
	r := &recorder{}
	server := serve(t, r.ServeHTTP)
	f := open(t, server, positionConfig())
	sent, refused := 0, 0
	for _, p := range positions {
		for _, v := range payloads {
			var param any = v
			if p.list {
				param = []string{v}
			}
			_, err := f.read(p.name, param)
			got := r.take()
			if err != nil {
				refused++
				var broken *decl.Broken
				if !errors.As(err, &broken) || got != nil {
					t.Errorf("%s %q: %v, request %v", p.name, v, err, got)
				}
				continue
			}
			sent++
			if complaint := p.check(got, server.Listener.Addr().String(), v); complaint != "" {
				t.Errorf("%s %q: %s %q", p.name, v, complaint, got.RequestURI)
			}
		}
	}
	t.Logf("%d values, %d places: %d sent as data, %d refused", len(payloads), len(positions), sent, refused)
	if sent < 500 || refused < 500 {
		t.Errorf("sent %d, refused %d: the test does not see both", sent, refused)
	}
}

// check says what is wrong with a request that a value has made.
func (p *position) check(req *nethttp.Request, host, value string) string {
	if req == nil {
		return "nothing arrived"
	}
	if req.Host != host || req.Header.Get("X-Injected") != "" {
		return "another host or header"
	}
	route, query, _ := strings.Cut(req.RequestURI, "?")
	rest, ok := strings.CutPrefix(route, p.before)
	if !ok || !strings.HasSuffix(rest, p.after) {
		return "another path"
	}
	rest = strings.TrimSuffix(rest, p.after)
	if p.key == "" {
		if !p.slashes && strings.Contains(rest, "/") || query != "" {
			return "more than one segment"
		}
		once, err := url.PathUnescape(rest)
		if err != nil || once != value {
			return "another value"
		}
		return ""
	}
	pairs, err := url.ParseQuery(query)
	pairs.Del("a")
	if err != nil || rest != "" || len(pairs) != 1 || len(pairs[p.key]) != 1 || pairs.Get(p.key) != value {
		return "another query"
	}
	return ""
}

// TestC4_HostileHeaderValues: what has a line break is refused without being
// shown, anything else arrives as it is.
func TestC4_HostileHeaderValues(t *testing.T) {
	r := &recorder{}
	f := open(t, serve(t, r.ServeHTTP), positionConfig())
	for _, v := range hostilePayloads(t) {
		_, err := f.read("header", v)
		got := r.take()
		var bad *decl.Broken
		switch {
		case strings.ContainsAny(v, "\r\n\x00\x1b\x7f\v"):
			if !errors.As(err, &bad) || bad.Parameter != "id" || got != nil || strings.Contains(err.Error(), "Injected") || strings.Contains(err.Error(), v) {
				t.Errorf("%q: %v", v, err)
			}
		case err != nil || got.Header.Get("X-Value") != strings.Trim(v, " \t") || got.Header.Get("X-Injected") != "":
			t.Errorf("%q: %v", v, err)
		}
		if _, err := f.read("body", v); err != nil {
			t.Errorf("body %q: %v", v, err)
		}
		if got = r.take(); got == nil || got.RequestURI != "/v2/b" {
			t.Errorf("body %q: request %v", v, got)
		}
	}
}

// FuzzURL: whatever the values, the request goes to the scheme, the host and
// below the path of the connection, and to the endpoint of the template.
func FuzzURL(f *testing.F) {
	for _, v := range hostilePayloads(f) {
		f.Add(v, "x", int64(1))
		f.Add("x", v, int64(-1))
	}
	fx := openIn(f, f.TempDir(), strings.ReplaceAll(positionConfig(), "BASE", "https://api.example.com:8443"))
	mixed := openIn(f, f.TempDir(), strings.ReplaceAll(`
connection "http" "api" { base_url = "https://api.example.com:8443/v2" }
resource "r" {
  uri = "t://r/{a}/{b}/{n}"
  param "n" { type = integer }
  source "http" {
    connection = connection.http.api
    url        = "/t/{a}{b}/{+b}/{a,n}{/b,a}{?a,b}"
  }
}`, "BASE", ""))
	f.Fuzz(func(t *testing.T, a, b string, n int64) {
		for _, p := range positions {
			var param any = a
			if p.list {
				param = []string{a, b}
			}
			u, err := urlOf(fx, p.name, param)
			if err == nil {
				checkBelow(t, u, p.before)
			}
		}
		if u, err := urlOf(mixed, "r", a, b, n); err == nil {
			checkBelow(t, u, "/v2/t/")
		}
	})
}

func urlOf(f *fixture, name string, params ...any) (*url.URL, error) {
	return f.sources[name].(*source).url(&sources.Request{Params: params})
}

func checkBelow(t *testing.T, u *url.URL, before string) {
	t.Helper()
	// What goes over the wire is the text, so that is read again.
	again, err := url.ParseRequestURI(u.String())
	if err != nil {
		t.Fatalf("%q: %v", u, err)
	}
	if again.Scheme != "https" || again.Host != "api.example.com:8443" || again.User != nil || again.Fragment != "" || u.Opaque != "" {
		t.Fatalf("%q leaves the origin", u)
	}
	if !strings.HasPrefix(u.EscapedPath(), strings.TrimSuffix(before, "=")) || climbs(u.EscapedPath()) || strings.Contains(u.EscapedPath(), "//") {
		t.Fatalf("%q leaves its path", u)
	}
	if strings.ContainsAny(u.RequestURI(), " \r\n\x00\\#") {
		t.Fatalf("%q has a character that is not of a URL", u)
	}
}

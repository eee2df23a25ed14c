package http

import (
	"encoding/json"
	"fmt"
	"io"
	nethttp "net/http"
	"strings"
	"sync"
	"testing"
)

// echo answers with what it was asked.
func echo(w nethttp.ResponseWriter, r *nethttp.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "text/plain")
	fmt.Fprintf(w, "%s %s\n", r.Method, r.RequestURI)
	for _, name := range []string{"Authorization", "Content-Type", "Content-Length", "User-Agent", "X-A", "X-B"} {
		if v, ok := r.Header[name]; ok {
			fmt.Fprintf(w, "%s: %s\n", name, strings.Join(v, "|"))
		}
	}
	fmt.Fprintf(w, "%d\n%s", r.ContentLength, body)
}

func TestRequests(t *testing.T) {
	server := serve(t, echo)
	f := open(t, server, `
connection "http" "api" {
  base_url = "BASE/v2/"
  headers  = { "x-a" = "of the connection", X-B = "kept" }
  basic_auth {
    user     = "ada"
    password = env("PASSWORD")
  }
}
connection "http" "bare" { 
  base_url = "BASE"
  headers  = { User-Agent = "shop/1" }
}
resource "get" {
  uri = "t://get/{id}{?q,n,tag*}"
  param "n" { type = integer }
  param "id" {
    type = integer
  }
  source "http" {
    connection = connection.http.api
    url        = "items/{id}{?q,n,tag*}"
    headers    = { X-A = "n ${coalesce(param.n, 0)}", X-B = param.q }
  }
}
resource "post" {
  uri = "t://post/{id}/{ok}{?q}"
  param "id" { type = integer }
  param "ok" { type = bool }
  source "http" {
    connection = connection.http.bare
    url        = "/graphql"
    method     = "POST"
    json_body  = { query = "query($n: Int!) { x }", variables = { n = param.id, ok = param.ok, q = param.q, secret = env("PASSWORD"), list = [1.5] } }
  }
}
resource "text" {
  uri = "t://text/{q}"
  source "http" {
    connection = connection.http.bare
    url        = "?fixed=1{&q}"
    method     = "POST"
    body       = "<q>${param.q}</q>"
    headers    = { Content-Type = "application/xml" }
  }
}
resource "empty" {
  uri = "t://empty"
  source "http" {
    connection = connection.http.bare
    url        = ""
    method     = "POST"
  }
}
`, "PASSWORD=pa:ss wörd\n")
	const auth = "Authorization: Basic YWRhOnBhOnNzIHfDtnJk\n"
	for _, c := range []struct{ got, want string }{
		{f.text("get", int64(7), "a b&c", int64(3), []string{"x", "y/z"}),
			"GET /v2/items/7?q=a%20b%26c&n=3&tag=x&tag=y%2Fz\n" + auth + "User-Agent: mcpdecl\nX-A: n 3\nX-B: a b&c\n0\n"},
		{f.text("get", int64(7), nil, nil, []string{}), "GET /v2/items/7\n" + auth + "User-Agent: mcpdecl\nX-A: n 0\nX-B: kept\n0\n"},
		{f.text("post", int64(420465847726953123), true, nil),
			"POST /graphql\nContent-Type: application/json\nContent-Length: 158\nUser-Agent: shop/1\n158\n" +
				`{"query":"query($n: Int!) { x }","variables":{"list":[1.5],"n":420465847726953123,"ok":true,"q":null,"secret":"pa:ss wörd"}}`},
		{f.text("text", "a<b"), "POST /?fixed=1&q=a%3Cb\nContent-Type: application/xml\nContent-Length: 10\nUser-Agent: shop/1\n10\n<q>a<b</q>"},
		{f.text("empty"), "POST /\nContent-Length: 0\nUser-Agent: shop/1\n0\n"},
	} {
		got := c.got
		if strings.Contains(c.want, "158") { // the length follows from the body
			_, body, _ := strings.Cut(got, "\n{")
			c.want = strings.ReplaceAll(c.want, "158", fmt.Sprint(len(body)+1))
		}
		if got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}

func TestC4_TrailingNewlines(t *testing.T) {
	server := serve(t, echo)
	f := open(t, server, one("bearer = env(\"T\")\nheaders = { X-A = \"${var.t}\" }", "url = \"/x\"\nheaders = { X-B = env(\"U\") }")+
		"\nvariable \"t\" {\n default = \"from a file\\n\"\n}\n", "T=token\n", "U=u\r\n")
	if got := f.text("r"); !strings.Contains(got, "Authorization: Bearer token\n") || !strings.Contains(got, "X-A: from a file\nX-B: u\n") {
		t.Errorf("got %s", got)
	}
}

// TestC7_NothingSecretInErrors sends secrets in every place and looks for them
// in every error.
func TestC7_NothingSecretInErrors(t *testing.T) {
	const secret = "S3CR3T"
	closed := serve(t, nil)
	closed.Close()
	for name, base := range map[string]string{
		"refused": closed.URL, "no such host": "http://no-such-name.invalid", "refused TLS": "https" + strings.TrimPrefix(closed.URL, "http"),
		"404": reply(t, 404, "", secret).URL, "503": reply(t, 503, "", secret).URL, "401": reply(t, 401, "text/plain", secret).URL, "bad": reply(t, 200, "text/html", secret).URL,
		"echoing": serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
			w.Header().Set("Location", "http://other.example"+r.RequestURI)
			w.WriteHeader(302)
		}).URL,
	} {
		f := openIn(t, t.TempDir(), strings.ReplaceAll(`
connection "http" "api" {
  base_url = "BASE"
  bearer   = env("S")
  headers  = { X-Key = env("S") }
  timeout  = "5s"
  retry { max = 1 }
}
resource "r" {
  uri = "t://r"
  source "http" {
    connection = connection.http.api
    url        = "/x?token=${env("S")}"
    method     = "POST"
    json_body  = { token = env("S") }
    headers    = { X-Other = env("S") }
    items      = body.list
  }
}`, "BASE", base), "S="+secret)
		_, err := f.read("r")
		if err == nil || strings.Contains(err.Error(), secret) || strings.Contains(publicText(err), base) || strings.Contains(err.Error(), "token=") {
			t.Errorf("%s: %v", name, err)
		}
		plan, err := f.sources["r"].Explain(f.request("r"))
		if out, _ := json.Marshal(plan); err != nil || strings.Contains(string(out), secret) {
			t.Errorf("%s: explain %s %v", name, out, err)
		}
	}
}

func TestExplain(t *testing.T) {
	f := openIn(t, t.TempDir(), `
connection "http" "api" { base_url = "https://api.example.com/v2" }
connection "http" "hidden" { base_url = env("BASE") }
resource "r" {
  uri = "t://r/{id}{?q}"
  source "http" {
    connection = connection.http.api
    url        = "/x/{id}{?q}"
    method     = "POST"
    headers    = { X-A = param.id, X-B = env("KEY"), X-C = param.q }
    json_body  = { q = param.q }
  }
}
resource "h" {
  uri = "t://h/{id}"
  source "http" {
    connection = connection.http.hidden
    url        = "/x/{id}"
  }
}
`, "BASE=https://internal.example/base", "KEY=k3y")
	for _, c := range []struct {
		name   string
		params []any
		want   string
	}{
		{"r", []any{"a/b", nil}, `{"kind":"http","connection":"http.api","bound":[{"name":"header X-A","value":"a/b"},{"name":"header X-B","value":"(secret)"},{"name":"body","value":"{\"q\":null}"}],"method":"POST","url":"https://api.example.com/v2/x/a%2Fb"}`},
		{"r", []any{"a", "c d"}, `{"kind":"http","connection":"http.api","bound":[{"name":"header X-A","value":"a"},{"name":"header X-B","value":"(secret)"},{"name":"header X-C","value":"c d"},{"name":"body","value":"{\"q\":\"c d\"}"}],"method":"POST","url":"https://api.example.com/v2/x/a?q=c%20d"}`},
		{"h", []any{"a"}, `{"kind":"http","connection":"http.hidden","method":"GET","url":"(secret)/x/a"}`},
	} {
		plan, err := f.sources[c.name].Explain(f.request(c.name, c.params...))
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := json.Marshal(plan); string(got) != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	if _, err := f.sources["r"].Explain(f.request("r", "..", nil)); err == nil {
		t.Error("a refused value is explained")
	}
}

func TestConcurrentReads(t *testing.T) {
	f := open(t, serve(t, echo), strings.Replace(one("forward_headers = [\"X-B\"]", "url = \"/x/{n}\"\nheaders = { X-A = param.n }"), "t://r", "t://r/{n}", 1))
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			for k := range 20 {
				n := fmt.Sprint(i*100 + k)
				res, err := f.read("r", n)
				if err != nil || !strings.HasPrefix(string(res.Contents[0].Data), "GET /x/"+n+"\n") || !strings.Contains(string(res.Contents[0].Data), "X-A: "+n+"\n") {
					t.Errorf("%s: %v", n, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

package http

import (
	"errors"
	"io"
	nethttp "net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpdecl/mcpdecl/sources"
)

func TestC3_RedirectsLeaveTheOriginNever(t *testing.T) {
	var elsewhere atomic.Int64
	other := serve(t, func(nethttp.ResponseWriter, *nethttp.Request) { elsewhere.Add(1) })
	for _, location := range []string{
		"http://169.254.169.254/latest/meta-data/", "//169.254.169.254/", other.URL + "/x", "https://SELF/x", "ftp://SELF/x",
		"http://user:pass@SELF/x", "http://SELF.evil.example/", "http://evil.example\\@SELF/", "javascript:alert(1)", "file:///etc/passwd",
		strings.Replace(other.URL, "127.0.0.1", "localhost", 1), "http://[::1]:1/", "http:///x", "%zz://", "http://SELF:1x/", "http://%7f/",
	} {
		var requests atomic.Int64
		server := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
			requests.Add(1)
			w.Header().Set("Location", strings.ReplaceAll(location, "SELF", r.Host)+"?token=abcdef")
			w.WriteHeader(302)
		})
		f := open(t, server, one("bearer = \"secret-token\""+quickRetry, `url = "/x"`))
		_, err := f.read("r")
		var refused *RedirectError
		if !errors.As(err, &refused) || publicText(err) != "upstream redirected (status 302), which is not followed" || requests.Load() != 1 {
			t.Errorf("%s: %v after %d requests", location, err, requests.Load())
			continue
		}
		if strings.Contains(err.Error(), "abcdef") || strings.Contains(err.Error(), "secret-token") || strings.Contains(err.Error(), "pass@") {
			t.Errorf("%s: a secret is in %v", location, err)
		}
		if location == "http://169.254.169.254/latest/meta-data/" && !strings.Contains(err.Error(), `"169.254.169.254"`) {
			t.Errorf("the host is not named: %v", err)
		}
	}
	if elsewhere.Load() > 0 {
		t.Error("a redirect was followed to another origin")
	}
}

func TestRedirectsWithinTheOrigin(t *testing.T) {
	var authorized atomic.Int64
	server := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.Header.Get("Authorization") == "Bearer secret-token" {
			authorized.Add(1)
		}
		switch r.URL.Path {
		case "/a":
			nethttp.Redirect(w, r, "/b?x=1#frag", nethttp.StatusFound)
		case "/b":
			nethttp.Redirect(w, r, "http://"+r.Host+"/c", nethttp.StatusPermanentRedirect)
		case "/c":
			body, _ := io.ReadAll(r.Body)
			_, _ = io.WriteString(w, r.Method+" "+r.Header.Get("Referer")+string(body))
		case "/loop":
			nethttp.Redirect(w, r, "/loop", nethttp.StatusFound)
		case "/keep":
			nethttp.Redirect(w, r, "/c", nethttp.StatusTemporaryRedirect)
		}
	})
	const bearer = "bearer = \"secret-token\"\n"
	if got := open(t, server, one(bearer, `url = "/a"`)).text("r"); got != "GET " || authorized.Load() != 3 {
		t.Errorf("%q, %d requests", got, authorized.Load())
	}
	var refused *RedirectError
	if _, err := open(t, server, one(bearer+"redirects = \"none\"", `url = "/a"`)).read("r"); !errors.As(err, &refused) {
		t.Errorf("none: %v", err)
	}
	authorized.Store(0)
	if _, err := open(t, server, one(bearer+quickRetry, `url = "/loop"`)).read("r"); !errors.As(err, &refused) || authorized.Load() != maxRedirects+1 {
		t.Errorf("loop: %v after %d requests", err, authorized.Load())
	}
	const post = "method = \"POST\"\nbody = \"q\"\n"
	if _, err := open(t, server, one(bearer, "url = \"/a\"\n"+post)).read("r"); !errors.As(err, &refused) {
		t.Errorf("a POST with 302: %v", err)
	}
	if got := open(t, server, one(bearer, "url = \"/keep\"\n"+post)).text("r"); got != "POST q" {
		t.Errorf("a POST with 307: %q", got)
	}
}

func TestC10_ForwardedHeaders(t *testing.T) {
	var seen []string
	server := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		seen = append(seen, r.URL.Path+":"+strings.Join(r.Header.Values("X-User"), "+")+":"+r.Header.Get("X-Other")+r.Header.Get("Authorization"))
		if r.URL.Path == "/a" {
			nethttp.Redirect(w, r, "/b", nethttp.StatusFound)
			return
		}
		_, _ = io.WriteString(w, "ok")
	})
	caller := nethttp.Header{"X-User": {"ada", "eve"}, "X-Other": {"no"}, "Authorization": {"Bearer of-the-caller"}}
	f := open(t, server, one("forward_headers = [\"x-user\"]", `url = "/a"`))
	f.ctx = sources.WithCaller(f.ctx, caller)
	res, err := f.read("r")
	if err != nil || !res.PerCaller {
		t.Fatalf("%+v %v", res, err)
	}
	f.ctx = t.Context() // as over stdio
	_, _ = f.read("r")
	plain := open(t, server, one("", `url = "/a"`)) // not opted in
	plain.ctx = sources.WithCaller(plain.ctx, caller)
	_, _ = plain.read("r")
	if got, want := strings.Join(seen, " "), "/a:ada+eve: /b:: /a:: /b:: /a:: /b::"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

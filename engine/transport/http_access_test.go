package transport_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcpdecl/mcpdecl/engine/transport"
)

func TestS10_Host(t *testing.T) {
	w := startWeb(t, anyShop(), transport.HTTPOptions{AllowedHosts: []string{"MCP.example.com", "other.example:8443"}, Listen: "inside.example:80"})
	for host, ok := range map[string]bool{
		"mcp.example.com": true, "mcp.example.com:443": true, "Mcp.Example.com.": true,
		"other.example:8443": true, "other.example": false, "other.example:80": false,
		"inside.example": true, "localhost:1234": true, "127.0.0.1": true, "[::1]:80": true, "127.1.2.3": true,
		"evil.example": false, "mcp.example.com.evil.example": false, "10.0.0.1": false, "localhost.evil.example": false,
		"0.0.0.0": false,
	} {
		for _, headers := range [][]string{modernHeaders("tools/list", ""), nil} {
			body := modernBody("tools/list", "")
			if headers == nil {
				body = initialize
			}
			r, _ := w.post(body, append(slices.Clone(headers), "Host", host)...)
			if ok && (r.status != 200 || r.Error != nil) {
				t.Errorf("Host %s: %d %s", host, r.status, r.raw)
			}
			if !ok && (r.status != 403 || !strings.Contains(r.Error.Message, "--allowed-host")) {
				t.Errorf("Host %s: %d %s", host, r.status, r.raw)
			}
		}
	}
	open := startWeb(t, anyShop(), transport.HTTPOptions{AllowedHosts: []string{"*"}})
	if r := open.call("tools/list", "", "Host", "evil.example"); r.Error != nil {
		t.Errorf("with *: %s", r.raw)
	}
	for _, bad := range []string{"https://mcp.example.com", "a b", "", "*.example.com"} {
		if _, err := transport.NewHTTP(anyShop(), transport.HTTPOptions{AllowedHosts: []string{bad}}); err == nil {
			t.Errorf("allowed host %q is taken", bad)
		}
	}
}

func TestS11_Origin(t *testing.T) {
	w := startWeb(t, anyShop(), transport.HTTPOptions{AllowedOrigins: []string{"https://app.example.com", "http://localhost:6274/"}})
	session := w.session()
	for _, c := range []struct {
		headers []string
		ok      bool
	}{
		{nil, true},
		{[]string{"Origin", "http://evil.example"}, false},
		{[]string{"Origin", "null"}, false},
		{[]string{"Origin", "http://app.example.com"}, false},
		{[]string{"Origin", "https://app.example.com.evil.example"}, false},
		{[]string{"Origin", "http://localhost:1"}, false},
		{[]string{"Origin", "https://app.example.com"}, true},
		{[]string{"Origin", "https://app.example.com", "Sec-Fetch-Site", "cross-site"}, true},
		{[]string{"Origin", "http://localhost:6274"}, true},
		{[]string{"Origin", "http://" + w.addr}, true},
		{[]string{"Origin", "http://" + w.addr, "Sec-Fetch-Site", "same-origin"}, true},
		{[]string{"Sec-Fetch-Site", "cross-site"}, false},
	} {
		r := w.call("tools/list", "", c.headers...)
		if c.ok && (r.status != 200 || r.Error != nil) || !c.ok && (r.status != 403 || !strings.Contains(r.Error.Message, "--allowed-origin")) {
			t.Errorf("%v: %d %s", c.headers, r.status, r.raw)
		}
		r, _ = w.post(readLine(1, "shop://hello"), append(slices.Clone(session), c.headers...)...)
		if c.ok != (r.status == 200) {
			t.Errorf("%v, older protocol: %d %s", c.headers, r.status, r.raw)
		}
	}
	// GET, which http.CrossOriginProtection does not look at.
	res := w.request(http.MethodGet, append(slices.Clone(session), "Origin", "http://evil.example", "Accept", "text/event-stream")...)
	res.Body.Close()
	if res.StatusCode != 403 {
		t.Errorf("GET: %d", res.StatusCode)
	}
	for _, bad := range []string{"app.example.com", "https://app.example.com/path", ""} {
		if _, err := transport.NewHTTP(anyShop(), transport.HTTPOptions{AllowedOrigins: []string{bad}}); err == nil {
			t.Errorf("allowed origin %q is taken", bad)
		}
	}
}

func TestS11_Preflight(t *testing.T) {
	w := startWeb(t, anyShop(), transport.HTTPOptions{AllowedOrigins: []string{"https://app.example.com"}})
	ask := []string{"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type, mcp-param-region, x-evil"}
	res := w.request(http.MethodOptions, append(ask, "Origin", "https://app.example.com")...)
	res.Body.Close()
	if res.StatusCode != 204 || res.Header.Get("Access-Control-Allow-Origin") != "https://app.example.com" {
		t.Errorf("got %d %v", res.StatusCode, res.Header)
	}
	allowed := strings.ToLower(res.Header.Get("Access-Control-Allow-Headers"))
	for _, h := range []string{"mcp-session-id", "mcp-protocol-version", "last-event-id", "authorization", "content-type", "mcp-method", "mcp-name", "mcp-param-region"} {
		if !slices.Contains(strings.Split(allowed, ", "), h) {
			t.Errorf("%s is not in %q", h, allowed)
		}
	}
	if strings.Contains(allowed, "x-evil") {
		t.Errorf("any header is allowed: %q", allowed)
	}
	for _, m := range []string{"GET", "POST", "DELETE"} {
		if !strings.Contains(res.Header.Get("Access-Control-Allow-Methods"), m) {
			t.Errorf("methods: %q", res.Header.Get("Access-Control-Allow-Methods"))
		}
	}
	evil := w.request(http.MethodOptions, append(ask, "Origin", "http://evil.example")...)
	evil.Body.Close()
	if evil.StatusCode != 403 || evil.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("evil.example: %d %v", evil.StatusCode, evil.Header)
	}
	_, h := w.post(initialize, "Origin", "https://app.example.com")
	if h.Get("Access-Control-Allow-Origin") != "https://app.example.com" || !strings.Contains(h.Get("Access-Control-Expose-Headers"), "Mcp-Session-Id") || h.Get("Vary") != "Origin" {
		t.Errorf("the answer of a call: %v", h)
	}
}

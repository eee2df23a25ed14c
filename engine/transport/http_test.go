package transport_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpdecl/mcpdecl/engine"
	"github.com/mcpdecl/mcpdecl/engine/transport"
)

// newsServer has something to listen for.
func newsServer() *mcp.Server {
	return mcp.NewServer(&mcp.Implementation{Name: "news"}, &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{Resources: &mcp.ResourceCapabilities{ListChanged: true}},
	})
}

func TestS5_BadBodiesAreAnswered(t *testing.T) {
	w := startWeb(t, anyShop(), transport.HTTPOptions{MaxBody: 64 << 10})
	session := w.session()
	modern := modernHeaders("resources/read", `{"uri":"shop://hello"}`)
	for name, c := range map[string]struct {
		body    string
		headers []string
		status  int
		code    int
	}{
		"not JSON":               {`hello`, session, 400, -32700},
		"not JSON, modern":       {`hello`, modern, 400, -32700},
		"nothing":                {``, session, 400, -32700},
		"not UTF-8":              {"\"\xff\"", session, 400, -32700},
		"no version":             {`{"id":1,"method":"ping"}`, session, 400, -32600},
		"no version, modern":     {`{"id":1,"method":"ping"}`, modern, 400, -32600},
		"id over 53 bits":        {`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, session, 400, -32600},
		"id null":                {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, session, 400, -32600},
		"params a list":          {`{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, session, 400, -32602},
		"too long":               {`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"` + strings.Repeat("x", 64<<10) + `"}}`, session, 413, -32600},
		"no session":             {readLine(1, "shop://hello"), nil, 400, -32600},
		"a batch and no session": {`[` + readLine(1, "shop://hello") + `]`, nil, 400, -32600},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := w.post(c.body, c.headers...)
			r.wantError(t, c.code)
			if r.status != c.status {
				t.Errorf("status %d, want %d", r.status, c.status)
			}
			first(w.post(readLine(2, "shop://hello"), session...)).wantText(t, "hello")
		})
	}
}

func TestRefusalsOfTheSDKAreAnswers(t *testing.T) {
	w := startWeb(t, anyShop(), transport.HTTPOptions{})
	session := w.session()
	for name, c := range map[string]struct {
		body    string
		headers []string
		status  int
		code    int
	}{
		"unknown method":         {`{"jsonrpc":"2.0","id":1,"method":"tasks/list"}`, session, 200, -32601},
		"unknown method, modern": {modernBody("tasks/list", ""), modernHeaders("tasks/list", ""), 404, -32601},
		"no params":              {`{"jsonrpc":"2.0","id":1,"method":"resources/read"}`, session, 400, -32600},
		"no params, modern":      {`{"jsonrpc":"2.0","id":1,"method":"resources/read"}`, modernHeaders("resources/read", ""), 400, -32600},
		"unknown session":        {readLine(1, "shop://hello"), []string{"Mcp-Session-Id", "nope"}, 404, -32600},
		"unknown version":        {readLine(1, "shop://hello"), []string{"Mcp-Session-Id", session[1], "MCP-Protocol-Version", "1999-01-01"}, 400, -32600},
		"later version":          {strings.Replace(modernBody("tools/list", ""), "2026-07-28", "2099-01-01", 1), []string{"MCP-Protocol-Version", "2099-01-01", "Mcp-Method", "tools/list"}, 400, -32022},
		"params of other types":  {`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":5}}`, session, 200, -32602},
		"initialize twice":       {initialize, session, 200, -32600},
		"bad initialize":         {`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":5}}`, nil, 400, -32602},
		"initialize of null":     {`{"jsonrpc":"2.0","id":1,"method":"initialize","params":null}`, nil, 400, -32602},
		"header of another call": {modernBody("tools/list", ""), modernHeaders("prompts/list", ""), 400, -32020},
		"one type accepted":      {readLine(1, "shop://hello"), append(slices.Clone(session), "Accept", "text/event-stream"), 400, -32600},
	} {
		t.Run(name, func(t *testing.T) {
			r, h := w.post(c.body, c.headers...)
			r.wantError(t, c.code)
			if r.status != c.status {
				t.Errorf("status %d, want %d: %s", r.status, c.status, r.raw)
			}
			if r.status != 200 && h.Get("Content-Type") != "application/json" {
				t.Errorf("Content-Type %q", h.Get("Content-Type"))
			}
		})
	}
}

func TestSessionsAreBounded(t *testing.T) {
	w := startWeb(t, anyShop(), transport.HTTPOptions{MaxSessions: 2})
	one := w.session()
	w.session()
	r, _ := w.post(initialize)
	if r.status != 503 || r.Error == nil {
		t.Errorf("got %d %s", r.status, r.raw)
	}
	w.call("resources/read", readParams("shop://hello")).wantText(t, "hello") // needs none
	w.request(http.MethodDelete, one...).Body.Close()
	w.session()
}

func TestVersionInTheBodyOnly(t *testing.T) {
	w := startWeb(t, anyShop(), transport.HTTPOptions{})
	r, _ := w.post(modernBody("resources/read", `{"uri":"shop://hello"}`))
	r.wantError(t, -32020) // the header is missing, not "this version is unknown"
}

// request sends a request without a body to /mcp.
func (w *web) request(method string, headers ...string) *http.Response {
	w.t.Helper()
	req, _ := http.NewRequest(method, w.url+"/mcp", nil)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := w.client.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	return res
}

func TestS12_EveryProcessAnswersAlike(t *testing.T) {
	a, b := startWeb(t, anyShop(), transport.HTTPOptions{}), startWeb(t, anyShop(), transport.HTTPOptions{})
	for i := range 6 {
		w := []*web{a, b}[i%2]
		w.call("server/discover", "").wantNoError(t)
		w.call("resources/read", readParams("shop://hello")).wantText(t, "hello")
	}
}

func (r reply) wantNoError(t *testing.T) {
	t.Helper()
	if r.Error != nil {
		t.Errorf("got %s", r.raw)
	}
}

func TestHealthAndReadiness(t *testing.T) {
	var failure error
	w := startWeb(t, anyShop(), transport.HTTPOptions{Ready: func() error { return failure }})
	get := func(path string) string {
		req, _ := http.NewRequest(http.MethodGet, w.url+path, nil)
		req.Host = "probe.example" // probes come with any Host
		res, err := w.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		return fmt.Sprint(res.StatusCode, " ", strings.TrimSpace(string(body)))
	}
	if got := get("/healthz"); got != "200 ok" {
		t.Errorf("/healthz: %s", got)
	}
	if got := get("/readyz"); got != "200 ready" {
		t.Errorf("/readyz: %s", got)
	}
	failure = errors.New("shop.hcl:3: error")
	if got := get("/readyz"); got != "503 shop.hcl:3: error" {
		t.Errorf("/readyz: %s", got)
	}
	if got := get("/healthz"); got != "200 ok" {
		t.Errorf("/healthz of a server that is not ready: %s", got)
	}
	if got := get("/other"); !strings.HasPrefix(got, "404") {
		t.Errorf("/other: %s", got)
	}
}

func TestS2_PanicInHTTPItself(t *testing.T) {
	w := startWeb(t, anyShop(), transport.HTTPOptions{Ready: func() error { panic("not ready with s3cret") }})
	res, err := w.client.Get(w.url + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	r := w.message(res)
	r.wantError(t, -32603)
	if r.status != 500 || strings.Contains(string(r.raw), "s3cret") || !strings.Contains(w.log.String(), "s3cret") {
		t.Errorf("got %d %s, log %s", r.status, r.raw, w.log)
	}
	w.call("resources/read", readParams("shop://hello")).wantText(t, "hello")
}

func TestClientThatLeavesCancelsItsRead(t *testing.T) {
	started, cancelled := make(chan struct{}), make(chan struct{})
	slow := func(ctx context.Context) { close(started); <-ctx.Done(); close(cancelled) }
	w := startWeb(t, newShop(shop{slow: slow}, engine.ServerOptions{}), transport.HTTPOptions{})
	params := readParams("shop://slow")
	ctx, cancel := context.WithCancel(context.Background())
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, w.url+"/mcp", strings.NewReader(modernBody("resources/read", params)))
	h := append(modernHeaders("resources/read", params), "Content-Type", "application/json", "Accept", "application/json, text/event-stream")
	for i := 0; i < len(h); i += 2 {
		req.Header.Set(h[i], h[i+1])
	}
	go w.client.Do(req)
	await(t, started)
	cancel()
	select {
	case <-cancelled:
	case <-time.After(patience):
		t.Error("the read goes on")
	}
}

func TestSessionsExpire(t *testing.T) {
	w := startWeb(t, anyShop(), transport.HTTPOptions{SessionTimeout: 30 * time.Millisecond})
	session := w.session()
	for deadline := time.Now().Add(patience); ; {
		res, err := w.do(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`, session...)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode == http.StatusNotFound {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("status %d", res.StatusCode)
		}
		time.Sleep(60 * time.Millisecond)
	}
}

// stream opens a request and returns its first line with data.
func (w *web) stream(method, body string, headers ...string) (*http.Response, *bufio.Reader) {
	w.t.Helper()
	req, _ := http.NewRequest(method, w.url+"/mcp", strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := w.client.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { res.Body.Close() })
	r := bufio.NewReader(res.Body)
	if _, err := r.ReadString('\n'); err != nil || res.StatusCode != 200 {
		w.t.Fatalf("no stream: %d %v", res.StatusCode, err)
	}
	return res, r
}

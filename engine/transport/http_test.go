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

func TestS16_StreamsEndAndReadsFinish(t *testing.T) {
	for _, modern := range []bool{false, true} {
		t.Run(map[bool]string{false: "legacy", true: "modern"}[modern], func(t *testing.T) {
			started, gate := make(chan struct{}), make(chan struct{})
			server := newsServer()
			server.AddReceivingMiddleware(slowTools(started, gate))
			w := startWeb(t, server, transport.HTTPOptions{})
			session := w.session()
			_, events := w.stream(http.MethodGet, "", session...)
			listen := `{"notifications":{"resourcesListChanged":true}}`
			_, news := w.stream(http.MethodPost, modernBody("subscriptions/listen", listen), modernHeaders("subscriptions/listen", listen)...)

			answer := make(chan reply, 1)
			go func() {
				if modern {
					answer <- w.call("tools/list", "")
				} else {
					answer <- first(w.post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, session...))
				}
			}()
			await(t, started)
			w.cancel()
			// The listen stream ends with its result while the call runs on.
			rest, err := io.ReadAll(news)
			if err != nil || !strings.Contains(string(rest), `"result"`) {
				t.Errorf("the stream ended with %v: %s", err, rest)
			}
			select {
			case r := <-answer:
				t.Fatalf("the call was cut: %s", r.raw)
			default:
			}
			close(gate)
			if r := <-answer; r.Error != nil {
				t.Errorf("the running call: %s", r.raw)
			}
			if _, err := io.ReadAll(events); err != nil {
				t.Errorf("the event stream ended with %v", err)
			}
			if err := w.wait(); err != nil {
				t.Errorf("Serve: %v", err)
			}
		})
	}
}

// slowTools lets tools/list wait for a gate or its cancellation.
func slowTools(started, gate chan struct{}) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "tools/list" {
				close(started)
				select {
				case <-gate:
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}
			return next(ctx, method, req)
		}
	}
}

func TestS16_NewCallsAreRefused(t *testing.T) {
	started, gate := make(chan struct{}), make(chan struct{})
	slow := func(context.Context) { close(started); <-gate }
	w := startWeb(t, newShop(shop{slow: slow}, engine.ServerOptions{}), transport.HTTPOptions{})
	session := w.session()
	answer := make(chan reply, 1)
	go func() { answer <- w.call("resources/read", readParams("shop://slow")) }()
	await(t, started)
	w.cancel()
	for deadline := time.Now().Add(patience); ; {
		// Either the port is closed or an open connection hears the reason.
		res, err := w.do(readLine(1, "shop://hello"), session...)
		if err != nil {
			break
		}
		r := w.message(res)
		if r.status == http.StatusServiceUnavailable && r.Error.Message == "The server is shutting down" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("got %d %s", r.status, r.raw)
		}
	}
	close(gate)
	(<-answer).wantText(t, "slow")
	if err := w.wait(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestS16_HangingReadsAreCancelledAfterTheGrace(t *testing.T) {
	for _, modern := range []bool{false, true} {
		started, cancelled := make(chan struct{}), make(chan struct{})
		slow := func(ctx context.Context) { close(started); <-ctx.Done(); close(cancelled) }
		w := startWeb(t, newShop(shop{slow: slow}, engine.ServerOptions{}), transport.HTTPOptions{Grace: 50 * time.Millisecond})
		answer := make(chan reply, 1)
		session := w.session()
		go func() {
			if modern {
				answer <- w.call("resources/read", readParams("shop://slow"))
			} else {
				answer <- first(w.post(readLine(1, "shop://slow"), session...))
			}
		}()
		await(t, started)
		w.cancel()
		start := time.Now()
		if err := w.wait(); err != nil || time.Since(start) > 2*time.Second {
			t.Errorf("Serve: %v after %v", err, time.Since(start))
		}
		select {
		case <-cancelled:
		case <-time.After(patience):
			t.Error("the read goes on")
		}
		(<-answer).wantError(t, -32603)
	}
}

func TestS16_AHandlerThatNeverReturnsIsLeft(t *testing.T) {
	started, gate := make(chan struct{}), make(chan struct{})
	defer close(gate)
	slow := func(context.Context) { close(started); <-gate }
	w := startWeb(t, newShop(shop{slow: slow}, engine.ServerOptions{}), transport.HTTPOptions{Grace: 50 * time.Millisecond})
	session := w.session()
	go w.do(readLine(1, "shop://slow"), session...)
	await(t, started)
	w.cancel()
	start := time.Now()
	if err := w.wait(); err != nil || time.Since(start) > 2*time.Second {
		t.Errorf("Serve: %v after %v", err, time.Since(start))
	}
}

package transport_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpdecl/mcpdecl/engine"
	"github.com/mcpdecl/mcpdecl/engine/transport"
)

const patience = 10 * time.Second

// await waits for a channel to close.
func await(t *testing.T, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("it does not happen")
	}
}

// shop is a backend with a few resources and no engine.
type shop struct {
	slow func(ctx context.Context) // what a read of shop://slow does
}

func (shop) Info() engine.Info { return engine.Info{Name: "shop", Version: "1"} }

func (s shop) Read(ctx context.Context, uri string) (*engine.Result, error) {
	text := func(b []byte) (*engine.Result, error) {
		return &engine.Result{Contents: []engine.Content{{URI: uri, MIMEType: "text/plain", Data: b}}}, nil
	}
	switch {
	case uri == "shop://hello":
		return text([]byte("hello"))
	case uri == "shop://empty":
		return text(nil)
	case uri == "shop://empty-blob":
		return &engine.Result{Contents: []engine.Content{{URI: uri, Binary: true}}}, nil
	case uri == "shop://panic":
		panic("out of stock")
	case uri == "shop://broken":
		return nil, fmt.Errorf("dial tcp 10.0.0.1: password hunter2")
	case strings.HasPrefix(uri, "shop://customers/"):
		return text([]byte("customer " + strings.TrimPrefix(uri, "shop://customers/")))
	case uri == "shop://big":
		return text(bytes.Repeat([]byte("x"), 6<<20))
	case strings.HasPrefix(uri, "shop://slow"):
		s.slow(ctx)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return text([]byte("slow"))
	}
	return nil, &engine.Error{Code: -32602, Message: "Resource not found", NotFound: true, Data: map[string]any{"uri": uri}}
}

func (shop) Resources() []engine.Listed {
	return []engine.Listed{{URI: "shop://hello", Name: "hello", Description: "A greeting.", Size: -1}}
}

func (shop) Templates() []engine.Listed {
	return []engine.Listed{{URITemplate: "shop://customers/{id}", Name: "customer", Description: "One customer.", Size: -1}}
}

func newShop(s shop, o engine.ServerOptions) *mcp.Server {
	return engine.NewServer(func() engine.Backend { return s }, o)
}

// reply is an answer as it came over the wire.
type reply struct {
	raw    []byte
	status int // of HTTP
	ID     any
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
		Data    map[string]any
	}
}

func parseReply(t *testing.T, raw []byte) reply {
	t.Helper()
	r := reply{raw: raw}
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatalf("invalid JSON: %v\n%q", err, raw)
	}
	if r.Error != nil && r.Error.Code == 0 {
		t.Errorf("an error with code 0: %s", raw)
	}
	return r
}

func (r reply) wantError(t *testing.T, code int) {
	t.Helper()
	if r.Error == nil || r.Error.Code != code {
		t.Errorf("want error %d, got %s", code, r.raw)
	}
}

func (r reply) wantText(t *testing.T, text string) {
	t.Helper()
	if want := fmt.Sprintf(`"text":%q`, text); !strings.Contains(string(r.raw), want) {
		t.Errorf("want %s, got %s", want, r.raw)
	}
}

// stdio is a session over pipes.
type stdio struct {
	t      *testing.T
	in     *io.PipeWriter
	lines  chan []byte
	done   chan error
	cancel context.CancelFunc
	log    *logBuffer
	nextID int
}

func startStdio(t *testing.T, server *mcp.Server, o transport.StdioOptions) *stdio {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	s := &stdio{t: t, in: inW, lines: make(chan []byte, 1000), done: make(chan error, 1), cancel: cancel, log: &logBuffer{}}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	go func() { s.done <- transport.Stdio(ctx, server, inR, outW, o); outW.Close() }()
	go func() {
		defer close(s.lines)
		sc := bufio.NewScanner(outR)
		sc.Buffer(nil, 64<<20)
		for sc.Scan() {
			s.lines <- bytes.Clone(sc.Bytes())
		}
	}()
	t.Cleanup(func() { inW.Close(); outR.Close(); cancel() })
	return s
}

func (s *stdio) send(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatalf("send: %v", err)
	}
}

func (s *stdio) next() reply {
	s.t.Helper()
	select {
	case line, ok := <-s.lines:
		if !ok {
			s.t.Fatal("the output ended")
		}
		return parseReply(s.t, line)
	case <-time.After(patience):
		s.t.Fatal("no answer")
	}
	return reply{}
}

const initialize = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

func (s *stdio) initialize(version string) {
	s.t.Helper()
	s.send(strings.Replace(initialize, "2025-11-25", version, 1))
	if r := s.next(); r.Error != nil {
		s.t.Fatalf("initialize: %s", r.raw)
	}
	s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// wait returns what Stdio returned and how long that took.
func (s *stdio) wait() (error, time.Duration) {
	s.t.Helper()
	start := time.Now()
	select {
	case err := <-s.done:
		return err, time.Since(start)
	case <-time.After(patience):
		s.t.Fatal("Stdio does not return")
		return nil, 0
	}
}

// rest returns the lines up to the end of the output.
func (s *stdio) rest() []reply {
	s.t.Helper()
	var all []reply
	for {
		select {
		case line, ok := <-s.lines:
			if !ok {
				return all
			}
			all = append(all, parseReply(s.t, line))
		case <-time.After(patience):
			s.t.Fatal("the output does not end")
		}
	}
}

func readLine(id int, uri string) string {
	params, _ := json.Marshal(map[string]string{"uri": uri})
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":%s}`, id, params)
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// withMeta makes a call of the newer revision out of its params.
func withMeta(params string) string {
	if params == "" || params == "{}" {
		return "{" + meta + "}"
	}
	return "{" + meta + "," + params[1:]
}

// web is an HTTP server on a port of its own.
type web struct {
	t      *testing.T
	url    string
	addr   string
	cancel context.CancelFunc
	done   chan error
	log    *logBuffer
	client *http.Client
}

func startWeb(t *testing.T, server *mcp.Server, o transport.HTTPOptions, change ...func(*transport.HTTP)) *web {
	t.Helper()
	w := &web{t: t, done: make(chan error, 1), log: &logBuffer{}, client: &http.Client{Transport: &http.Transport{}}}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(w.log, nil))
	}
	h, err := transport.NewHTTP(server, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range change {
		c(h)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var ctx context.Context
	ctx, w.cancel = context.WithCancel(context.Background())
	w.addr = ln.Addr().String()
	w.url = "http://" + w.addr
	go func() { w.done <- h.Serve(ctx, ln) }()
	t.Cleanup(func() {
		w.cancel()
		w.client.CloseIdleConnections()
	})
	return w
}

// do sends a POST to /mcp with further headers as pairs.
func (w *web) do(body string, headers ...string) (*http.Response, error) {
	req, _ := http.NewRequest(http.MethodPost, w.url+"/mcp", strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		} else {
			req.Header.Set(headers[i], headers[i+1])
		}
	}
	return w.client.Do(req)
}

// post returns the message of the answer, out of a stream if it is one.
func (w *web) post(body string, headers ...string) (reply, http.Header) {
	w.t.Helper()
	res, err := w.do(body, headers...)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.message(res), res.Header
}

func (w *web) message(res *http.Response) reply {
	w.t.Helper()
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		for line := range strings.Lines(string(raw)) {
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				raw = []byte(strings.TrimSpace(data))
			}
		}
	}
	r := parseReply(w.t, raw)
	r.status = res.StatusCode
	return r
}

// call sends a call of the newer revision.
func (w *web) call(method, params string, headers ...string) reply {
	w.t.Helper()
	return first(w.post(modernBody(method, params), append(modernHeaders(method, params), headers...)...))
}

func modernBody(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, method, withMeta(params))
}

func modernHeaders(method, params string) []string {
	h := []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method}
	var p struct{ URI *string }
	if json.Unmarshal([]byte(params), &p) == nil && p.URI != nil {
		h = append(h, "Mcp-Name", headerValue(*p.URI))
	}
	return h
}

// session opens a session of an older protocol and returns its headers.
func (w *web) session() []string {
	w.t.Helper()
	r, h := w.post(initialize)
	if r.Error != nil {
		w.t.Fatalf("initialize: %s", r.raw)
	}
	return []string{"Mcp-Session-Id", h.Get("Mcp-Session-Id"), "MCP-Protocol-Version", "2025-11-25"}
}

func (w *web) wait() error {
	w.t.Helper()
	select {
	case err := <-w.done:
		return err
	case <-time.After(patience):
		w.t.Fatal("Serve does not return")
		return nil
	}
}

func first(r reply, _ http.Header) reply { return r }

// wires runs a test over each transport with each generation of clients.
func wires(t *testing.T, newServer func() *mcp.Server, test func(t *testing.T, call func(method, params string) reply)) {
	t.Helper()
	t.Run("stdio legacy", func(t *testing.T) {
		s := startStdio(t, newServer(), transport.StdioOptions{})
		s.initialize("2025-11-25")
		test(t, func(method, params string) reply {
			t.Helper()
			s.nextID++
			s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, s.nextID, method, params))
			return s.next()
		})
	})
	t.Run("stdio modern", func(t *testing.T) {
		s := startStdio(t, newServer(), transport.StdioOptions{})
		test(t, func(method, params string) reply {
			t.Helper()
			s.nextID++
			s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, s.nextID, method, withMeta(params)))
			return s.next()
		})
	})
	t.Run("http legacy", func(t *testing.T) {
		w := startWeb(t, newServer(), transport.HTTPOptions{})
		session := w.session()
		test(t, func(method, params string) reply {
			t.Helper()
			return first(w.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, method, params), session...))
		})
	})
	t.Run("http modern", func(t *testing.T) {
		w := startWeb(t, newServer(), transport.HTTPOptions{})
		test(t, func(method, params string) reply { t.Helper(); return w.call(method, params) })
	})
}

// logBuffer is a log that a test reads while it is written.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// headerValue is how the protocol puts any text into a header.
func headerValue(s string) string {
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

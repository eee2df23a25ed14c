package engine

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// fakeBackend answers without an engine.
type fakeBackend struct {
	info      Info
	read      func(ctx context.Context, uri string) (*Result, error)
	resources []Listed
	templates []Listed
	// incomplete are lists that fail.
	incomplete []string
}

func (f *fakeBackend) Info() Info { return f.info }

func (f *fakeBackend) Read(ctx context.Context, uri string) (*Result, error) {
	if f.read == nil {
		return nil, missing(uri)
	}
	return f.read(ctx, uri)
}

func (f *fakeBackend) List(_ context.Context, cursor string) (*Page, error) {
	page, next, err := pageOf(f.resources, cursor, f.info.PageSize)
	if err != nil {
		return nil, err
	}
	return &Page{Resources: page, Next: next, Incomplete: f.incomplete}, nil
}

func (f *fakeBackend) Templates() []Listed { return f.templates }

func missing(uri string) error {
	return &Error{Code: CodeInvalidParams, Message: "Resource not found", NotFound: true, Data: map[string]any{"uri": uri}}
}

func textResult(uri, text string) *Result {
	return &Result{Contents: []Content{{URI: uri, MIMEType: "text/plain", Data: []byte(text)}}}
}

// wire is a raw session: what a client sees, byte for byte.
type wire struct {
	t      *testing.T
	modern bool
	in     io.Writer
	log    *logBuffer

	mu      sync.Mutex
	nextID  int
	replies map[string]chan []byte
	lines   chan []byte // lines with an id that nobody waits for
}

type reply struct {
	raw    []byte
	ID     any
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
		Data    map[string]any
	}
}

// generations runs a test with a session of each kind of client.
func generations(t *testing.T, b *fakeBackend, o ServerOptions, test func(t *testing.T, w *wire)) {
	t.Helper()
	for _, modern := range []bool{false, true} {
		t.Run(map[bool]string{false: "legacy", true: "modern"}[modern], func(t *testing.T) {
			test(t, dial(t, b, o, modern))
		})
	}
}

func dial(t *testing.T, b *fakeBackend, o ServerOptions, modern bool) *wire {
	t.Helper()
	w := &wire{t: t, modern: modern, log: &logBuffer{}, replies: map[string]chan []byte{}, lines: make(chan []byte, 100)}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(w.log, nil))
	}
	server := NewServer(func() Backend { return b }, o)
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	w.in = inW
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Run(ctx, &mcp.IOTransport{Reader: inR, Writer: outW})
	}()
	go w.receive(outR)
	t.Cleanup(func() {
		inW.Close()
		outR.Close()
		cancel()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			t.Error("the session does not end")
		}
	})
	if !modern {
		w.call("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
		w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	return w
}

func (w *wire) receive(r io.Reader) {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		line := bytes.Clone(s.Bytes())
		var head struct{ ID json.RawMessage }
		_ = json.Unmarshal(line, &head)
		w.mu.Lock()
		ch := w.replies[string(head.ID)]
		w.mu.Unlock()
		if ch == nil {
			ch = w.lines
		}
		ch <- line
	}
}

func (w *wire) send(line string) {
	if _, err := fmt.Fprintln(w.in, line); err != nil {
		w.t.Errorf("send: %v", err)
	}
}

// start sends a call and returns its id and the channel of its answer.
func (w *wire) start(method, params string) (string, chan []byte) {
	w.mu.Lock()
	w.nextID++
	id := fmt.Sprint(w.nextID)
	ch := make(chan []byte, 1)
	w.replies[id] = ch
	w.mu.Unlock()
	if params == "" {
		params = "{}"
	}
	if w.modern {
		meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
		if params != "{}" {
			meta += ","
		}
		params = "{" + meta + params[1:]
	}
	w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return id, ch
}

func (w *wire) call(method, params string) reply {
	w.t.Helper()
	_, ch := w.start(method, params)
	return w.await(ch)
}

func (w *wire) await(ch chan []byte) reply {
	w.t.Helper()
	select {
	case raw := <-ch:
		r := reply{raw: raw}
		if err := json.Unmarshal(raw, &r); err != nil {
			w.t.Fatalf("invalid JSON: %v\n%s", err, raw)
		}
		if r.Error != nil && r.Error.Code == 0 {
			w.t.Errorf("an error with code 0: %s", raw)
		}
		return r
	case <-time.After(10 * time.Second):
		w.t.Fatal("no answer")
		return reply{}
	}
}

func (w *wire) read(uri string) reply {
	w.t.Helper()
	params, _ := json.Marshal(map[string]string{"uri": uri})
	return w.call("resources/read", string(params))
}

// alive checks that the session still answers.
func (w *wire) alive() {
	w.t.Helper()
	method := "ping"
	if w.modern {
		method = "tools/list"
	}
	if r := w.call(method, ""); r.Error != nil {
		w.t.Errorf("%s: %s", method, r.raw)
	}
}

func (r reply) wantError(t *testing.T, code int, message string) {
	t.Helper()
	if r.Error == nil {
		t.Fatalf("got a result, want error %d: %s", code, r.raw)
	}
	if r.Error.Code != code || r.Error.Message != message {
		t.Errorf("got %d %q, want %d %q", r.Error.Code, r.Error.Message, code, message)
	}
}

func (r reply) decode(t *testing.T, v any) {
	t.Helper()
	if r.Error != nil {
		t.Fatalf("got an error: %s", r.raw)
	}
	if err := json.Unmarshal(r.Result, v); err != nil {
		t.Fatal(err)
	}
}

// logBuffer is a log that a test reads while it is written.
type logBuffer struct {
	mu sync.Mutex
	b  strings.Builder
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

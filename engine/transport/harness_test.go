package transport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpdecl/mcpdecl/engine"
	"github.com/mcpdecl/mcpdecl/engine/transport"
)

const patience = 30 * time.Second

// soon is what is promised to take at most 2 s, on a machine that is busy with
// other tests: a bound of this size only tells an end from a hang.
const soon = 10 * time.Second

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

func (shop) List(context.Context, string) (*engine.Page, error) {
	return &engine.Page{Resources: []engine.Listed{{URI: "shop://hello", Name: "hello", Description: "A greeting.", Size: -1}}}, nil
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

package transport_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpdecl/mcpdecl/engine/transport"
)

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

// headerValue is how the protocol puts any text into a header.
func headerValue(s string) string {
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestS1_AnyURIMakesAValidAnswer(t *testing.T) {
	uris := []string{"nope://h/\u007f", "nope://h/\u0001", "nope://h/\v", "nope://h/\x00", "nope://h/\U000E0001",
		"nope://h/\u2028<&>\"\\", "", "%", "nope://h/\ufffd"}
	generations(t, &fakeBackend{}, ServerOptions{}, func(t *testing.T, w *wire) {
		for _, uri := range uris {
			r := w.read(uri)
			r.wantError(t, -32602, "Resource not found")
			if r.Error.Data["uri"] != uri {
				t.Errorf("data.uri = %q, want %q", r.Error.Data["uri"], uri)
			}
			w.alive()
		}
	})
}

func TestS2_PanicIsOneRequestsError(t *testing.T) {
	b := &fakeBackend{read: func(_ context.Context, uri string) (*Result, error) {
		if uri == "x://boom" {
			panic("boom with s3cret")
		}
		return textResult(uri, "fine"), nil
	}}
	generations(t, b, ServerOptions{}, func(t *testing.T, w *wire) {
		r := w.read("x://boom")
		r.wantError(t, -32603, "Internal error")
		ref, _ := r.Error.Data["reference"].(string)
		if log := w.log.String(); ref == "" || !strings.Contains(log, ref) || !strings.Contains(log, "mcp_test.go") {
			t.Errorf("reference %q and stack are not both in the log:\n%s", ref, log)
		}
		if strings.Contains(string(r.raw), "s3cret") {
			t.Errorf("the panic is on the wire: %s", r.raw)
		}
		if r := w.read("x://other"); r.Error != nil {
			t.Errorf("after the panic: %s", r.raw)
		}
	})
}

func TestS2_PanicKeepsNoSlot(t *testing.T) {
	e := &edge{current: func() Backend { panic("no snapshot") }, log: discard(), slots: newSlots(1)}
	h := e.recoverPanics(e.mapErrors(e.bound(e.dispatch(nil))))
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	for range 2 {
		if _, err := h(ctx, methodRead, readRequest("x://y")); err == nil || err.Error() != "Internal error" {
			t.Fatalf("got %v", err)
		}
	}
}

func TestS3_BackendErrorsStayInside(t *testing.T) {
	secret := "dial tcp 10.1.2.3:5432: user=app password=hunter2"
	cases := map[string]struct {
		err     error
		message string
	}{
		"plain":               {errors.New(secret), "Internal error"},
		"wrapped":             {fmt.Errorf("read row: %w", errors.New(secret)), "Internal error"},
		"ours with a cause":   {&Error{Code: CodeInternal, Message: "The database does not answer", Ref: "REF1", Cause: errors.New(secret), Data: map[string]any{"uri": "x://y"}}, "The database does not answer"},
		"ours without a code": {&Error{Message: secret}, "Internal error"},
		"a deadline":          {context.DeadlineExceeded, "Internal error"},
		"a foreign cancel":    {context.Canceled, "Internal error"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := &fakeBackend{read: func(context.Context, string) (*Result, error) { return nil, c.err }}
			generations(t, b, ServerOptions{}, func(t *testing.T, w *wire) {
				r := w.read("x://y")
				r.wantError(t, -32603, c.message)
				if strings.Contains(string(r.raw), "hunter2") || strings.Contains(string(r.raw), "10.1.2.3") {
					t.Errorf("the cause is on the wire: %s", r.raw)
				}
				ref, _ := r.Error.Data["reference"].(string)
				log := w.log.String()
				if ref == "" || !strings.Contains(log, ref) {
					t.Errorf("reference %q is not in the log:\n%s", ref, log)
				}
				if strings.Contains(c.err.Error(), "hunter2") && !strings.Contains(log, "hunter2") {
					t.Errorf("the cause is not in the log:\n%s", log)
				}
				if name == "ours with a cause" && (ref != "REF1" || !strings.Contains(log, "uri=x://y")) {
					t.Errorf("reference %q, want the one that the error had, and the uri in the log:\n%s", ref, log)
				}
			})
		})
	}
}

func TestS4_EmptyContentsHaveTheirField(t *testing.T) {
	cases := map[string]struct {
		content Content
		want    string
	}{
		"text":           {Content{Data: []byte{}}, `{"uri":"x://y","text":""}`},
		"nil text":       {Content{MIMEType: "text/plain"}, `{"uri":"x://y","mimeType":"text/plain","text":""}`},
		"blob":           {Content{Data: []byte{}, Binary: true}, `{"uri":"x://y","blob":""}`},
		"nil blob":       {Content{Binary: true}, `{"uri":"x://y","blob":""}`},
		"text of 1":      {Content{URI: "x://z", Data: []byte("<&>")}, `{"uri":"x://z","text":"<&>"}`},
		"blob of 1":      {Content{Data: []byte{0}, Binary: true}, `{"uri":"x://y","blob":"AA=="}`},
		"text not UTF-8": {Content{Data: []byte{0xff, 0xfe}}, `{"uri":"x://y","blob":"//4="}`},
		"meta":           {Content{Meta: map[string]any{"truncated": true}}, `{"uri":"x://y","text":"","_meta":{"truncated":true}}`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := &fakeBackend{read: func(context.Context, string) (*Result, error) {
				return &Result{Contents: []Content{c.content}}, nil
			}}
			generations(t, b, ServerOptions{}, func(t *testing.T, w *wire) {
				var got struct{ Contents []json.RawMessage }
				w.read("x://y").decode(t, &got)
				if len(got.Contents) != 1 || string(got.Contents[0]) != c.want {
					t.Errorf("got %s\nwant %s", got.Contents, c.want)
				}
			})
		})
	}
}

func TestS14_BytesAreABlobWithTheirType(t *testing.T) {
	png := []byte("\x89PNG\r\n\x1a\n\x00")
	b := &fakeBackend{read: func(_ context.Context, uri string) (*Result, error) {
		return &Result{Contents: []Content{{URI: uri, MIMEType: "image/png", Data: png, Binary: true}}}, nil
	}}
	generations(t, b, ServerOptions{}, func(t *testing.T, w *wire) {
		if r := w.read("x://logo"); !strings.Contains(string(r.raw), `[{"uri":"x://logo","mimeType":"image/png","blob":"iVBORw0KGgoA"}]`) {
			t.Errorf("got %s", r.raw)
		}
	})
}

func TestReadWithoutContentsIsAnError(t *testing.T) {
	for name, res := range map[string]*Result{"nil": nil, "nil contents": {}, "empty contents": {Contents: []Content{}}} {
		t.Run(name, func(t *testing.T) {
			b := &fakeBackend{read: func(context.Context, string) (*Result, error) { return res, nil }}
			generations(t, b, ServerOptions{}, func(t *testing.T, w *wire) {
				w.read("x://y").wantError(t, -32603, "Internal error")
			})
		})
	}
}

func TestReadThatCannotBeEncodedIsAnswered(t *testing.T) {
	b := &fakeBackend{read: func(_ context.Context, uri string) (*Result, error) {
		res := textResult(uri, "x")
		res.Contents[0].Meta = map[string]any{"f": func() {}}
		return res, nil
	}}
	generations(t, b, ServerOptions{}, func(t *testing.T, w *wire) {
		w.read("x://y").wantError(t, -32603, "Internal error")
	})
}

func TestReadTellsHowLongAndForWhomItIsGood(t *testing.T) {
	b := &fakeBackend{read: func(_ context.Context, uri string) (*Result, error) {
		res := textResult(uri, "x")
		if uri == "x://public" {
			res.TTL, res.Public = 1500*time.Millisecond, true
		}
		return res, nil
	}}
	generations(t, b, ServerOptions{}, func(t *testing.T, w *wire) {
		for uri, want := range map[string]string{"x://public": "1500 public", "x://private": "0 private"} {
			var got struct {
				TTLMs      *int
				CacheScope string
				ResultType string
			}
			w.read(uri).decode(t, &got)
			if got.TTLMs == nil || fmt.Sprint(*got.TTLMs, " ", got.CacheScope) != want {
				t.Errorf("%s: got %+v, want %s", uri, got, want)
			}
			if (got.ResultType == "complete") != w.modern {
				t.Errorf("resultType %q", got.ResultType)
			}
		}
	})
}

func TestLegacyNotFound(t *testing.T) {
	b := &fakeBackend{info: Info{LegacyNotFound: true}, read: func(_ context.Context, uri string) (*Result, error) {
		if uri == "x://bad" {
			return nil, &Error{Code: CodeInvalidParams, Message: "Invalid parameter", Data: map[string]any{"parameter": "id"}}
		}
		return nil, missing(uri)
	}}
	generations(t, b, ServerOptions{}, func(t *testing.T, w *wire) {
		code := -32002
		if w.modern {
			code = -32602
		}
		r := w.read("x://y")
		r.wantError(t, code, "Resource not found")
		if r.Error.Data["uri"] != "x://y" {
			t.Errorf("data: %v", r.Error.Data)
		}
		bad := w.read("x://bad")
		bad.wantError(t, -32602, "Invalid parameter")
		if bad.Error.Data["uri"] != "x://bad" || bad.Error.Data["parameter"] != "id" {
			t.Errorf("data: %v", bad.Error.Data)
		}
	})
}

func TestS13_OnlyWhatWorksIsDeclared(t *testing.T) {
	b := &fakeBackend{info: Info{Name: "shop", Title: "The shop", Version: "7", Instructions: "Ask."}}
	w := dial(t, b, ServerOptions{}, true)
	var got struct {
		Capabilities      json.RawMessage
		Instructions      string
		SupportedVersions []string
		CacheScope        string
		Meta              map[string]json.RawMessage `json:"_meta"`
	}
	w.call("server/discover", "").decode(t, &got)
	if string(got.Capabilities) != `{"prompts":{},"resources":{},"tools":{}}` {
		t.Errorf("capabilities: %s", got.Capabilities)
	}
	if got.Instructions != "Ask." || got.CacheScope != "private" {
		t.Errorf("got %+v", got)
	}
	if info := string(got.Meta["io.modelcontextprotocol/serverInfo"]); info != `{"name":"shop","title":"The shop","version":"7"}` {
		t.Errorf("serverInfo: %s", info)
	}
}

func TestS13_InitializeDeclaresTheSame(t *testing.T) {
	w := dial(t, &fakeBackend{}, ServerOptions{}, true)
	w.modern = false
	var got struct{ Capabilities json.RawMessage }
	w.call("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`).decode(t, &got)
	if string(got.Capabilities) != `{"prompts":{},"resources":{},"tools":{}}` {
		t.Errorf("capabilities: %s", got.Capabilities)
	}
}

func TestNoErrorHasCodeZero(t *testing.T) {
	w := dial(t, &fakeBackend{}, ServerOptions{}, false)
	for _, c := range []struct {
		method, params string
		code           int
	}{
		{"initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`, -32600},
		{"resources/subscribe", `{"uri":"x://y"}`, -32601},
		{"resources/unsubscribe", `{"uri":"x://y"}`, -32601},
		{"completion/complete", `{"ref":{"type":"ref/resource","uri":"x"},"argument":{"name":"a","value":""}}`, -32601},
		{"completion/complete", `{"argument":{"name":"a","value":""}}`, -32602},
		{"tools/call", `{"name":"nope"}`, -32602},
		{"prompts/get", `{"name":"nope"}`, -32602},
		{"no/such", `{}`, -32601},
		{"resources/list", `{"cursor":"%%%"}`, -32602},
		{"tools/list", `{"cursor":"%%%"}`, -32602},
	} {
		if r := w.call(c.method, c.params); r.Error == nil || r.Error.Code != c.code {
			t.Errorf("%s %s: want %d, got %s", c.method, c.params, c.code, r.raw)
		}
	}
}

func TestS15_OneResultForManyClients(t *testing.T) {
	shared := textResult("x://y", "text")
	shared.Contents[0].Meta = map[string]any{"k": "v"}
	b := &fakeBackend{read: func(context.Context, string) (*Result, error) { return shared, nil }}
	generations(t, b, ServerOptions{}, func(t *testing.T, w *wire) {
		var answers []chan []byte
		for range 100 {
			_, ch := w.start(methodRead, `{"uri":"x://y"}`)
			answers = append(answers, ch)
		}
		for _, ch := range answers {
			if r := w.await(ch); r.Error != nil || !strings.Contains(string(r.raw), `"text":"text","_meta":{"k":"v"}`) {
				t.Fatalf("got %s", r.raw)
			}
		}
	})
	if len(shared.Contents[0].Meta) != 1 {
		t.Errorf("the shared result was written to: %v", shared.Contents[0].Meta)
	}
}

func TestS17_WorkInFlightIsBounded(t *testing.T) {
	var now, peak atomic.Int64
	gate := make(chan struct{})
	var full sync.Once
	eight := make(chan struct{})
	b := &fakeBackend{read: func(ctx context.Context, uri string) (*Result, error) {
		n := now.Add(1)
		defer now.Add(-1)
		for {
			p := peak.Load()
			if n <= p || peak.CompareAndSwap(p, n) {
				break
			}
		}
		if n == 8 {
			full.Do(func() { close(eight) })
		}
		<-gate
		return textResult(uri, "x"), nil
	}}
	w := dial(t, b, ServerOptions{MaxInFlight: 8}, false)
	var answers []chan []byte
	var last string
	for range 200 {
		id, ch := w.start(methodRead, `{"uri":"x://y"}`)
		answers, last = append(answers, ch), id
	}
	<-eight
	w.alive() // what needs no slot is answered at once

	// One that waits for its turn is cancelled without one.
	w.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, last))
	if r := w.await(answers[199]); r.Error == nil || r.Error.Message != "Request cancelled" {
		t.Errorf("cancelled while waiting: %s", r.raw)
	}
	close(gate)
	for _, ch := range answers[:199] {
		if r := w.await(ch); r.Error != nil {
			t.Errorf("got %s", r.raw)
		}
	}
	if peak.Load() != 8 {
		t.Errorf("%d reads at once, want 8", peak.Load())
	}
}

// TestReadsAreLoggedAtDebugOnly, with what a client asked for and got.
func TestReadsAreLoggedAtDebugOnly(t *testing.T) {
	b := &fakeBackend{read: func(_ context.Context, uri string) (*Result, error) {
		if uri == "x://none" {
			return nil, &Error{Code: CodeInvalidParams, Message: "Resource not found"}
		}
		return &Result{Contents: []Content{{Data: []byte("abc")}, {Data: []byte("de")}}}, nil
	}}
	for level, want := range map[slog.Level]int{slog.LevelInfo: 0, slog.LevelDebug: 2} {
		log := &logBuffer{}
		w := dial(t, b, ServerOptions{Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: level}))}, true)
		w.read("x://some")
		w.read("x://none")
		text := log.String()
		if got := strings.Count(text, "msg=read "); got != want {
			t.Errorf("%s: %d lines:\n%s", level, got, text)
		}
		for _, part := range []string{"uri=x://some", "contents=2 bytes=5", "took=", `uri=x://none`, `error="Resource not found"`} {
			if strings.Contains(text, part) != (want > 0) {
				t.Errorf("%s: %s:\n%s", level, part, text)
			}
		}
	}
}

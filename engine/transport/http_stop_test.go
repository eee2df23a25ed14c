package transport_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpdecl/mcpdecl/engine"
	"github.com/mcpdecl/mcpdecl/engine/transport"
)

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
		if err := w.wait(); err != nil || time.Since(start) > soon {
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
	if err := w.wait(); err != nil || time.Since(start) > soon {
		t.Errorf("Serve: %v after %v", err, time.Since(start))
	}
}

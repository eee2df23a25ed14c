package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpdecl/mcpdecl/engine"
	"github.com/mcpdecl/mcpdecl/engine/transport"
)

func TestS6_EndOfInputAnswersWhatWasRead(t *testing.T) {
	slow := func(ctx context.Context) {
		select {
		case <-time.After(300 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	s := startStdio(t, newShop(shop{slow: slow}, engine.ServerOptions{}), transport.StdioOptions{})
	input := initialize + "\n"
	for i := range 20 {
		input += readLine(i, "shop://slow") + "\n"
	}
	go func() { io.WriteString(s.in, input+readLine(20, "shop://hello")); s.in.Close() }() // no line end
	all := s.rest()
	if _, err := s.wait(); err != nil {
		t.Errorf("Stdio: %v", err)
	}
	if len(all) != 22 {
		t.Errorf("%d answers, want 22", len(all))
	}
	for _, r := range all {
		if r.Error != nil {
			t.Errorf("got %s", r.raw)
		}
	}
}

// TestS6_EndOfInputWaitsForASlowReader gives every answer whole to a client that
// takes several times the grace period to read them.
func TestS6_EndOfInputWaitsForASlowReader(t *testing.T) {
	const grace, calls = 400 * time.Millisecond, 10
	for _, server := range []*mcp.Server{ // large contents, and lines of the SDK
		engine.NewServer(func() engine.Backend { return echo{} }, engine.ServerOptions{}),
		anyShop(),
	} {
		in, input := io.Pipe()
		output, out := io.Pipe()
		done := make(chan error, 1)
		go func() {
			done <- transport.Stdio(t.Context(), server, in, out, transport.StdioOptions{EOFGrace: grace})
			out.Close()
		}()
		go func() {
			_, _ = io.WriteString(input, initialize+"\n")
			for id := range calls {
				_, _ = io.WriteString(input, readLine(id, "shop://customers/1")+"\n")
			}
			input.Close()
		}()
		begin := time.Now()
		var text []byte
		for piece, err := make([]byte, 1<<20), error(nil); err == nil; time.Sleep(grace / 4) {
			var n int
			n, err = output.Read(piece)
			text = append(text, piece[:n]...)
		}
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		if err := <-done; err != nil || len(lines) != calls+1 || time.Since(begin) < 2*grace {
			t.Fatalf("%d answers in %v, %v", len(lines), time.Since(begin), err)
		}
		for _, line := range lines {
			if r := parseReply(t, []byte(line)); r.Error != nil {
				t.Errorf("got %.200s", r.raw)
			}
		}
	}
}

// TestS6_EndOfInputWithoutAReader does not wait for ever, and says that a line
// is cut.
func TestS6_EndOfInputWithoutAReader(t *testing.T) {
	in, input := io.Pipe()
	output, out := io.Pipe()
	defer output.Close()
	done := make(chan error, 1)
	go func() {
		done <- transport.Stdio(t.Context(), anyShop(), in, out, transport.StdioOptions{EOFGrace: 50 * time.Millisecond})
	}()
	_, _ = io.WriteString(input, initialize+"\n")
	input.Close()
	select {
	case err := <-done:
		if err == nil || !strings.Contains(err.Error(), "ends within a line") {
			t.Errorf("got %v", err)
		}
	case <-time.After(patience):
		t.Fatal("Stdio does not return")
	}
}

func TestS6_EndOfInputAnswersTheNewerRevision(t *testing.T) {
	s := startStdio(t, anyShop(), transport.StdioOptions{})
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":%s}`, withMeta(`{"uri":"shop://hello"}`)))
	s.in.Close()
	if all := s.rest(); len(all) != 1 || all[0].Error != nil {
		t.Errorf("got %d answers", len(all))
	}
}

func TestS6_HangingReadIsCancelled(t *testing.T) {
	cancelled := make(chan struct{})
	s := startStdio(t, newShop(shop{slow: func(ctx context.Context) { <-ctx.Done(); close(cancelled) }}, engine.ServerOptions{}), transport.StdioOptions{})
	s.initialize("2025-11-25")
	s.send(readLine(1, "shop://slow"))
	s.send(readLine(2, "shop://hello"))
	s.next().wantText(t, "hello")
	s.in.Close()
	took, err := s.wait()
	if err != nil || took > soon {
		t.Errorf("Stdio returned %v after %v", err, took)
	}
	select {
	case <-cancelled:
	case <-time.After(patience):
		t.Error("the read was not cancelled")
	}
	if rest := s.rest(); len(rest) != 1 || rest[0].Error == nil || rest[0].Error.Message != "Request cancelled" {
		t.Errorf("the hanging call got %v", rest)
	}
}

func TestS6_AHandlerThatNeverReturnsIsLeft(t *testing.T) {
	gate := make(chan struct{})
	defer close(gate)
	s := startStdio(t, newShop(shop{slow: func(context.Context) { <-gate }}, engine.ServerOptions{}), transport.StdioOptions{})
	s.initialize("2025-11-25")
	s.send(readLine(1, "shop://slow"))
	s.in.Close()
	if took, err := s.wait(); err != nil || took > soon {
		t.Errorf("Stdio returned %v after %v", err, took)
	}
}

func TestS16_EndOfContextLetsReadsFinish(t *testing.T) {
	started, gate := make(chan struct{}), make(chan struct{})
	slow := func(ctx context.Context) {
		close(started)
		select {
		case <-gate:
		case <-ctx.Done():
		}
	}
	s := startStdio(t, newShop(shop{slow: slow}, engine.ServerOptions{}), transport.StdioOptions{})
	s.initialize("2025-11-25")
	s.send(readLine(1, "shop://slow"))
	await(t, started)
	s.cancel()
	// New calls are refused, though it may take a moment until they are.
	refused := false
	for i := 2; !refused && i < 1000; i++ {
		s.send(readLine(i, "shop://hello"))
		r := s.next()
		refused = r.Error != nil && r.Error.Message == "The server is shutting down"
	}
	if !refused {
		t.Error("new calls are not refused")
	}
	close(gate)
	r := s.next()
	r.wantText(t, "slow")
	if took, err := s.wait(); err != nil || took > soon {
		t.Errorf("Stdio returned %v after %v", err, took)
	}
}

func TestS16_EndOfContextCancelsAfterTheGrace(t *testing.T) {
	started := make(chan struct{})
	slow := func(ctx context.Context) { close(started); <-ctx.Done() }
	s := startStdio(t, newShop(shop{slow: slow}, engine.ServerOptions{}), transport.StdioOptions{Grace: 50 * time.Millisecond})
	s.initialize("2025-11-25")
	s.send(readLine(1, "shop://slow"))
	await(t, started)
	s.cancel()
	r := s.next()
	r.wantError(t, -32603)
	if took, err := s.wait(); err != nil || took > soon {
		t.Errorf("Stdio returned %v after %v", err, took)
	}
}

func TestS16_OpenStreamEndsWithTheContext(t *testing.T) {
	s := startStdio(t, newsServer(), transport.StdioOptions{})
	s.send(`{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":` + withMeta(`{"notifications":{"resourcesListChanged":true}}`) + `}`)
	if r := s.next(); !strings.Contains(string(r.raw), "subscriptions/acknowledged") {
		t.Fatalf("got %s", r.raw)
	}
	s.cancel()
	if r := s.next(); r.ID != "l" || r.Error != nil {
		t.Errorf("the stream ended with %s", r.raw)
	}
	if took, err := s.wait(); err != nil || took > soon {
		t.Errorf("Stdio returned %v after %v", err, took)
	}
}

// brokenPipe fails after some writes.
type brokenPipe struct {
	mu   sync.Mutex
	good int
}

var errBroken = errors.New("broken pipe")

func (b *brokenPipe) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.good--; b.good < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

func TestBrokenOutputEndsTheSession(t *testing.T) {
	inR, inW := io.Pipe()
	defer inW.Close()
	done := make(chan error, 1)
	started, cancelled := make(chan struct{}), make(chan struct{})
	server := newShop(shop{slow: func(ctx context.Context) { close(started); <-ctx.Done(); close(cancelled) }}, engine.ServerOptions{})
	go func() {
		done <- transport.Stdio(context.Background(), server, inR, &brokenPipe{good: 1}, transport.StdioOptions{})
	}()
	io.WriteString(inW, initialize+"\n"+readLine(1, "shop://slow")+"\n")
	await(t, started)
	io.WriteString(inW, readLine(2, "shop://hello")+"\n")
	select {
	case err := <-done:
		if !errors.Is(err, errBroken) {
			t.Errorf("Stdio returned %v", err)
		}
	case <-time.After(patience):
		t.Fatal("the session goes on")
	}
	select {
	case <-cancelled:
	case <-time.After(patience):
		t.Error("the running read was not cancelled")
	}
}

func TestBrokenOutputShowsAtARefusal(t *testing.T) {
	inR, inW := io.Pipe()
	defer inW.Close()
	done := make(chan error, 1)
	go func() {
		done <- transport.Stdio(context.Background(), anyShop(), inR, &brokenPipe{}, transport.StdioOptions{})
	}()
	io.WriteString(inW, "garbage\n")
	select {
	case err := <-done:
		if !errors.Is(err, errBroken) {
			t.Errorf("Stdio returned %v", err)
		}
	case <-time.After(patience):
		t.Fatal("the session goes on")
	}
}

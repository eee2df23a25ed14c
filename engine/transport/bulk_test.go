package transport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpdecl/mcpdecl/engine"
	"github.com/mcpdecl/mcpdecl/engine/transport"
)

// warehouse has one resource of several contents.
type warehouse struct {
	shop
	contents []engine.Content
}

func (w warehouse) Read(context.Context, string) (*engine.Result, error) {
	return &engine.Result{Contents: w.contents}, nil
}

func (w warehouse) server() *mcp.Server {
	return engine.NewServer(func() engine.Backend { return w }, engine.ServerOptions{})
}

// TestLargeContentsArriveAsTheyAre reads texts and bytes of all sizes at once.
func TestLargeContentsArriveAsTheyAre(t *testing.T) {
	w := warehouse{}
	for _, size := range []int{0, 100, 32<<10 - 1, 32 << 10, 200_000, 1 << 20} {
		text := strings.Repeat("{\"line\": \"é\u2028日🎁\\\"}\r\n\x01", size/20+1)[:size]
		w.contents = append(w.contents,
			engine.Content{URI: "w://text", Data: []byte(strings.ToValidUTF8(text, ""))},
			engine.Content{URI: "w://blob", Data: bytes.Repeat([]byte{0xff, 0, 1}, size/3), Binary: true})
	}
	wires(t, w.server, func(t *testing.T, call func(string, string) reply) {
		for range 2 {
			var got struct {
				Contents []struct {
					Text *string
					Blob *[]byte
				}
			}
			r := call("resources/read", readParams("w://all"))
			if err := json.Unmarshal(r.Result, &got); err != nil || len(got.Contents) != len(w.contents) {
				t.Fatalf("%v, %d contents", err, len(got.Contents))
			}
			for i, c := range got.Contents {
				want := w.contents[i]
				if want.Binary && (c.Text != nil || c.Blob == nil || !bytes.Equal(*c.Blob, want.Data)) ||
					!want.Binary && (c.Blob != nil || c.Text == nil || *c.Text != string(want.Data)) {
					t.Errorf("content %d of %d bytes is another", i, len(want.Data))
				}
			}
		}
	})
}

// TestLargeContentsInABatch reads two at once where batches are allowed.
func TestLargeContentsInABatch(t *testing.T) {
	w := warehouse{contents: []engine.Content{{URI: "w://a", Data: bytes.Repeat([]byte("é"), 50_000)}}}
	s := startStdio(t, w.server(), transport.StdioOptions{})
	s.initialize("2025-03-26")
	s.send("[" + readLine(1, "w://a") + "," + readLine(2, "w://a") + "]")
	var all []reply
	if err := json.Unmarshal(<-s.lines, &all); err != nil || len(all) != 2 {
		t.Fatal(err, len(all))
	}
	for _, r := range all {
		if strings.Count(string(r.Result), "é") != 50_000 {
			t.Errorf("answer %v has %d bytes", r.ID, len(r.Result))
		}
	}
}

// TestABatchOfMoreThanTheRoom is answered: its contents cannot go out one by one.
func TestABatchOfMoreThanTheRoom(t *testing.T) {
	w := warehouse{contents: []engine.Content{{URI: "w://a", Data: bytes.Repeat([]byte("x"), 100_000)}}}
	s := startStdio(t, w.server(), transport.StdioOptions{MaxUnread: 150_000})
	s.initialize("2025-03-26")
	const calls = 80 // more than are in flight at once
	var parts []string
	for id := range calls {
		parts = append(parts, readLine(id, "w://a"))
	}
	s.send("[" + strings.Join(parts, ",") + "]")
	select {
	case line := <-s.lines:
		if n := bytes.Count(line, []byte(`"id"`)); n != calls || len(line) < calls*100_000 {
			t.Errorf("%d answers in %d bytes", n, len(line))
		}
	case <-time.After(patience):
		t.Fatal("no answer")
	}
	s.send(readLine(calls, "w://a"))
	if line := <-s.lines; !bytes.Contains(line, []byte(`"id":80`)) {
		t.Errorf("got %.100s", line)
	}
}

// echo answers with its URI, many times over.
type echo struct{ shop }

func (echo) Read(_ context.Context, uri string) (*engine.Result, error) {
	return &engine.Result{Contents: []engine.Content{{URI: uri, Data: bytes.Repeat([]byte(uri), 5000)}}}, nil
}

// TestLargeContentsOfManyReadsAtOnce gets each answer the content of its own
// call, while some calls are cancelled.
func TestLargeContentsOfManyReadsAtOnce(t *testing.T) {
	const calls = 300
	s := startStdio(t, engine.NewServer(func() engine.Backend { return echo{} }, engine.ServerOptions{}), transport.StdioOptions{})
	s.initialize("2025-11-25")
	uri := func(id any) string { return fmt.Sprintf("e://call/%v/", id) }
	go func() {
		for id := range calls {
			line := readLine(id, uri(id)) + "\n"
			if id%7 == 6 {
				line += fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id) + "\n"
			}
			_, _ = io.WriteString(s.in, line)
		}
		s.in.Close()
	}()
	answers := 0
	for _, r := range s.rest() {
		answers++
		var got struct{ Contents []struct{ Text string } }
		if err := json.Unmarshal(r.Result, &got); err != nil || len(got.Contents) != 1 || got.Contents[0].Text != strings.Repeat(uri(r.ID), 5000) {
			t.Errorf("call %v: %v, another content", r.ID, err)
		}
	}
	if least := calls - calls/7; answers < least {
		t.Errorf("%d answers to at least %d calls", answers, least)
	}
}

// TestA50MBReadIsNotCopied counts what is allocated for one large read, from
// the call to the last byte of the answer. The backend holds one copy.
func TestA50MBReadIsNotCopied(t *testing.T) {
	const size = 50 << 20
	for name, binary := range map[string]bool{"text": false, "blob": true} {
		w := warehouse{contents: []engine.Content{{URI: "w://a", Data: bytes.Repeat([]byte("0123456789abcde\n"), size/16), Binary: binary}}}
		t.Run("stdio "+name, func(t *testing.T) {
			in, input := io.Pipe()
			out := &counter{until: size, done: make(chan struct{})}
			stopped := make(chan error)
			go func() { stopped <- transport.Stdio(t.Context(), w.server(), in, out, transport.StdioOptions{}) }()
			check(t, size, func() {
				_, _ = fmt.Fprintf(input, "%s\n%s\n", initialize, readLine(1, "w://a"))
				await(t, out.done)
			})
			input.Close()
			<-stopped
		})
		t.Run("http "+name, func(t *testing.T) {
			h, err := transport.NewHTTP(w.server(), transport.HTTPOptions{Listen: "127.0.0.1:80"})
			if err != nil {
				t.Fatal(err)
			}
			req, _ := http.NewRequest(http.MethodPost, "http://127.0.0.1:80/mcp", strings.NewReader(modernBody("resources/read", readParams("w://a"))))
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			headers := modernHeaders("resources/read", readParams("w://a"))
			for i := 0; i < len(headers); i += 2 {
				req.Header.Set(headers[i], headers[i+1])
			}
			out := &counter{until: size, done: make(chan struct{})}
			check(t, size, func() {
				h.ServeHTTP(discard{http.Header{}, out}, req)
				await(t, out.done)
			})
		})
	}
}

// check fails when work allocates two copies of size. It is next to nothing,
// but the race detector makes the encoder's pool forget its buffers at random;
// the SDK alone takes six.
func check(t *testing.T, size uint64, work func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 2*size {
		t.Errorf("%d bytes allocated for a content of %d", n, size)
	}
}

// counter is done when more than a number of bytes went into it.
type counter struct {
	n, until int
	done     chan struct{}
}

func (c *counter) Write(p []byte) (int, error) {
	if c.n += len(p); c.n > c.until && c.n-len(p) <= c.until {
		close(c.done)
	}
	return len(p), nil
}

type discard struct {
	header http.Header
	io.Writer
}

func (d discard) Header() http.Header { return d.header }
func (discard) WriteHeader(int)       {}

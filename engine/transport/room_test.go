package transport_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpdecl/mcpdecl/engine"
	"github.com/mcpdecl/mcpdecl/engine/transport"
)

// TestOneClientThatDoesNotReadFillsTheRoom: others get small answers still, and
// large ones as soon as it is gone.
func TestOneClientThatDoesNotReadFillsTheRoom(t *testing.T) {
	w := startWeb(t, anyShop(), transport.HTTPOptions{MaxUnread: 8 << 20, Grace: patience})
	stuck := w.sendRaw("resources/read", readParams("shop://big"), -1) // 6 MiB, more than a socket takes
	if _, err := stuck.Read(make([]byte, 1)); err != nil {             // the answer is on its way
		t.Fatal(err)
	}
	big := func() reply { return w.call("resources/read", readParams("shop://big")) }
	if r := big(); r.Error == nil || r.Error.Code != -32603 || !strings.Contains(r.Error.Message, "not read yet") || r.Error.Data["uri"] != "shop://big" {
		t.Errorf("a second large answer: %.200s", r.raw)
	}
	if !strings.Contains(w.log.String(), "refusing an answer") {
		t.Errorf("the log does not say so:\n%s", w.log)
	}
	w.call("resources/read", readParams("shop://hello")).wantText(t, "hello")
	stuck.Close()
	for deadline := time.Now().Add(patience); big().Error != nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the room is not free again")
		}
	}
	for range 3 { // one after the other they need no room beside each other
		if r := big(); r.Error != nil {
			t.Errorf("got %.200s", r.raw)
		}
	}
}

// counting answers with a quarter of a megabyte and counts.
type counting struct {
	shop
	reads *atomic.Int32
}

func (c counting) Read(context.Context, string) (*engine.Result, error) {
	c.reads.Add(1)
	return &engine.Result{Contents: []engine.Content{{URI: "c://a", Data: bytes.Repeat([]byte("x"), 256<<10)}}}, nil
}

// TestReadsWaitForAClientThatDoesNotRead lets a client send many calls before it
// reads the first answer.
func TestReadsWaitForAClientThatDoesNotRead(t *testing.T) {
	const calls, room, inside = 300, 4, 64
	c := counting{reads: &atomic.Int32{}}
	in, input := io.Pipe()
	output, out := io.Pipe()
	stopped := make(chan error, 1)
	server := engine.NewServer(func() engine.Backend { return c }, engine.ServerOptions{})
	// Another transport of the same server adds its middleware too.
	if _, err := transport.NewHTTP(server, transport.HTTPOptions{Listen: "127.0.0.1:80"}); err != nil {
		t.Fatal(err)
	}
	go func() {
		stopped <- transport.Stdio(t.Context(), server, in, out, transport.StdioOptions{MaxUnread: room * 256 << 10, EOFGrace: patience})
		out.Close()
	}()
	go func() {
		_, _ = fmt.Fprintln(input, initialize)
		for id := range calls {
			_, _ = fmt.Fprintln(input, readLine(id, "c://a"))
		}
		input.Close()
	}()
	lines := bufio.NewReaderSize(output, 16) // of initialize; then it reads no more
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	// One more may be on its way out.
	least, most := int32(room), int32(room+1+inside)
	for deadline := time.Now().Add(patience); c.reads.Load() < least; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("only %d reads began", c.reads.Load())
		}
	}
	time.Sleep(200 * time.Millisecond)
	if n := c.reads.Load(); n > most {
		t.Errorf("%d reads began for a client that reads none", n)
	}
	all, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(all, []byte(`"id"`)); n != calls || len(all) < calls*256<<10 {
		t.Errorf("%d answers of %d bytes", n, len(all))
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

package transport_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpdecl/mcpdecl/engine/transport"
)

func slowClients(h *transport.HTTP) { h.SetPace(100*time.Millisecond, 100*time.Millisecond) }

// sendRaw sends the beginning of a call of the newer revision.
func (w *web) sendRaw(method, params string, bodyBytes int) net.Conn {
	w.t.Helper()
	conn, err := net.Dial("tcp", w.addr)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { conn.Close() })
	_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	body := modernBody(method, params)
	fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n", w.addr, len(body))
	h := modernHeaders(method, params)
	for i := 0; i < len(h); i += 2 {
		fmt.Fprintf(conn, "%s: %s\r\n", h[i], h[i+1])
	}
	if bodyBytes < 0 {
		bodyBytes = len(body)
	}
	io.WriteString(conn, "\r\n"+body[:bodyBytes])
	return conn
}

func TestABodyThatNeverEnds(t *testing.T) {
	w := startWeb(t, anyShop(), transport.HTTPOptions{}, slowClients)
	conn := w.sendRaw("tools/list", "", 10)
	conn.SetReadDeadline(time.Now().Add(patience))
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := w.message(res); r.status != 400 || r.Error == nil {
		t.Errorf("got %d %s", r.status, r.raw)
	}
}

func TestAClientThatDoesNotRead(t *testing.T) {
	w := startWeb(t, anyShop(), transport.HTTPOptions{Grace: patience}, slowClients)
	conn := w.sendRaw("resources/read", readParams("shop://big"), -1)
	first := make([]byte, 1)
	conn.SetReadDeadline(time.Now().Add(patience))
	if _, err := conn.Read(first); err != nil { // the answer is on its way
		t.Fatal(err)
	}
	w.cancel()
	start := time.Now()
	if err := w.wait(); err != nil || time.Since(start) > patience/2 {
		t.Errorf("Serve: %v after %v", err, time.Since(start))
	}
}

func TestAStreamThatIsQuietForLong(t *testing.T) {
	server := newsServer()
	w := startWeb(t, server, transport.HTTPOptions{}, slowClients)
	listen := `{"notifications":{"resourcesListChanged":true}}`
	_, news := w.stream(http.MethodPost, modernBody("subscriptions/listen", listen), modernHeaders("subscriptions/listen", listen)...)
	_, events := w.stream(http.MethodGet, "", w.session()...)
	time.Sleep(300 * time.Millisecond)
	server.AddResource(&mcp.Resource{URI: "shop://new", Name: "new"}, nil)
	for {
		line, err := news.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, "list_changed") {
			break
		}
	}
	time.Sleep(300 * time.Millisecond)
	w.cancel()
	if rest, err := io.ReadAll(news); err != nil || !strings.Contains(string(rest), `"result"`) {
		t.Errorf("the stream ended with %v: %s", err, rest)
	}
	if _, err := io.ReadAll(events); err != nil {
		t.Errorf("the event stream ended with %v", err)
	}
	if err := w.wait(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

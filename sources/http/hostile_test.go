package http

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// raw is a backend that speaks for itself: it reads a request and writes what
// it likes.
func raw(t *testing.T, respond func(c net.Conn, n int)) *httptest.Server {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for n := 1; ; n++ {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if _, err := nethttp.ReadRequest(bufio.NewReader(c)); err == nil {
					respond(c, n)
				}
			}()
		}
	}()
	return &httptest.Server{URL: "http://" + ln.Addr().String()}
}

func TestC9_GzipBomb(t *testing.T) {
	var bomb bytes.Buffer
	z, _ := gzip.NewWriterLevel(&bomb, gzip.BestSpeed)
	zeros := make([]byte, 1<<20)
	for range 64 { // of the same kind as 1 GiB
		_, _ = z.Write(zeros)
	}
	_ = z.Close()
	server := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(bomb.Bytes())
	})
	f := open(t, server, one("max_bytes = \"1MiB\"\ntimeout = \"60s\"", `url = "/x"`))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := f.read("r")
	runtime.ReadMemStats(&after)
	var large *TooLargeError
	if !errors.As(err, &large) || publicText(err) != "upstream sent a body that is too large" {
		t.Errorf("got %v", err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
		t.Errorf("%d bytes were allocated", used)
	}
}

func TestC9_EndlessAndLargeBodies(t *testing.T) {
	server := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path == "/said" {
			w.Header().Set("Content-Length", "99999999999")
		}
		block := bytes.Repeat([]byte("x"), 64<<10)
		for {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	for _, path := range []string{"/chunked", "/said"} {
		var large *TooLargeError
		if _, err := open(t, server, one("max_bytes = \"1MiB\"\ntimeout = \"60s\""+quickRetry, `url = "`+path+`"`)).read("r"); !errors.As(err, &large) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestMaxBytesExactly(t *testing.T) {
	server := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		n, _ := strconv.Atoi(r.URL.Path[1:])
		if r.URL.RawQuery == "chunked" {
			w.(nethttp.Flusher).Flush()
		}
		_, _ = w.Write(bytes.Repeat([]byte("x"), n))
	})
	for _, n := range []int{1, 999, 1000, 1001, 5000} {
		for _, q := range []string{"", "?chunked"} {
			f := open(t, server, one("max_bytes = \"1000\"", fmt.Sprintf("url = \"/%d%s\"", n, q)))
			res, err := f.read("r")
			if n <= 1000 && (err != nil || len(res.Contents[0].Data) != n) || n > 1000 && err == nil {
				t.Errorf("%d%s: %v", n, q, err)
			}
		}
	}
}

func TestC9_OneDeadlineOverEverything(t *testing.T) {
	var requests atomic.Int64
	server := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		requests.Add(1)
		switch r.URL.Path {
		case "/drip":
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, "x")
				w.(nethttp.Flusher).Flush()
				select {
				case <-time.After(20 * time.Millisecond):
				case <-r.Context().Done():
				}
			}
		case "/silent":
			<-r.Context().Done()
		}
	})
	for _, path := range []string{"/drip", "/silent"} {
		f := open(t, server, one("timeout = \"300ms\""+quickRetry, `url = "`+path+`"`))
		began := time.Now()
		_, err := f.read("r")
		var late *TimeoutError
		if !errors.As(err, &late) || publicText(err) != "upstream did not answer in time" || time.Since(began) > 20*time.Second {
			t.Errorf("%s: %v in %s", path, err, time.Since(began))
		}
	}
	// The header never ends.
	server = raw(t, func(c net.Conn, _ int) {
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n")
		for {
			if _, err := io.WriteString(c, "X-A: b\r\n"); err != nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	})
	if _, err := open(t, server, one("timeout = \"300ms\"", `url = "/x"`)).read("r"); publicText(err) != "upstream did not answer in time" {
		t.Errorf("an endless header: %v", err)
	}
}

func TestWrongLengthsAndCutBodies(t *testing.T) {
	const cut = "upstream sent a body that cannot be used"
	for name, c := range map[string]struct{ response, want string }{
		"longer than said":   {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef", "abc"},
		"shorter than said":  {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", cut},
		"cut chunk":          {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc", cut},
		"no last chunk":      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", cut},
		"bad chunk":          {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n", "upstream unavailable"},
		"two lengths":        {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", "upstream unavailable"},
		"negative":           {"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabcd", "upstream unavailable"},
		"not HTTP":           {"SSH-2.0-OpenSSH_9.9\r\n", "upstream unavailable"},
		"nothing":            {"", "upstream unavailable"},
		"HTTP/1.0":           {"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nabc", "abc"},
		"HTTP/1.0 not found": {"HTTP/1.0 404 Not Found\r\n\r\n", "not found"},
		"bad gzip":           {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 20\r\n\r\nabcdefghijabcdefghij", cut},
		"cut gzip":           {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 10\r\n\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", cut},
		"unasked coding":     {"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 3\r\n\r\nabc", cut},
		"two codings":        {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\nContent-Length: 3\r\n\r\nabc", cut},
		"informational":      {"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Type: text/plain\r\n\r\nabc", "abc"},
		"a switch":           {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", "upstream answered with status 101"},
	} {
		t.Run(name, func(t *testing.T) {
			server := raw(t, func(conn net.Conn, _ int) { _, _ = io.WriteString(conn, c.response) })
			f := open(t, server, one("timeout = \"30s\""+quickRetry, `url = "/x?token=abcdef"`))
			res, err := f.read("r")
			got := ""
			if err != nil {
				got = publicText(err)
			} else {
				got = string(res.Contents[0].Data)
			}
			if got != c.want {
				t.Errorf("got %s: %v", got, err)
			}
			if err != nil && (strings.Contains(err.Error(), "abcdef") || strings.Contains(err.Error(), "OpenSSH")) {
				t.Errorf("the error shows %v", err)
			}
		})
	}
}

// A body that was cut is asked for again, as its status promised success.
func TestClosingInMidBody(t *testing.T) {
	server := raw(t, func(c net.Conn, n int) {
		body := "abcdef"
		if n < 3 {
			body = "abc"
		}
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\n"+body)
	})
	if got := open(t, server, one(quickRetry, `url = "/x"`)).text("r"); got != "abcdef" {
		t.Errorf("got %q", got)
	}
}

func TestHTTP2(t *testing.T) {
	server := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Content-Type", "text/plain")
		if r.URL.Path == "/cut" {
			w.Header().Set("Content-Length", "10")
			_, _ = io.WriteString(w, "abc")
			panic(nethttp.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, r.Proto)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	ca := writePEM(t, "CERTIFICATE", server.Certificate().Raw)
	if got := open(t, server, one("ca_file = \""+ca+"\"", `url = "/x"`)).text("r"); got != "HTTP/2.0" {
		t.Errorf("got %q", got)
	}
	if _, err := open(t, server, one("ca_file = \""+ca+"\""+quickRetry, `url = "/cut"`)).read("r"); err == nil {
		t.Error("a body that was cut was taken for whole")
	}
}

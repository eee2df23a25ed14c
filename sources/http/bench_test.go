package http

import (
	"bytes"
	"context"
	"fmt"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"
)

// BenchmarkPassThrough reads each size beside a bare client of net/http, by
// turns, so that whatever else the machine does hits both; it reports the
// medians and their ratio.
func BenchmarkPassThrough(b *testing.B) {
	server := benchServer(b)
	f := open(b, server, benchConfig)
	bare := &nethttp.Client{Transport: &nethttp.Transport{}}
	for _, size := range benchSizes {
		b.Run(size, func(b *testing.B) {
			src, req := f.sources["s"+size], f.request("s"+size)
			var ours, theirs []time.Duration
			one := func() {
				t0 := time.Now()
				if _, err := src.Read(context.Background(), req); err != nil {
					b.Fatal(err)
				}
				ours = append(ours, time.Since(t0))
			}
			other := func() {
				t0 := time.Now()
				if _, err := readBare(bare, server.URL+"/"+size); err != nil {
					b.Fatal(err)
				}
				theirs = append(theirs, time.Since(t0))
			}
			for i := 0; b.Loop(); i++ {
				if i%2 == 0 {
					one()
					other()
				} else {
					other()
					one()
				}
			}
			o, t := middle(ours), middle(theirs)
			b.ReportMetric(float64(o.Nanoseconds()), "ours-ns")
			b.ReportMetric(float64(t.Nanoseconds()), "bare-ns")
			b.ReportMetric(float64(o)/float64(t), "ratio")
		})
	}
}

var benchSizes = []string{"1024", "102400", "10485760"}

const benchConfig = `
connection "http" "api" {
  base_url  = "BASE"
  max_bytes = "20MiB"
}
resource "s1024" {
  uri = "t://1"
  source "http" {
    connection = connection.http.api
    url        = "/1024"
  }
}
resource "s102400" {
  uri = "t://2"
  source "http" {
    connection = connection.http.api
    url        = "/102400"
  }
}
resource "s10485760" {
  uri = "t://3"
  source "http" {
    connection = connection.http.api
    url        = "/10485760"
  }
}
`

func benchServer(t testing.TB) *httptest.Server {
	bodies := map[string][]byte{}
	for _, size := range benchSizes {
		n, _ := strconv.Atoi(size)
		bodies["/"+size] = bytes.Repeat([]byte(`{"a":1} `), n/8)
	}
	return serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		body := bodies[r.URL.Path]
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		_, _ = w.Write(body)
	})
}

func readBare(c *nethttp.Client, url string) ([]byte, error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

func middle(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// TestMemoryIsOneBuffer: passing a body through costs its own bytes, whether
// or not its size is said.
func TestMemoryIsOneBuffer(t *testing.T) {
	const size = 8 << 20
	body := bytes.Repeat([]byte("x"), size)
	server := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Content-Type", "text/plain")
		if r.URL.Path == "/said" {
			w.Header().Set("Content-Length", fmt.Sprint(size))
		}
		_, _ = w.Write(body)
	})
	for _, path := range []string{"/said", "/unsaid"} {
		f := open(t, server, one("timeout = \"60s\"", `url = "`+path+`"`))
		f.content("r") // the first read of an unknown size learns it
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		const reads = 5
		for range reads {
			f.content("r")
		}
		runtime.ReadMemStats(&after)
		if used := (after.TotalAlloc - before.TotalAlloc) / reads; used > size+size/8 {
			t.Errorf("%s: a read of %d bytes allocates %d", path, size, used)
		}
	}
}

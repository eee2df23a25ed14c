package http

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	nethttp "net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpdecl/mcpdecl/sources"
)

const upstreamSecret = "<b>stack trace of the backend</b>"

func TestC5_Statuses(t *testing.T) {
	status, contentType := 200, "text/html"
	var requests atomic.Int64
	server := serve(t, func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		requests.Add(1)
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		if status != 204 {
			_, _ = io.WriteString(w, upstreamSecret)
		}
	})
	f := open(t, server, one(quickRetry, `url = "/x"`))
	for _, c := range []struct {
		status   int
		requests int64
		public   string
		typed    any
	}{
		{404, 1, "not found", nil},
		{410, 1, "not found", nil},
		{204, 1, "not found", nil},
		{205, 1, "not found", nil},
		{401, 1, "upstream refused our credentials (status 401)", new(*CredentialsError)},
		{403, 1, "upstream refused our credentials (status 403)", new(*CredentialsError)},
		{429, 3, "upstream rate limited (status 429)", new(*RateLimitedError)},
		{500, 3, "upstream unavailable (status 500)", new(*UnavailableError)},
		{502, 3, "upstream unavailable (status 502)", new(*UnavailableError)},
		{503, 3, "upstream unavailable (status 503)", new(*UnavailableError)},
		{501, 1, "upstream unavailable (status 501)", new(*UnavailableError)},
		{400, 1, "upstream answered with status 400", new(*StatusError)},
		{418, 1, "upstream answered with status 418", new(*StatusError)},
		{206, 1, "upstream answered with status 206", new(*StatusError)},
		{304, 1, "upstream answered with status 304", new(*StatusError)},
		{302, 1, "upstream answered with status 302", new(*StatusError)}, // without a location
	} {
		status = c.status
		requests.Store(0)
		_, err := f.read("r")
		if publicText(err) != c.public || c.typed != nil && !errors.As(err, c.typed) {
			t.Errorf("%d: %v", c.status, err)
		}
		if requests.Load() != c.requests {
			t.Errorf("%d: %d requests", c.status, requests.Load())
		}
		if strings.Contains(err.Error(), "stack trace") {
			t.Errorf("%d: the body of the backend is in %v", c.status, err)
		}
	}
}

func TestC5_BodyThatIsNotJSON(t *testing.T) {
	for _, c := range []struct{ contentType, body, source, owner, reason string }{
		{"text/html", upstreamSecret, "items = body.list", "", "it is text/html, not JSON"},
		{"text/html", upstreamSecret, "", "json = body.id", "it is text/html, not JSON"},
		{"application/json", upstreamSecret, "", "json = body.id", "it is not valid JSON"},
		{"application/json", upstreamSecret, "", "text = body.id", "it is not valid JSON"},
		{"application/json", `{"list":{}}`, "items = body.list", "", "not a list"},
		{"application/json", `{"data":1}`, "items = body.list", "", "what items expects"},
		{"application/json", `{"a":1} {"a":2}`, "", "json = body.a", "it is not valid JSON"},
		{"application/json", strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "", "json = body", "nests deeper"},
		{"application/json", strings.Repeat("[", 1e6), "", "json = body", "not valid JSON"},
		{"application/json; charset=utf-8", "{\"a\":\"\xff\"}", "", "json = body", "its charset"},
	} {
		text := strings.Replace(one(quickRetry, "url = \"/x\"\n"+c.source), "uri = \"t://r\"", "uri = \"t://r\"\n"+c.owner, 1)
		_, err := open(t, reply(t, 200, c.contentType, c.body), text).read("r")
		var bad *BodyError
		if !errors.As(err, &bad) || !strings.Contains(bad.Reason, c.reason) || publicText(err) != "upstream sent a body that cannot be used" {
			t.Errorf("%v: %v", c, err)
		}
		if strings.Contains(err.Error(), "stack trace") {
			t.Errorf("the body of the backend is in %v", err)
		}
	}
}

func TestNotFoundStatuses(t *testing.T) {
	server := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		n, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		w.WriteHeader(n)
	})
	config := one("", "url = \"/{n}\"\nnot_found = [403, 404]")
	config = strings.Replace(config, "t://r", "t://r/{n}", 1)
	f := open(t, server, config)
	for n, want := range map[string]string{
		"403": "not found", "404": "not found", "410": "upstream answered with status 410", "200": "not found", // empty
	} {
		if _, err := f.read("r", n); publicText(err) != want {
			t.Errorf("%s: %v", n, err)
		}
	}
}

func TestC6_RetryAfter(t *testing.T) {
	for _, c := range []struct {
		status   int
		after    string
		public   string
		requests int64
	}{
		{429, "86400", "upstream rate limited (status 429)", 1},
		{503, "86400", "upstream unavailable (status 503)", 1},
		{429, time.Now().Add(24 * time.Hour).UTC().Format(nethttp.TimeFormat), "upstream rate limited (status 429)", 1},
		{429, "99999999999999999999", "upstream rate limited (status 429)", 1},
		{429, "0", "upstream rate limited (status 429)", 3},
		{429, "-5", "upstream rate limited (status 429)", 3},
		{429, "soon", "upstream rate limited (status 429)", 3},
		{429, "Thu, 01 Jan 1970 00:00:00 GMT", "upstream rate limited (status 429)", 3},
	} {
		var requests atomic.Int64
		server := serve(t, func(w nethttp.ResponseWriter, _ *nethttp.Request) {
			requests.Add(1)
			w.Header().Set("Retry-After", c.after)
			w.WriteHeader(c.status)
		})
		f := open(t, server, one(quickRetry+"timeout = \"60s\"", `url = "/x"`))
		began := time.Now()
		_, err := f.read("r")
		if publicText(err) != c.public || requests.Load() != c.requests || time.Since(began) > 20*time.Second {
			t.Errorf("%v: %v, %d requests in %s", c, err, requests.Load(), time.Since(began))
		}
	}
}

// A wait that the deadline does not leave is not begun.
func TestC6_NeverBeyondTheDeadline(t *testing.T) {
	var requests atomic.Int64
	server := serve(t, func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		requests.Add(1)
		w.Header().Set("Retry-After", "100")
		w.WriteHeader(429)
	})
	f := open(t, server, one("timeout = \"50s\"\nretry {\n max_wait = \"200s\"\n}", `url = "/x"`))
	began := time.Now()
	_, err := f.read("r")
	if publicText(err) != "upstream rate limited (status 429)" || requests.Load() != 1 || time.Since(began) > 20*time.Second {
		t.Errorf("%v, %d requests in %s", err, requests.Load(), time.Since(began))
	}
}

func TestRetriesRecover(t *testing.T) {
	var requests atomic.Int64
	server := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		body, _ := io.ReadAll(r.Body)
		switch n := requests.Add(1); {
		case n == 1:
			w.WriteHeader(503)
		case n == 2:
			panic(nethttp.ErrAbortHandler) // the connection is closed
		default:
			_, _ = io.WriteString(w, "ok "+string(body))
		}
	})
	var log bytes.Buffer
	f := open(t, server, one(quickRetry, `url = "/x?key=s3cret"`))
	f.conns["api"].log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if got := f.text("r"); got != "ok " || requests.Load() != 3 {
		t.Errorf("%q after %d requests", got, requests.Load())
	}
	for _, part := range []string{"connection=http.api", "status=503", "wait="} {
		if !strings.Contains(log.String(), part) || strings.Contains(log.String(), "s3cret") {
			t.Errorf("%s is not in the log, or a secret is:\n%s", part, log.String())
		}
	}
	requests.Store(0)
	post := "url = \"/x\"\nmethod = \"POST\"\nbody = \"q\"\n"
	if _, err := open(t, server, one(quickRetry, post)).read("r"); publicText(err) != "upstream unavailable (status 503)" || requests.Load() != 1 {
		t.Errorf("a POST: %v after %d requests", err, requests.Load())
	}
	requests.Store(0)
	if got := open(t, server, one(quickRetry, post+"idempotent = true")).text("r"); got != "ok q" || requests.Load() != 3 {
		t.Errorf("an idempotent POST: %q after %d requests", got, requests.Load())
	}
	requests.Store(0)
	if _, err := open(t, server, one("retry {\n max = 0\n}", `url = "/x"`)).read("r"); err == nil || requests.Load() != 1 {
		t.Errorf("max = 0: %v after %d requests", err, requests.Load())
	}
}

func TestBackoff(t *testing.T) {
	r := retrySettings{5, 100 * time.Millisecond, 2 * time.Second}
	for n, most := range []time.Duration{100, 200, 400, 800, 1600, 2000, 2000} {
		most *= time.Millisecond
		for range 20 {
			if w := backoff(r, n); w > most || w < most*3/4 {
				t.Errorf("wait %d is %s", n, w)
			}
		}
	}
	if w := backoff(r, 1000); w > r.maxWait {
		t.Errorf("wait is %s", w)
	}
}

func TestCancelledByTheCaller(t *testing.T) {
	arrived := make(chan struct{}, 8)
	server := serve(t, func(_ nethttp.ResponseWriter, r *nethttp.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	f := open(t, server, one("timeout = \"60s\"", `url = "/x"`))
	var cancel context.CancelFunc
	f.ctx, cancel = context.WithCancel(context.Background())
	go func() { <-arrived; cancel() }()
	if _, err := f.read("r"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	f.ctx = context.Background()
	go func() { <-arrived; _ = f.conns["api"].Close() }()
	if _, err := f.read("r"); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
	if len(arrived) > 0 {
		t.Error("a read that was given up was tried again")
	}
}

func TestValidatorsAndFreshness(t *testing.T) {
	server := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("ETag", `"v1"`)
		w.Header().Set("Cache-Control", "public, max-age=60")
		w.Header().Set("Age", "15")
		if r.Header.Get("If-None-Match") == `"v1"` {
			w.WriteHeader(304)
			return
		}
		_, _ = io.WriteString(w, "x")
	})
	f := open(t, server, one("", `url = "/x"`))
	res, err := f.read("r")
	if err != nil || res.TTL != 45*time.Second || res.Validator == nil || res.Validator.ETag != `"v1"` || res.PerCaller {
		t.Fatalf("%+v, %v", res, err)
	}
	req := f.request("r")
	req.Validator = res.Validator
	if _, err := f.sources["r"].Read(f.ctx, req); !errors.Is(err, sources.ErrNotModified) {
		t.Errorf("got %v", err)
	}
	for header, want := range map[string]time.Duration{
		"max-age=5": 5 * time.Second, "MAX-AGE=\"5\"": 5 * time.Second, "no-store, max-age=5": 0, "no-cache": 0, "max-age=x": 0,
		"max-age=-1": 0, "private, max-age=7": 7 * time.Second, "max-age=99999999999": (1 << 31) * time.Second, "": 0,
		"max-age=99999999999999999999": (1 << 31) * time.Second, "max-age=100, max-age=9": 9 * time.Second, "max-age=100, max-age=0": 0,
	} {
		kept := validator(nethttp.Header{"Cache-Control": {header}, "Etag": {`"v1"`}}) != nil
		if kept == strings.Contains(header, "no-store") {
			t.Errorf("%q: kept to ask for it again: %t", header, kept)
		}
		if got := freshness(nethttp.Header{"Cache-Control": {header}}); got != want {
			t.Errorf("%q: %s", header, got)
		}
		if got := says(nethttp.Header{"Cache-Control": {header}}, "private"); got != strings.Contains(header, "private") {
			t.Errorf("%q: private %t", header, got)
		}
	}
	for age, want := range map[string]time.Duration{
		"9": time.Second, " 9 ": time.Second, "10": 0, "99999999999999999999": 0, "-3": 10 * time.Second, "x": 10 * time.Second,
	} {
		if got := freshness(nethttp.Header{"Cache-Control": {"max-age=10"}, "Age": {age}}); got != want {
			t.Errorf("Age %q: %s", age, got)
		}
	}
}

package main

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestCacheOverHTTP keeps answers of a real backend: as long as its
// Cache-Control says, or as long as the block says and then by its ETag.
func TestCacheOverHTTP(t *testing.T) {
	var requests []string
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests = append(requests, r.URL.Path+" "+r.Header.Get("If-None-Match"))
		w.Header().Set("ETag", `"v1"`)
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Cache-Control", "max-age=3600")
		if r.Header.Get("If-None-Match") == `"v1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = io.WriteString(w, "answer")
	}))
	defer backend.Close()
	config := fmt.Sprintf("connection \"http\" \"b\" {\n  base_url = %q\n}\n", backend.URL)
	for name, ttl := range map[string]string{"upstream": "upstream", "short": "1ms"} {
		config += fmt.Sprintf("resource %q {\n  uri = \"a://%s\"\n  source \"http\" {\n    connection = connection.http.b\n    url = \"/%s\"\n  }\n  cache {\n    ttl = %q\n  }\n}\n", name, name, name, ttl)
	}
	file := filepath.Join(t.TempDir(), "main.hcl")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	p := &program{out: io.Discard, err: os.Stderr, lookupEnv: func(string) (string, bool) { return "", false }}
	e, _, err := p.open([]string{file}, loadFlags{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, uri := range []string{"a://upstream", "a://upstream", "a://short", "a://short"} {
		res, err := e.Read(t.Context(), uri)
		if err != nil || string(res.Contents[0].Data) != "answer" || res.TTL <= 0 {
			t.Fatalf("%s: %+v, %v", uri, res, err)
		}
		time.Sleep(5 * time.Millisecond) // longer than the short ttl
	}
	if want := []string{"/upstream ", "/short ", `/short "v1"`}; !slices.Equal(requests, want) {
		t.Errorf("requests %q, want %q", requests, want)
	}
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestC10_ForwardedHeaders passes a header of the caller on to the backend:
// only one that is listed, and only from a client that came over HTTP.
func TestC10_ForwardedHeaders(t *testing.T) {
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "user %q, other %q", r.Header.Get("X-User"), r.Header.Get("X-Other"))
	}))
	defer backend.Close()
	dir := t.TempDir()
	config := fmt.Sprintf("connection \"http\" \"b\" {\n  base_url = %q\n  forward_headers = [\"X-User\"]\n}\nresource \"r\" {\n  uri = \"a://who\"\n"+
		"  source \"http\" {\n    connection = connection.http.b\n    url = \"/\"\n  }\n}\n", backend.URL)
	if err := os.WriteFile(filepath.Join(dir, "main.hcl"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	addr := freeAddr(t)
	cmd := serveCommand(dir, "--http", addr)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Signal(syscall.SIGTERM); _ = cmd.Wait() }()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	waitReady(t, ctx, "http://"+addr, &stderr)
	client := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: "http://" + addr + "/mcp", HTTPClient: &http.Client{Transport: addHeaders{}},
	}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	defer session.Close()
	res, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "a://who"})
	if err != nil || res.Contents[0].Text != `user "zoë", other ""` {
		t.Errorf("over HTTP: %+v, %v\n%s", res, err, &stderr)
	}
	out, err := exec.Command("mcpdecl", "read", dir, "a://who").CombinedOutput()
	if err != nil || !strings.Contains(string(out), `user "", other ""`) {
		t.Errorf("without a caller: %s, %v", out, err)
	}
}

type addHeaders struct{}

func (addHeaders) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-User", "zoë")
	r.Header.Set("X-Other", "secret")
	return http.DefaultTransport.RoundTrip(r)
}

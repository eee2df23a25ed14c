package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
)

// load reads a configuration whose text stands in dir/test.hcl.
func load(t testing.TB, dir, text string, env map[string]string) (*decl.Config, decl.Diagnostics) {
	t.Helper()
	name := filepath.Join(dir, "test.hcl")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return decl.Load([]string{name}, decl.Options{
		ReadFile:  os.ReadFile,
		ReadDir:   func(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) },
		Stat:      func(name string) (fs.FileInfo, error) { return os.Stat(name) },
		LookupEnv: lookup(env),
		Kinds:     decl.Kinds{Connections: Kind.Connections, Sources: []decl.SourceKind{Kind.Source}},
	})
}

func lookup(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := env[name]; return v, ok }
}

// fixture is a configuration with its connections open.
type fixture struct {
	t       testing.TB
	config  *decl.Config
	conns   map[string]*connection
	sources map[string]sources.Source
	env     map[string]string // of the host
	ctx     context.Context
}

// open loads a configuration that must be without mistakes and opens what it
// declares. BASE in it is the server's URL.
func open(t testing.TB, server *httptest.Server, text string, env ...string) *fixture {
	t.Helper()
	dir := t.TempDir()
	if server != nil {
		text = strings.ReplaceAll(text, "BASE", server.URL)
	}
	return openIn(t, dir, text, env...)
}

func openIn(t testing.TB, dir, text string, env ...string) *fixture {
	t.Helper()
	f := &fixture{t: t, conns: map[string]*connection{}, sources: map[string]sources.Source{}, env: map[string]string{}, ctx: context.Background()}
	for _, kv := range env {
		k, v, _ := strings.Cut(kv, "=")
		f.env[k] = v
	}
	config, diags := load(t, dir, text, f.env)
	for _, d := range diags {
		if d.Severity == decl.Error {
			t.Fatalf("%s\n%s", d, d.Detail)
		}
	}
	f.config = config
	host := sources.Host{Log: slog.New(slog.DiscardHandler), Now: time.Now, LookupEnv: lookup(f.env), ReadFile: os.ReadFile}
	byDecl := map[*decl.Connection]sources.Connection{}
	for _, c := range config.Connections {
		conn, err := Kind.Connect(host, c)
		if err != nil {
			t.Fatal(err)
		}
		byDecl[c], f.conns[c.Name] = conn, conn.(*connection)
		t.Cleanup(func() { _ = conn.Close() })
	}
	for _, r := range config.Resources {
		src, err := Kind.New(host, byDecl[r.Source.Connection], r.Source)
		if err != nil {
			t.Fatal(err)
		}
		f.sources[r.Name] = src
	}
	return f
}

func (f *fixture) request(name string, params ...any) *sources.Request {
	f.t.Helper()
	for _, r := range f.config.Resources {
		if r.Name != name {
			continue
		}
		if len(params) != len(r.Params) {
			f.t.Fatalf("resource %q has %d parameters", name, len(r.Params))
		}
		req := &sources.Request{
			URI: r.URI, Params: params, MIMEType: r.MIMEType,
			Scope: &decl.Scope{Params: r.Params, Values: params, URI: r.URI},
		}
		switch {
		case r.Body.JSON != nil:
			req.Need = sources.JSONValues
		case r.Body.Expr() != nil:
			req.Need = sources.TextValues
		}
		return req
	}
	f.t.Fatalf("no resource %q", name)
	return nil
}

func (f *fixture) read(name string, params ...any) (*sources.Result, error) {
	f.t.Helper()
	return f.sources[name].Read(f.ctx, f.request(name, params...))
}

// content reads a resource that has one content.
func (f *fixture) content(name string, params ...any) sources.Content {
	f.t.Helper()
	res, err := f.read(name, params...)
	if err != nil {
		f.t.Fatalf("read %s: %v", name, err)
	}
	if len(res.Contents) != 1 {
		f.t.Fatalf("read %s: %d contents", name, len(res.Contents))
	}
	return res.Contents[0]
}

func (f *fixture) text(name string, params ...any) string {
	f.t.Helper()
	return string(f.content(name, params...).Data)
}

// one is a configuration of one resource with a quick connection.
func one(connection, source string) string {
	return `
connection "http" "api" {
  base_url = "BASE"
  ` + connection + `
}
resource "r" {
  uri = "t://r"
  source "http" {
    connection = connection.http.api
    ` + source + `
  }
}
`
}

const quickRetry = "\nretry {\n max = 2\n min_wait = \"1ms\"\n max_wait = \"20ms\"\n}\n"

// serve starts a backend that lives as long as the test.
func serve(t testing.TB, h nethttp.HandlerFunc) *httptest.Server {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// reply is a backend that always says the same.
func reply(t testing.TB, status int, contentType, body string) *httptest.Server {
	return serve(t, func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		w.Header()["Content-Type"] = nil
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

// publicText is what a client would see of an error.
func publicText(err error) string {
	var p *sources.PublicError
	if errors.As(err, &p) {
		return p.Message
	}
	if errors.Is(err, sources.ErrNotFound) {
		return "not found"
	}
	return fmt.Sprintf("internal error (%v)", err)
}

package sql

import (
	"context"
	"encoding/json"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mattn/go-sqlite3"
	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
)

func testHost(t testing.TB) sources.Host {
	dir := t.TempDir()
	return sources.Host{
		Log:       slog.New(slog.DiscardHandler),
		Now:       time.Now,
		TempDir:   func() (string, error) { return dir, nil },
		LookupEnv: os.LookupEnv,
		ReadFile:  os.ReadFile,
		Stat:      os.Stat,
		SameFile:  os.SameFile,
	}
}

func testKinds() decl.Kinds {
	return decl.Kinds{Connections: Kind.Connections, Sources: []decl.SourceKind{Kind.Source}}
}

// load reads a configuration whose text stands in dir/test.hcl.
func load(t testing.TB, dir, text string) (*decl.Config, decl.Diagnostics) {
	t.Helper()
	name := filepath.Join(dir, "test.hcl")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return decl.Load([]string{name}, decl.Options{
		ReadFile:  os.ReadFile,
		ReadDir:   func(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) },
		Stat:      func(name string) (fs.FileInfo, error) { return os.Stat(name) },
		LookupEnv: os.LookupEnv,
		Kinds:     testKinds(),
	})
}

// fixture is a configuration with its connections open.
type fixture struct {
	t       testing.TB
	config  *decl.Config
	conns   map[*decl.Connection]sources.Connection
	sources map[string]sources.Source
}

// open loads a configuration that must be without mistakes and opens what it
// declares.
func open(t testing.TB, dir, text string) *fixture {
	t.Helper()
	config, diags := load(t, dir, text)
	for _, d := range diags {
		t.Fatalf("%s\n%s", d, d.Detail)
	}
	f := &fixture{t, config, map[*decl.Connection]sources.Connection{}, map[string]sources.Source{}}
	host := testHost(t)
	for _, c := range config.Connections {
		conn, err := Kind.Connect(host, c)
		if err != nil {
			t.Fatal(err)
		}
		f.conns[c] = conn
		t.Cleanup(func() {
			if err := conn.Close(); err != nil {
				t.Errorf("close %s: %v", c.ID(), err)
			}
		})
	}
	for _, r := range config.Resources {
		src, err := Kind.New(host, f.conns[r.Source.Connection], r.Source)
		if err != nil {
			t.Fatal(err)
		}
		f.sources[r.Name] = src
	}
	return f
}

func (f *fixture) resource(name string) *decl.Resource {
	f.t.Helper()
	for _, r := range f.config.Resources {
		if r.Name == name {
			return r
		}
	}
	f.t.Fatalf("no resource %q", name)
	return nil
}

func (f *fixture) request(name string, params ...any) *sources.Request {
	r := f.resource(name)
	if len(params) != len(r.Params) {
		f.t.Fatalf("resource %q has %d parameters", name, len(r.Params))
	}
	return &sources.Request{
		URI: r.URI, Params: params, MIMEType: r.MIMEType,
		Scope: &decl.Scope{Params: r.Params, Values: params, URI: r.URI},
	}
}

func (f *fixture) read(name string, params ...any) (*sources.Result, error) {
	f.t.Helper()
	return f.sources[name].Read(context.Background(), f.request(name, params...))
}

// text reads a resource that has one content and returns it.
func (f *fixture) text(name string, params ...any) string {
	f.t.Helper()
	res, err := f.read(name, params...)
	if err != nil {
		f.t.Fatalf("read %s: %v", name, err)
	}
	if len(res.Contents) != 1 {
		f.t.Fatalf("read %s: %d contents", name, len(res.Contents))
	}
	return string(res.Contents[0].Data)
}

// sqliteFile makes a database of the statements.
func sqliteFile(t testing.TB, statements ...string) (dir, name string) {
	t.Helper()
	dir = t.TempDir()
	name = filepath.Join(dir, "test.db")
	sqliteExec(t, name, statements...)
	return dir, name
}

func sqliteExec(t testing.TB, name string, statements ...string) {
	t.Helper()
	conn, err := new(sqlite3.SQLiteDriver).Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.(*sqlite3.SQLiteConn).Exec("SELECT 1;"+strings.Join(statements, ";\n"), nil); err != nil {
		t.Fatal(err)
	}
}

// oneQuery is a configuration of one resource over a SQLite file.
func oneQuery(query string, more ...string) string {
	q, _ := json.Marshal(query)
	text := strings.NewReplacer("${", "$${", "%{", "%%{").Replace(string(q))
	return `
connection "sqlite" "db" {
  path = "test.db"
}
resource "r" {
  uri = "t://r"
  source "sql" {
    connection = connection.sqlite.db
    query      = ` + text + "\n" + strings.Join(more, "\n") + `
  }
}
`
}

// queryText reads the rows of one query over a database of the statements.
func queryText(t *testing.T, query string, more []string, statements ...string) string {
	t.Helper()
	dir, _ := sqliteFile(t, statements...)
	return open(t, dir, oneQuery(query, more...)).text("r")
}

func mustJSON(t testing.TB, s string) {
	t.Helper()
	if !json.Valid([]byte(s)) {
		t.Errorf("not valid JSON: %s", s)
	}
}

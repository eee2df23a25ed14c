package file

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/engine"
	"github.com/mcpdecl/mcpdecl/sources"
)

// server is an engine over a folder of files.
type server struct {
	*engine.Engine
	t    testing.TB
	dir  string // the folder of the configuration
	root string // dir/docs
	log  *logBuffer
}

type logBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *logBuffer) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.String()
}

// load checks a configuration in a folder.
func load(t testing.TB, dir, config string) (*decl.Config, decl.Diagnostics) {
	t.Helper()
	main := filepath.Join(dir, "main.hcl")
	if err := os.WriteFile(main, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	return decl.Load([]string{main}, decl.Options{
		ReadFile: os.ReadFile, ReadDir: os.ReadDir, Stat: os.Stat,
		LookupEnv: func(string) (string, bool) { return "", false },
		Kinds:     decl.Kinds{Connections: Kind.Connections, Sources: []decl.SourceKind{Kind.Source}},
	})
}

// serve opens a configuration over the files, which are made below docs.
func serve(t testing.TB, files map[string]string, config string) *server {
	t.Helper()
	s := &server{t: t, dir: t.TempDir(), log: &logBuffer{}}
	s.root = filepath.Join(s.dir, "docs")
	if err := os.Mkdir(s.root, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		s.write(name, text)
	}
	s.open(config)
	return s
}

func (s *server) open(config string) {
	s.t.Helper()
	c, diags := load(s.t, s.dir, config)
	for _, d := range diags {
		if d.Severity == decl.Error {
			s.t.Fatalf("%s: %s\n%s", d.Range, d.Summary, d.Detail)
		}
	}
	host := sources.Host{Log: slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})), Now: time.Now}
	e, err := engine.New(c, []sources.Kind{Kind}, host)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { e.Close() })
	s.Engine = e
}

func (s *server) path(name string) string { return filepath.Join(s.root, filepath.FromSlash(name)) }

func (s *server) write(name, text string) {
	s.t.Helper()
	p := s.path(name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) link(target, name string) {
	s.t.Helper()
	if err := os.Symlink(target, s.path(name)); err != nil {
		s.t.Fatal(err)
	}
}

// read returns the texts of a read's contents; blobs are in brackets.
func (s *server) read(uri string) string {
	s.t.Helper()
	res, err := s.Read(context.Background(), uri)
	if err != nil {
		return errorText(err)
	}
	var out []string
	for _, c := range res.Contents {
		text := string(c.Data)
		if c.Binary {
			text = fmt.Sprintf("[%x]", c.Data)
		}
		out = append(out, text)
	}
	return strings.Join(out, "|")
}

// errorText is what a client learns, with the cause of an internal error.
func errorText(err error) string {
	var e *engine.Error
	if !errors.As(err, &e) {
		return "no engine error: " + err.Error()
	}
	if e.NotFound {
		return "not found"
	}
	if e.Code == engine.CodeInternal {
		return fmt.Sprintf("internal: %v", e)
	}
	return fmt.Sprintf("%d %s", e.Code, e.Message)
}

func (s *server) wantRead(uri, want string) {
	s.t.Helper()
	if got := s.read(uri); got != want {
		s.t.Errorf("%s\ngot  %.300q\nwant %.300q", uri, got, want)
	}
}

// list follows the pages of resources/list.
func (s *server) list() []engine.Listed {
	s.t.Helper()
	var out []engine.Listed
	for cursor, n := "", 0; n < 10_000; n++ {
		page, err := s.List(context.Background(), cursor)
		if err != nil {
			s.t.Fatal(err)
		}
		out = append(out, page.Resources...)
		if cursor = page.Next; cursor == "" {
			return out
		}
	}
	s.t.Fatal("the pages do not end")
	return nil
}

func (s *server) listed() string {
	s.t.Helper()
	var names []string
	for _, l := range s.list() {
		names = append(names, l.Name)
	}
	return strings.Join(names, " ")
}

// everything serves all files by path, and lists them.
const everything = `
connection "file" "docs" {
  root = "docs"
}
resource "doc" {
  uri = "docs://{+path}"
  source "file" {
    connection = connection.file.docs
    path       = "{+path}"
  }
  list {}
}
`

// everythingHidden is the same with hidden files.
var everythingHidden = strings.Replace(everything, `root = "docs"`, "root = \"docs\"\n  hidden = true", 1)

func isRoot() bool { return os.Geteuid() == 0 }

func mustStat(t testing.TB, path string) fs.FileInfo {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func encode(t testing.TB, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

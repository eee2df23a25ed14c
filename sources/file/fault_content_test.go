//go:build unix

package file

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mcpdecl/mcpdecl/engine"
)

func TestD6_LargeFiles(t *testing.T) {
	s := serve(t, map[string]string{"ok": strings.Repeat("x", 1024), "over": strings.Repeat("x", 1025)},
		strings.Replace(everything, `root = "docs"`, "root = \"docs\"\nmax_bytes = \"1KiB\"", 1))
	f, err := os.Create(s.path("huge"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(3 << 30); err != nil {
		t.Skip("no sparse files:", err)
	}
	f.Close()
	s.wantRead("docs://ok", strings.Repeat("x", 1024))
	for _, name := range []string{"over", "huge"} {
		_, err := s.Read(context.Background(), "docs://"+name)
		e, _ := err.(*engine.Error)
		if e == nil || e.Message != "The file is larger than 1 KiB (max_bytes)" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestD6_FileThatChangesWhileRead reads a file that grows and shrinks.
func TestD6_FileThatChangesWhileRead(t *testing.T) {
	s := serve(t, map[string]string{"log": strings.Repeat("x", 1<<20)},
		strings.Replace(everything, `root = "docs"`, "root = \"docs\"\nmax_bytes = \"1MiB\"", 1))
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				_ = os.Truncate(s.path("log"), int64(i%3)<<20)
			}
		}
	}()
	end := time.Now().Add(time.Second)
	for time.Now().Before(end) {
		res, err := s.Read(context.Background(), "docs://log")
		if err != nil {
			if !strings.Contains(err.Error(), "larger than 1 MiB") {
				t.Fatal(err)
			}
			continue
		}
		if n := len(res.Contents[0].Data); n > 1<<20 {
			t.Fatalf("%d bytes", n)
		}
	}
	close(stop)
	<-stopped
}

func TestD6_ManyFiles(t *testing.T) {
	files := map[string]string{"a": "1", "b/c": "2", "b.x": "3", "d": "4"}
	config := `
connection "file" "docs" {
  root      = "docs"
  max_files = 3
}
resource "all" {
  uri = "all://all"
  source "file" {
    connection = connection.file.docs
    glob       = "**"
  }
}`
	s := serve(t, files, config)
	s.wantRead("all://all", "1|2|3|only the first 3 files, in the order of their paths; more match **")
	if err := os.Remove(s.path("d")); err != nil {
		t.Fatal(err)
	}
	s.wantRead("all://all", "1|2|3")
	s.open(strings.Replace(config, "max_files = 3", `max_bytes = "2B"`, 1))
	if got := s.read("all://all"); !strings.Contains(got, "The files together are larger than 2 bytes") {
		t.Errorf("got %s", got)
	}
}

func TestD7_BadPatterns(t *testing.T) {
	for _, glob := range []string{"*.{md", "[a", `a\\`, "/a", "a//b", "../*", "./*", "a/"} {
		dir := t.TempDir()
		_, diags := load(t, dir, `
resource "r" {
  uri = "docs://r"
  source "file" {
    root = "."
    glob = "`+glob+`"
  }
}`)
		if len(diags) != 1 || diags[0].Code != "invalid_glob" || diags[0].Range.Start.Line != 6 || diags[0].Range.Start.Column != 12 {
			t.Errorf("%s: %v", glob, diags)
		}
	}
}

func TestS4_EmptyFile(t *testing.T) {
	s := serve(t, map[string]string{"empty.md": "", "empty.png": ""}, everything)
	for name, binary := range map[string]bool{"empty.md": false, "empty.png": true} {
		res, err := s.Read(context.Background(), "docs://"+name)
		if err != nil {
			t.Fatal(err)
		}
		if c := res.Contents[0]; len(c.Data) != 0 || c.Binary != binary {
			t.Errorf("%s: %v", name, c)
		}
		wire, err := engine.WireResult(res, "docs://"+name)
		if err != nil {
			t.Fatal(err)
		}
		field := map[bool]string{false: `"text":""`, true: `"blob":""`}[binary]
		if raw := encode(t, wire); !strings.Contains(raw, field) {
			t.Errorf("%s: %s", name, raw)
		}
	}
}

func TestS14_TextOrBlob(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n"
	s := serve(t, map[string]string{
		"a.png": png, "b.png": "plain", "c.svg": "<svg/>", "d.bin": "text", "e.bin": "a\x00b", "f.md": png, "g": "é", "h.txt": "\xe9", "i.PNG": png,
		"j.tar.gz": "\x1f\x8b", "k.jsonl": "{}", "l.unknown": "x", "m.unknown": "\x00", "n.yml": "a: 1",
	}, everything)
	for name, want := range map[string]string{
		"a.png": "image/png blob", "b.png": "image/png blob", "c.svg": "image/svg+xml text", "d.bin": "application/octet-stream text",
		"e.bin": "application/octet-stream blob", "f.md": "text/markdown blob", "g": "text/plain text", "h.txt": "text/plain blob",
		"i.PNG": "image/png blob", "j.tar.gz": "application/gzip blob", "k.jsonl": "application/jsonl text", "l.unknown": "text/plain text",
		"m.unknown": "application/octet-stream blob", "n.yml": "application/yaml text",
	} {
		res, err := s.Read(context.Background(), "docs://"+name)
		if err != nil {
			t.Fatal(err)
		}
		c := res.Contents[0]
		if got := c.MIMEType + map[bool]string{true: " blob", false: " text"}[c.Binary]; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if got := string(c.Data); len(got) == 0 {
			t.Errorf("%s: no data", name)
		}
	}
}

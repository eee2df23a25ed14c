package file

import (
	"context"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcpdecl/mcpdecl/engine"
	"github.com/mcpdecl/mcpdecl/sources"
)

func TestExplain(t *testing.T) {
	s := serve(t, nil, everything+`
resource "glob" {
  uri = "glob://{name}"
  source "file" {
    root = "docs"
    glob = "**/{name}.md"
  }
}`)
	x, err := s.Explain("docs://a/b%20c.md")
	if err != nil || !reflect.DeepEqual(*x.Source, sources.Plan{Kind: "file", Connection: "file.docs", Root: s.root, Path: "a/b c.md"}) {
		t.Errorf("%+v %v", x.Source, err)
	}
	x, err = s.Explain("glob://a*")
	if err != nil || x.Source.Glob != `**/a\*.md` || x.Source.Root != s.root || x.Source.Connection != "" {
		t.Errorf("%+v %v", x.Source, err)
	}
}

func TestCheck(t *testing.T) {
	s := serve(t, map[string]string{"a.md": "a", ".env": "e"}, everything)
	config := func(attrs string) string {
		return "resource \"r\" {\n  uri = \"r://r\"\n  source \"file\" {\n    root = \"docs\"\n    " + attrs + "\n  }\n}"
	}
	host := sources.Host{Log: nil, Now: time.Now}
	for attrs, want := range map[string]string{
		`path = "a.md"`: "", `glob = "*.md"`: "", `path = "b.md"`: `warning no_match no file is named "b.md" 5:12`,
		`path = ".env"`: `warning no_match no file is named ".env" 5:12`, `glob = "*.txt"`: `warning no_match no file matches "*.txt" 5:12`,
	} {
		c, diags := load(t, s.dir, config(attrs))
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		found, _ := engine.Check(context.Background(), c, []sources.Kind{Kind}, host)
		got := ""
		for _, d := range found {
			got += d.Severity.String() + " " + d.Code + " " + d.Summary + " " + strings.TrimPrefix(d.Range.String(), s.dir+"/main.hcl:")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", attrs, got, want)
		}
	}
	c, _ := load(t, s.dir, everything)
	os.RemoveAll(s.root)
	found, _ := engine.Check(context.Background(), c, []sources.Kind{Kind}, host)
	if len(found) != 1 || !strings.Contains(found[0].Detail, "no such file or directory") {
		t.Errorf("without a root: %v", found)
	}
}

func TestUnreadableDirectoryIsLeftOut(t *testing.T) {
	if isRoot() {
		t.Skip("permissions do not stop root")
	}
	s := serve(t, map[string]string{"a.md": "a", "closed/b.md": "b"}, everything)
	if err := os.Chmod(s.path("closed"), 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(s.path("closed"), 0o755)
	if got := s.listed(); got != "a.md" || !strings.Contains(s.log.text(), "cannot be read") {
		t.Errorf("listed %s\n%s", got, s.log.text())
	}
	if got := s.read("docs://closed/b.md"); !strings.HasPrefix(got, "internal:") {
		t.Errorf("got %s", got)
	}
}

func TestReadEndsWithItsContext(t *testing.T) {
	s := serve(t, map[string]string{"a.md": "a"}, everything)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Read(ctx, "docs://a.md"); err == nil {
		t.Error("a cancelled read has a result")
	}
	if _, err := s.List(ctx, ""); err == nil {
		t.Error("a cancelled list has a result")
	}
}

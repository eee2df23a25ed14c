package file

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPathTemplates(t *testing.T) {
	files := map[string]string{"guide/a.md": "ga", "guide/x/b.md": "gxb", "guide/x/y/c.md": "gxyc", "7.txt": "seven", "a.tar.gz": "tgz", "50% off.md": "half"}
	s := serve(t, files, `
resource "name" {
  uri = "name://{name}"
  source "file" {
    root = "docs"
    path = "guide/{name}.md"
  }
}
resource "list" {
  uri = "list://x{/dir*}"
  param "dir" {
    type = list(string)
  }
  source "file" {
    root = "docs"
    path = "guide{/dir*}/b.md"
  }
}
resource "segments" {
  uri = "segments://{a}/{b}"
  source "file" {
    root = "docs"
    path = "{/a,b}/y/c.md"
  }
}
resource "number" {
  uri = "number://{n}"
  param "n" {
    type = integer
  }
  source "file" {
    root = "docs"
    path = "{n}.txt"
  }
}
resource "ext" {
  uri = "ext://{base}{.ext}"
  source "file" {
    root = "docs"
    path = "/{base}.tar{.ext}"
  }
}
resource "literal" {
  uri = "literal://x"
  source "file" {
    root = "docs"
    path = "50%25%20off.md"
  }
}
resource "optional" {
  uri = "optional://x{?q}"
  source "file" {
    root = "docs"
    path = "{+q}"
  }
}`)
	for uri, want := range map[string]string{
		"name://a": "ga", "name://x%2Fb": "not found", "list://x/x": "gxb", "list://x": "not found", "segments://guide/x": "gxyc",
		"segments://guide%2Fx/y": "not found", "number://7": "seven", "ext://a.gz": "tgz", "literal://x": "half",
		"optional://x": "not found", "optional://x?q=": "not found", "optional://x?q=guide/a.md": "ga", "optional://x?q=../docs/7.txt": "",
	} {
		got := s.read(uri)
		if want == "" {
			if !strings.HasPrefix(got, "-32602") {
				t.Errorf("%s: %s", uri, got)
			}
		} else if got != want {
			t.Errorf("%s: %q, want %q", uri, got, want)
		}
	}
}

func TestGlobWithPath(t *testing.T) {
	s := serve(t, map[string]string{"a.md": "a", "b.txt": "b", "sub/c.md": "c", "d.MD": "d"}, `
resource "md" {
  uri = "docs://{+path}"
  source "file" {
    root = "docs"
    path = "{+path}"
    glob = "**/*.md"
  }
  list {}
}`)
	s.wantRead("docs://a.md", "a")
	s.wantRead("docs://sub/c.md", "c")
	s.wantRead("docs://b.txt", "not found")
	s.wantRead("docs://d.MD", "not found")
	if got := s.listed(); got != "a.md sub/c.md" {
		t.Errorf("listed %s", got)
	}
}

func TestGlobContents(t *testing.T) {
	s := serve(t, map[string]string{"b": "1", "a/z#1.md": "2", "a.md": "3"}, `
resource "all" {
  uri = "docs://all"
  source "file" {
    root = "docs"
    glob = "**"
  }
}`)
	res, err := s.Read(context.Background(), "docs://all")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range res.Contents {
		got = append(got, c.URI+" "+c.MIMEType+" "+string(c.Data))
	}
	want := []string{"docs://all#a/z%231.md text/markdown 2", "docs://all#a.md text/markdown 3", "docs://all#b text/plain 1"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestDeclaredMediaTypeWins(t *testing.T) {
	s := serve(t, map[string]string{"a.md": "a"}, strings.Replace(everything, `uri =`, "mime_type = \"text/x-own\"\nuri =", 1))
	res, err := s.Read(context.Background(), "docs://a.md")
	if err != nil || res.Contents[0].MIMEType != "text/x-own" {
		t.Errorf("%v %v", res, err)
	}
	if l := s.list(); l[0].MIMEType != "text/x-own" {
		t.Errorf("listed %v", l)
	}
}

func TestUnicodeNormalForms(t *testing.T) {
	nfc, nfd := "caf\u00e9", "cafe\u0301"
	s := serve(t, map[string]string{nfd + "/" + nfc + ".md": "mixed", "both/" + nfc: "composed", "both/" + nfd: "apart", "mix/" + nfc + nfd: "m",
		"two/" + nfc + nfd: "1", "two/" + nfd + nfc: "2"}, everything+`
resource "glob" {
  uri = "glob://{name}"
  source "file" {
    root = "docs"
    path = "`+nfc+`/{name}.md"
    glob = "`+nfc+`/*"
  }
}`)
	uri := func(path string) string { return "docs://" + path }
	s.wantRead(uri(nfc+"/"+nfc+".md"), "mixed")
	s.wantRead(uri(nfd+"/"+nfd+".md"), "mixed")
	s.wantRead(uri("both/"+nfc), "composed")
	s.wantRead(uri("both/"+nfd), "apart")
	s.wantRead(uri("mix/"+nfc+nfc), "m")
	s.wantRead(uri("two/"+nfc+nfc), "not found") // which of both?
	s.wantRead(uri("two/"+nfc+nfd), "1")
	s.wantRead("glob://"+nfd, "mixed")
	s.wantRead(uri("both/"+"cafe"), "not found")
}

func TestRootThatComesAndGoes(t *testing.T) {
	s := serve(t, map[string]string{"a.md": "one"}, everything)
	s.wantRead("docs://a.md", "one")
	if err := os.Rename(s.root, s.root+"-old"); err != nil {
		t.Fatal(err)
	}
	if got := s.read("docs://a.md"); !strings.Contains(got, "The folder of this resource cannot be opened") || !strings.Contains(got, "open root") {
		t.Errorf("without a root: %s", got)
	}
	page, err := s.List(context.Background(), "")
	if err != nil || len(page.Resources) != 0 || !slices.Equal(page.Incomplete, []string{"doc"}) {
		t.Errorf("list without a root: %v %v", page, err)
	}
	if err := os.Mkdir(s.root, 0o755); err != nil {
		t.Fatal(err)
	}
	s.write("a.md", "two")
	s.wantRead("docs://a.md", "two")
	os.RemoveAll(s.root)
	if err := os.WriteFile(s.root, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := s.read("docs://a.md"); !strings.Contains(got, "it is not a directory") {
		t.Errorf("a file as the root: %s", got)
	}
}

func TestBodiesOverAFile(t *testing.T) {
	s := serve(t, map[string]string{"a/b.json": `{"title": "T", "n": 10.50}`, "bin": "\xff"}, `
resource "json" {
  uri = "json://{+path}"
  source "file" {
    root = "docs"
    path = "{+path}"
  }
  json = { doc = jsondecode(content), path = file.path, name = file.name, size = file.size, modified = file.modified }
  list {
    title = jsondecode(content).title
  }
}
resource "text" {
  uri = "text://{+path}"
  source "file" {
    root = "docs"
    path = "{+path}"
  }
  text = "# ${file.name}\n${coalesce(content, "(binary)")}"
}`)
	when := time.Date(2026, 1, 2, 3, 4, 5, 678, time.UTC)
	if err := os.Chtimes(s.path("a/b.json"), when, when); err != nil {
		t.Fatal(err)
	}
	s.wantRead("json://a/b.json", `{"doc":{"n":10.5,"title":"T"},"modified":"2026-01-02T03:04:05Z","name":"b.json","path":"a/b.json","size":26}`)
	s.wantRead("text://a/b.json", "# b.json\n"+`{"title": "T", "n": 10.50}`)
	s.wantRead("text://bin", "# bin\n(binary)")
	l := s.list()
	if len(l) != 2 || l[0].Title != "T" || l[0].MIMEType != "application/json" || l[0].Size != -1 || !l[0].LastModified.Equal(when) || l[1].Title != "" {
		t.Errorf("listed %+v", l)
	}
}

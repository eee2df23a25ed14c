//go:build unix

package file

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// oddNames are names that a file system allows and a URI has to carry.
var oddNames = []string{
	"a b", " ", "a#b", "a?b", "a%b", "a%20b", "100%", "%", "%41", `a"b`, "a'b", "a`b", "<a>", "a&b=c", "a+b", "a,b", "a;b", "a:b", "a@b", "a=b", "~a",
	"[a]", "{a}", "{+a}", "(a)", "a|b", `a\b`, "a^b", "$a", "!a", "*", "**", "?", "é", "e\u0301", "日本語", "😀", "\u00a0", "\u200b", "\ufeff", "\u2028", "\u202e",
	"a\nb", "a\tb", "a\rb", "\x01", "\x7f", "a.", "...a"[3:], "-", "--help", "CON", "C:", "a~1", strings.Repeat("a", 255), strings.Repeat("é", 127), "\U0010ffff",
	"index.md", "a.b.c", "(1)", "«»", "\u0085",
}

// TestListedFilesReadBack is the law of lists: each listed URI reads exactly
// the file that it was made from.
func TestListedFilesReadBack(t *testing.T) {
	files := map[string]string{}
	for i, name := range oddNames {
		files[name] = fmt.Sprintf("top %d", i)
		files["sub dir#?%/"+name] = fmt.Sprintf("sub %d", i)
		files["dé/"+strings.Repeat("d", 200)+"/"+name] = fmt.Sprintf("deep %d", i)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		files["random/"+randomName(r)] = fmt.Sprintf("random %d", i)
	}
	s := serve(t, files, everything)
	checkReadBack(t, s, files)
	// A template with a variable for each level.
	s.open(`
resource "two" {
  uri = "two://h/{name}/in/{dir}{?x}"
  source "file" {
    root = "docs"
    path = "{dir}/{name}"
  }
  list {}
}`)
	for name := range files {
		if strings.Count(name, "/") != 1 {
			delete(files, name)
		}
	}
	checkReadBack(t, s, files)
}

func checkReadBack(t *testing.T, s *server, files map[string]string) {
	t.Helper()
	left := map[string]bool{}
	for name := range files {
		left[name] = true
	}
	last := ""
	for _, l := range s.list() {
		if !left[l.Name] {
			t.Errorf("listed twice, or not a file: %q", l.Name)
		}
		delete(left, l.Name)
		if last != "" && !before(last, l.Name) {
			t.Errorf("%q is listed behind %q", l.Name, last)
		}
		last = l.Name
		s.wantRead(l.URI, files[l.Name])
		info := mustStat(t, s.path(l.Name))
		if l.Size != info.Size() || !l.LastModified.Equal(info.ModTime()) {
			t.Errorf("%q: size %d, modified %s", l.Name, l.Size, l.LastModified)
		}
	}
	for name := range left {
		t.Errorf("not listed: %q", name)
	}
}

func before(a, b string) bool {
	return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/")) < 0
}

// randomName is a name that is neither hidden nor taken for a way up.
func randomName(r *rand.Rand) string {
	for {
		var b strings.Builder
		for range 1 + r.IntN(12) {
			c := rune(r.IntN(0x100))
			if r.IntN(4) == 0 {
				c = rune(r.IntN(0x30000))
			}
			if c == 0 || c == '/' || !utf8.ValidRune(c) {
				continue
			}
			b.WriteRune(c)
		}
		name := b.String()
		if name != "" && len(name) <= 255 && !hiddenName(name) && !strings.Contains(name, `\..`) && !strings.Contains(name, `..\`) {
			return name
		}
	}
}

func TestNamesThatNoURICarriesAreNotListed(t *testing.T) {
	s := serve(t, map[string]string{"a.md": "a"}, everything)
	if err := os.WriteFile(s.path("b\xff.md"), nil, 0o644); err != nil {
		t.Skip("the file system wants UTF-8:", err)
	}
	s.write(`x\..\y`, "y")
	if got := s.listed(); got != "a.md" {
		t.Errorf("listed %q", got)
	}
	log := s.log.text()
	if !strings.Contains(log, `first="b\xff.md"`) || !strings.Contains(log, "entries that cannot be read are not listed") {
		t.Errorf("log: %s", log)
	}
}

func TestListPages(t *testing.T) {
	files := map[string]string{}
	for i := range 25 {
		files[fmt.Sprintf("%c/%02d.md", 'a'+i%3, i)] = "x"
	}
	files["a.md"], files["a-b/c.md"] = "x", "x"
	s := serve(t, files, "server {\n  page_size = 4\n}\n"+everything)
	page, err := s.List(context.Background(), "")
	if err != nil || len(page.Resources) != 4 || page.Resources[0].Name != "a/00.md" {
		t.Fatalf("%v %v", page, err)
	}
	// Files come and go between the pages; the file of the cursor goes too.
	os.Remove(s.path(page.Resources[3].Name))
	s.write("a/00b.md", "new, before the cursor")
	s.write("a/10b.md", "new, behind it")
	var names []string
	for cursor := page.Next; cursor != ""; {
		p, err := s.List(context.Background(), cursor)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range p.Resources {
			names = append(names, l.Name)
		}
		cursor = p.Next
	}
	want := "a/10b.md a/12.md a/15.md a/18.md a/21.md a/24.md a-b/c.md a.md b/01.md"
	if got := strings.Join(names, " "); !strings.HasPrefix(got, want) || strings.Contains(got, "00b") {
		t.Errorf("got  %s\nwant %s ...", got, want)
	}
	for _, bad := range []string{"bA", "%%%", "bCBub3BlIHg"} { // "l nope x"
		if _, err := s.List(context.Background(), bad); err == nil || !strings.Contains(err.Error(), "invalid cursor") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestListExpressions(t *testing.T) {
	s := serve(t, map[string]string{"guide/a.md": "# The A\nx", "guide/b.md": "no title", "other/c.md": "# C", "guide/bin.md": "\xff"}, `
connection "file" "docs" {
  root = "docs"
}
resource "guide" {
  uri         = "guide://{name}"
  description = "All guides."
  mime_type   = "text/x-guide"
  annotations {
    audience = ["assistant"]
    priority = 0.5
  }
  source "file" {
    connection = connection.file.docs
    path       = "guide/{name}.md"
  }
  list {
    name        = file.name
    title       = regex("^# (.*)", content)[0]
    description = "Of ${file.modified}, ${file.size} bytes."
    mime_type   = upper("text/markdown")
  }
}
resource "explicit" {
  uri = "explicit://{p}"
  source "file" {
    connection = connection.file.docs
    path       = "{+p}"
  }
  list {
    source "file" {
      connection = connection.file.docs
      glob       = "other/*"
    }
    params = { p = file.path }
  }
}
resource "hidden" {
  uri    = "hidden://{+p}"
  hidden = true
  source "file" {
    connection = connection.file.docs
    path       = "{+p}"
  }
  list {}
}
resource "number" {
  uri = "number://{n}"
  param "n" {
    type    = integer
    minimum = 1
  }
  source "file" {
    connection = connection.file.docs
    path       = "n/{n}"
  }
  list {}
}`)
	for _, name := range []string{"n/1", "n/02", "n/0", "n/-3", "n/x"} {
		s.write(name, name)
	}
	when := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := os.Chtimes(s.path("guide/a.md"), when, when); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, l := range s.list() {
		got[l.URI] = strings.Join([]string{l.Name, l.Title, l.MIMEType}, "|")
		if l.URI == "guide://a" && (l.Description != "Of 2026-01-02T03:04:05Z, 9 bytes." || len(l.Audience) != 1 || *l.Priority != 0.5) {
			t.Errorf("%+v", l)
		}
	}
	want := map[string]string{
		"guide://a": "a.md|The A|TEXT/MARKDOWN", "guide://b": "b.md||TEXT/MARKDOWN", "guide://bin": "bin.md||TEXT/MARKDOWN",
		"explicit://other%2Fc.md": "other/c.md||text/markdown", "number://1": "n/1||",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	s.wantRead("explicit://other%2Fc.md", "# C")
}

// TestWalkReadsWhatItNeeds counts the directories that a pattern opens.
func TestWalkReadsWhatItNeeds(t *testing.T) {
	s := serve(t, map[string]string{"a/b/c.md": "", "a/x/c.md": "", "d/e/f.md": "", "g.md": ""}, everything)
	c := &connection{settings: defaultSettings(s.root)}
	c.host.Now = time.Now
	for text, want := range map[string]int{"*.md": 1, "a/*/c.md": 4, "a/**": 4, "**": 6, "{a/b,d/e}/*": 6, "d/e/f.md": 3, "[ab]/b/*": 3, "*/e/*": 4} {
		v, err := c.view()
		if err != nil {
			t.Fatal(err)
		}
		p := newPattern(text)
		dirs := 0
		_ = filepath.WalkDir(s.root, func(path string, d os.DirEntry, _ error) error {
			rel, _ := filepath.Rel(s.root, path)
			if d.IsDir() && (rel == "." || p.mayHold(rel) && (filepath.Dir(rel) == "." || p.mayHold(filepath.Dir(rel)))) {
				dirs++
			}
			return nil
		})
		v.close()
		if dirs != want {
			t.Errorf("%s: %d directories, want %d", text, dirs, want)
		}
	}
}

// TestPrunedWalkFindsWhatAPlainOneDoes holds mayHold against matches.
func TestPrunedWalkFindsWhatAPlainOneDoes(t *testing.T) {
	names := []string{"a", "a/b", "a/b/c", "a/[x]/c", "{a/b", "a}/b/c", "é/b", "x/a/b/c.md", `a\b/c`}
	for _, text := range []string{"**", "*", "*/*", "a/**/c", "{a,x}/**", "{a/b,x/*}/c", "{a/b,x/**}", "[!x]/*/c", `a/\[x\]/c`, "[{]a/*", "a[}]/{b/c,d}", "[/]/x",
		"e\u0301/*", "**/c*", "x/{a,b}/**/*.md", `a\\b/*`, "**c", "a/b**/c"} {
		p := newPattern(text)
		for _, name := range names {
			if !p.matches(name) {
				continue
			}
			for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
				if !p.mayHold(dir) {
					t.Errorf("%s matches %s, but not below %s", text, name, dir)
				}
			}
		}
	}
}

func TestListFindsTheOtherNormalForm(t *testing.T) {
	s := serve(t, map[string]string{"cafe\u0301/a.md": "apart", "cafe\u0301/e\u0301.md": "both"}, `
resource "cafe" {
  uri = "cafe://{name}"
  source "file" {
    root = "docs"
    path = "café/{name}.md"
  }
  list {}
}`)
	got := map[string]string{}
	for _, l := range s.list() {
		got[l.URI] = s.read(l.URI)
	}
	if len(got) != 2 || got["cafe://a"] != "apart" || got["cafe://%C3%A9"] != "both" {
		t.Errorf("got %v", got)
	}
}

//go:build unix

package file

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestD1_NothingOutsideTheRoot(t *testing.T) {
	s := serve(t, map[string]string{"a.md": "a", "sub/b.md": "b"}, everything)
	outside := filepath.Join(s.dir, "docs-evil")
	if err := os.Mkdir(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "x.md"), []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.link("/etc", "link")
	s.link("../docs-evil", "evil")
	s.link("../docs-evil/x.md", "x.md")
	s.link(outside+"/x.md", "abs.md")
	s.link(s.path("a.md"), "abs-inside.md")
	s.link("sub/../../docs-evil/x.md", "up.md")
	s.link("loop.md", "loop.md")
	s.link("evil", "two")
	for _, uri := range []string{
		"docs://link/hostname", "docs://link/passwd", "docs://evil/x.md", "docs://x.md", "docs://abs.md", "docs://up.md",
		"docs://loop.md", "docs://two/x.md", "docs:///etc/passwd", "docs://%2Fetc%2Fpasswd", "docs://..%2Fdocs-evil%2Fx.md",
		"docs://sub%2F..%2F..%2Fdocs-evil%2Fx.md", "docs://.%2F..%2Fdocs-evil%2Fx.md", "docs://../docs-evil/x.md",
		"docs://%2e%2e/docs-evil/x.md", "docs://..%5Cdocs-evil%5Cx.md", "docs://sub//b.md", "docs://sub/", "docs://sub", "docs://a.md/",
		"docs://a.md/b", "docs://%252e%252e/docs-evil/x.md", "docs://abs-inside.md", "docs://" + strings.Repeat("a", 300),
	} {
		if got := s.read(uri); got != "not found" && !strings.HasPrefix(got, "-32602 ") {
			t.Errorf("%s: %q", uri, got)
		}
	}
	s.wantRead("docs://sub/b.md", "b")
	if got := s.listed(); got != "a.md sub/b.md" {
		t.Errorf("listed %s", got)
	}
}

func TestD1_LinksWithinTheRoot(t *testing.T) {
	s := serve(t, map[string]string{"sub/a.md": "a", ".secret": "s", ".git/config": "c", "b/c/d.md": "d"}, everything)
	s.link("sub/a.md", "one.md")
	s.link("../one.md", "sub/two.md")
	s.link("sub", "dir")
	s.link(".", "self")
	s.link("b/../sub/./a.md", "dots.md")
	s.link(".secret", "shown.md")
	s.link(".git", "git")
	s.link("one.md/", "slash.md")
	s.link("b/c", "deep")
	s.link("deep/../../sub/a.md", "back.md")
	s.wantRead("docs://one.md", "a")
	s.wantRead("docs://sub/two.md", "a")
	s.wantRead("docs://dir/a.md", "a")
	s.wantRead("docs://self/self/dir/two.md", "a")
	s.wantRead("docs://dots.md", "a")
	s.wantRead("docs://back.md", "a") // .. of a link is that of its target
	s.wantRead("docs://shown.md", "not found")
	s.wantRead("docs://git/config", "not found")
	// Links to files are listed, those to directories not walked.
	if got := s.listed(); got != "b/c/d.md back.md dots.md one.md slash.md sub/a.md sub/two.md" && got != "b/c/d.md back.md dots.md one.md sub/a.md sub/two.md" {
		t.Errorf("listed %s", got)
	}
	s.open(everythingHidden)
	s.wantRead("docs://shown.md", "s")
	s.wantRead("docs://git/config", "c")
}

func TestD2_HiddenFiles(t *testing.T) {
	files := map[string]string{".env": "K=1", ".git/config": "c", "a/.hidden/b.md": "b", "a/c.md": "c", "..d": "d", "e.": "e"}
	config := everything + `
resource "all" {
  uri = "all://all"
  source "file" {
    connection = connection.file.docs
    glob       = "**"
  }
}
resource "dot" {
  uri = "all://dot"
  source "file" {
    connection = connection.file.docs
    glob       = ".*"
  }
}
resource "env" {
  uri = "all://env"
  source "file" {
    connection = connection.file.docs
    path       = ".env"
  }
}`
	s := serve(t, files, config)
	for _, uri := range []string{"docs://.env", "docs://%2Eenv", "docs://.git/config", "docs://a/.hidden/b.md", "docs://..d", "all://dot", "all://env"} {
		s.wantRead(uri, "not found")
	}
	s.wantRead("all://all", "c|e")
	if got := s.listed(); got != "all dot env a/c.md e." {
		t.Errorf("listed %s", got)
	}
	s.open(strings.Replace(config, `root = "docs"`, "root = \"docs\"\nhidden = true", 1))
	s.wantRead("docs://.env", "K=1")
	s.wantRead("all://dot", "d|K=1")
	s.wantRead("all://env", "K=1")
	s.wantRead("all://all", "d|K=1|c|b|c|e")
	if got := s.listed(); got != "all dot env ..d .env .git/config a/.hidden/b.md a/c.md e." {
		t.Errorf("listed %s", got)
	}
}

func TestD3_ValuesAreLiteralInAGlob(t *testing.T) {
	files := map[string]string{"x/*.md": "star", "x/a.md": "a", "x/[x].md": "class", "x/{a,b}.md": "choice", `x/\.md`: "back",
		"x/?.md": "any", "x/b-c!^.md": "dash", "y/a.md": "ya", "x/y/a.md": "xya"}
	s := serve(t, files, `
resource "one" {
  uri = "one://{name}"
  source "file" {
    root = "docs"
    glob = "x/{name}.{md,txt}"
  }
}
resource "dir" {
  uri = "dir://{+dir}"
  source "file" {
    root = "docs"
    glob = "{dir}/*"
  }
}
resource "both" {
  uri = "both://{dir}/{+path}"
  source "file" {
    root = "docs"
    path = "{+path}"
    glob = "{dir}/**"
  }
}`)
	s.wantRead("one://*", "star")
	s.wantRead("one://%5Bx%5D", "class")
	s.wantRead("one://%7Ba,b%7D", "choice")
	s.wantRead("one://%5C", "back")
	s.wantRead("one://%3F", "any")
	s.wantRead("one://b-c!%5E", "dash")
	s.wantRead("one://**", "not found")
	s.wantRead("one://y%2Fa", "not found") // {name} is one segment
	s.wantRead("one://%7Ba", "not found")
	s.wantRead("dir://x/y", "xya")
	s.wantRead("dir://*", "not found")
	s.wantRead("both://x/x/y/a.md", "xya")
	s.wantRead("both://x/y/a.md", "not found")
	s.wantRead("both://*/x/a.md", "not found")
}

func TestD3_PathsAreLiteral(t *testing.T) {
	files := map[string]string{"*": "star", "[x].md": "class", "a?b#c%41 d.md": "odd"}
	s := serve(t, files, everything)
	s.wantRead("docs://*", "star")
	s.wantRead("docs://[x].md", "class")
	s.wantRead("docs://a%3Fb%23c%2541%20d.md", "odd")
	s.wantRead("docs://a%3Fb%23c%41%20d.md", "not found")
}

func TestD4_OnlyRegularFiles(t *testing.T) {
	s := serve(t, map[string]string{"a.md": "a"}, everything+`
resource "all" {
  uri = "all://all"
  source "file" {
    connection = connection.file.docs
    glob       = "**"
  }
}`)
	if err := syscall.Mkfifo(s.path("pipe.md"), 0o644); err != nil {
		t.Fatal(err)
	}
	if isRoot() {
		if err := syscall.Mknod(s.path("zero.md"), syscall.S_IFCHR|0o644, 1<<8|5); err != nil {
			t.Log("no device:", err)
		}
	}
	dir, err := os.MkdirTemp("", "s") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.Rename(filepath.Join(dir, "s"), s.path("socket.md")); err != nil {
		t.Fatal(err)
	}
	s.link("pipe.md", "to-pipe.md")
	done := make(chan bool)
	go func() {
		defer close(done)
		for _, name := range []string{"pipe.md", "zero.md", "socket.md", "to-pipe.md"} {
			s.wantRead("docs://"+name, "not found")
		}
		s.wantRead("all://all", "a")
		if got := s.listed(); got != "all a.md" {
			t.Errorf("listed %s", got)
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("a read blocks")
	}
}

// TestD4_PipeSwappedIn replaces a file by a pipe while it is read.
func TestD4_PipeSwappedIn(t *testing.T) {
	s := serve(t, map[string]string{"a.md": "a"}, everything)
	stop := make(chan bool)
	swapped := make(chan bool)
	go func() {
		defer close(swapped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = syscall.Mkfifo(s.path("p"), 0o644)
			_ = os.Rename(s.path("p"), s.path("a.md"))
			_ = os.WriteFile(s.path("f"), []byte("a"), 0o644)
			_ = os.Rename(s.path("f"), s.path("a.md"))
		}
	}()
	end := time.Now().Add(500 * time.Millisecond)
	for time.Now().Before(end) {
		if got := s.read("docs://a.md"); got != "a" && got != "not found" {
			t.Fatalf("got %q", got)
		}
	}
	close(stop)
	<-swapped
}

func TestD5_WindowsNamesArePlainElsewhere(t *testing.T) {
	files := map[string]string{`C:\boot.ini`: "boot", "CON": "con", "nul.txt": "nul", "dot.": "dot", "space ": "space", "a:b": "stream", "GIT~1": "short"}
	s := serve(t, files, everything)
	for uri, want := range map[string]string{"docs://C:%5Cboot.ini": "boot", "docs://CON": "con", "docs://nul.txt": "nul", "docs://dot.": "dot",
		"docs://space%20": "space", "docs://a:b": "stream", "docs://GIT~1": "short"} {
		s.wantRead(uri, want)
	}
}

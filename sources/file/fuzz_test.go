//go:build unix

package file

import (
	"context"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mcpdecl/mcpdecl/sources"
)

// inode says which file something is, whatever its name.
type inode struct{ dev, ino uint64 }

func inodeOf(info fs.FileInfo) inode {
	s := info.Sys().(*syscall.Stat_t)
	return inode{uint64(s.Dev), s.Ino}
}

// inodes are the regular files below a root, those with a hidden component
// left out. Links are not followed.
func inodes(t testing.TB, root string) map[inode]bool {
	t.Helper()
	out := map[inode]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path != root && strings.HasPrefix(d.Name(), ".") {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if d.Type().IsRegular() {
			info, err := d.Info()
			if err != nil {
				return err
			}
			out[inodeOf(info)] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// trap is a root among files that must not be read.
type trap struct {
	dir, root string
	conn      *connection
	source    *source
	inside    map[inode]bool
}

func newTrap(t testing.TB) *trap {
	t.Helper()
	tr := &trap{dir: t.TempDir()}
	tr.root = filepath.Join(tr.dir, "docs")
	for _, name := range []string{"docs/a.md", "docs/sub/b.md", "docs/sub/deep/c.md", "docs/.env", "docs/.git/config", "docs/é.md", "docs/[x].md",
		"docs/%2e%2e", "docs/..x/y.md", "secret", "docs-evil/x.md", "sub/b.md", "a.md"} {
		path := filepath.Join(tr.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"up": "..", "out": "../secret", "etc": "/etc", "self": ".", "in": "sub/deep", "hid": ".git", "env": ".env",
		"loop": "loop", "abs": tr.root + "/a.md", "sub/back": "../sub/../a.md", "sub/out": "../../secret", "twice": "up/secret"} {
		if err := os.Symlink(target, filepath.Join(tr.root, name)); err != nil {
			t.Fatal(err)
		}
	}
	host := sources.Host{Log: slog.New(slog.DiscardHandler), Now: time.Now}
	tr.conn = &connection{host: host, settings: defaultSettings(tr.root)}
	tr.source = &source{conn: tr.conn, settings: &sourceSettings{}}
	tr.inside = inodes(t, tr.root)
	return tr
}

// open opens a name and holds what was opened against the walk of the root.
func (tr *trap) open(t testing.TB, name string) {
	t.Helper()
	v, err := tr.conn.view()
	if err != nil {
		t.Fatal(err)
	}
	defer v.close()
	p, h, err := v.open(context.Background(), name)
	if err != nil {
		return
	}
	defer h.Close()
	if !tr.inside[inodeOf(h.info)] {
		t.Errorf("%q opens a file that must not be read: %+v", name, p)
	}
}

// glob reads what a pattern finds.
func (tr *trap) glob(t testing.TB, text string) {
	t.Helper()
	v, err := tr.conn.view()
	if err != nil {
		t.Fatal(err)
	}
	defer v.close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	found, _, err := v.glob(ctx, newPattern(text), 100)
	if err != nil {
		return
	}
	for _, p := range found {
		if !tr.inside[inodeOf(p.info)] {
			t.Errorf("%q finds a file that must not be read: %+v", text, p)
		}
	}
}

func FuzzNoReadOutsideTheRoot(f *testing.F) {
	for _, s := range []string{"a.md", "../secret", "sub/../../secret", "%2e%2e/secret", "..%2fsecret", "up/secret", "self/up/secret", "in/../../../secret",
		"etc/passwd", "/etc/passwd", "./a.md", "sub//b.md", ".env", "hid/config", "env", "loop", "abs", "sub/back", "twice", "e\u0301.md", "a.md\x00.png",
		"..\\secret", "**", "*/*", "../*", "{a,../secret}", "[.]env", ".*", "self/self/self/.env", "..x/y.md", "\xff", "~", "$HOME"} {
		f.Add(s, s)
	}
	tr := newTrap(f)
	f.Fuzz(func(t *testing.T, name, target string) {
		tr.open(t, name)
		if decoded, err := url.PathUnescape(name); err == nil {
			tr.open(t, decoded)
		}
		// Without the checks of validName, os.Root alone has to hold.
		if v, err := tr.conn.view(); err == nil {
			if info, err := v.tree.lstat(name); err == nil {
				if h, err := v.tree.open(name, info); err == nil {
					if in := inodeOf(h.info); !tr.inside[in] && !strings.Contains(name, ".") && !strings.Contains(name, "hid") && !strings.Contains(name, "env") {
						t.Errorf("os.Root opens %q", name)
					}
					h.Close()
				}
			}
			v.close()
		}
		link := filepath.Join(tr.root, "fuzzed")
		if os.Symlink(target, link) == nil {
			tr.open(t, "fuzzed")
			tr.open(t, "fuzzed/"+name)
			os.Remove(link)
		}
		if len(name) < 40 {
			tr.glob(t, name)
		}
	})
}

// FuzzPathTemplate holds expand and match against each other: a value that
// match finds in a path expands to it.
func FuzzPathTemplate(f *testing.F) {
	for _, s := range []string{"a", "a/b", "a.b", "a/b/c.md", "é", "x\ny", "..", "a//b", "7", "007"} {
		f.Add(s)
	}
	var templates []*pathTemplate
	for _, attrs := range []string{`path = "{+a}"`, `path = "{a}"`, `path = "{a}/{b}.md"`, `path = "x/{a}{.b}"`, `path = "{/a,b}"`, `path = "{a}-{+b}"`} {
		dir := f.TempDir()
		c, diags := load(f, dir, "resource \"r\" {\n  uri = \"x://h/{a}/{b}\"\n  source \"file\" {\n    root = \".\"\n    "+attrs+"\n  }\n}")
		if diags.HasErrors() {
			f.Fatal(diags)
		}
		templates = append(templates, c.Resources[0].Source.Settings.(*sourceSettings).path)
	}
	f.Fuzz(func(t *testing.T, name string) {
		for _, tm := range templates {
			texts, values, ok := tm.match(name)
			if !ok {
				continue
			}
			if again, ok := tm.expand(values); !ok || again != name {
				t.Errorf("%q gives %v, which is %q", name, texts, again)
			}
			for dir := filepath.Dir(name); dir != "." && dir != "/"; dir = filepath.Dir(dir) {
				if validName(name) && !tm.pattern().mayHold(dir) {
					t.Errorf("a walk for %q would not enter %q", name, dir)
				}
			}
		}
	})
}

// TestNoReadOutsideWhileLinksAreSwapped exchanges files and directories for
// links to what must not be read, again and again, while they are read.
func TestNoReadOutsideWhileLinksAreSwapped(t *testing.T) {
	tr := newTrap(t)
	stop := make(chan bool)
	var wg sync.WaitGroup
	swap := func(name string, targets ...string) {
		path := filepath.Join(tr.root, name)
		kept := path + ".kept"
		wg.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(len(name))))
			for {
				select {
				case <-stop:
					return
				default:
				}
				_ = os.Rename(path, kept)
				_ = os.Symlink(targets[r.IntN(len(targets))], path)
				_ = os.Remove(path)
				_ = os.Rename(kept, path)
			}
		})
	}
	swap("a.md", "../secret", "/etc/passwd", ".env", tr.dir+"/secret", "sub/b.md")
	swap("sub", "..", "../docs-evil", "/etc", ".git", "../sub")
	names := []string{"a.md", "sub/b.md", "sub/deep/c.md", "sub/back", "in/c.md", "self/sub/b.md", "sub/x.md", "sub/passwd", "sub/config"}
	end := time.Now().Add(2 * time.Second)
	reads := 0
	for i := 0; time.Now().Before(end); i++ {
		name := names[i%len(names)]
		tr.open(t, name)
		tr.readAll(t, "**")
		reads++
		if t.Failed() {
			break
		}
	}
	close(stop)
	wg.Wait()
	t.Logf("%d reads", reads)
}

// readAll reads the contents that a pattern finds; they name their files.
func (tr *trap) readAll(t *testing.T, text string) {
	t.Helper()
	v, err := tr.conn.view()
	if err != nil {
		t.Fatal(err)
	}
	defer v.close()
	found, _, err := v.glob(context.Background(), newPattern(text), 100)
	if err != nil {
		return // the root was listed while it changed
	}
	for _, p := range found {
		c, at, err := v.read(context.Background(), p.name, func(string) bool { return true }, nil, "")
		if err != nil {
			continue
		}
		if got := string(c.Data); !strings.HasPrefix(got, "docs/") || strings.Contains(got, "/.") && got != "docs/..x/y.md" || !tr.inside[inodeOf(at.info)] {
			t.Errorf("%s reads %q", p.name, got)
		}
	}
}

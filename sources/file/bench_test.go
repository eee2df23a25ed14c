package file

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpdecl/mcpdecl/engine"
)

// BenchmarkRead1MB is a read through the engine with its content written, in
// turn with os.ReadFile and the same write, so that a busy machine slows down
// both, and each is the first in every other turn. "ratio" is that of their
// first deciles.
func BenchmarkRead1MB(b *testing.B) {
	s := serve(b, map[string]string{
		"ascii.md": megabyteOf("0123456789abcde\n"), "prose.md": megabyteOf("The quick brown fox – it’s fine.\n"),
		"dense.md": megabyteOf("日本語テキスト。\n"), "x.bin": megabyteOf("\x00\xff"),
	}, everything)
	out := sink(b)
	for _, name := range []string{"ascii.md", "prose.md", "dense.md", "x.bin"} {
		b.Run(name, func(b *testing.B) {
			readers := [2]func() ([]byte, error){
				func() ([]byte, error) {
					res, err := s.Read(context.Background(), "docs://"+name)
					if err != nil {
						return nil, err
					}
					return res.Contents[0].Data, nil
				},
				func() ([]byte, error) { return os.ReadFile(s.path(name)) },
			}
			var times [2][]time.Duration
			for turn := 0; b.Loop(); turn++ {
				for i := range readers {
					who := (turn + i) % 2
					start := time.Now()
					data, err := readers[who]()
					if err != nil {
						b.Fatal(err)
					}
					write(b, out, data)
					times[who] = append(times[who], time.Since(start))
				}
			}
			for _, t := range times {
				slices.Sort(t)
			}
			decile := func(who int) float64 { return float64(times[who][len(times[who])/10]) }
			b.ReportMetric(decile(0)/decile(1), "ratio")
			b.ReportMetric(decile(0), "engine-ns")
			b.ReportMetric(decile(1), "os-ns")
		})
	}
}

func megabyteOf(s string) string { return strings.Repeat(s, 1<<20/len(s)) }

// sink is a pipe that somebody reads, as a client on stdio does.
func sink(b *testing.B) *os.File {
	r, w, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		_, _ = io.Copy(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{r})
	}()
	b.Cleanup(func() {
		w.Close()
		<-done
		r.Close()
	})
	return w
}

func write(b *testing.B, f *os.File, data []byte) {
	if _, err := f.Write(data); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkReadSmall is a small file at some depth, among few and among many.
func BenchmarkReadSmall(b *testing.B) {
	for _, n := range []int{10, 20_000} {
		s := serve(b, nil, everything)
		plant(b, s, 1, n)
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Read(context.Background(), "docs://d000/f00003.md"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// plant makes files in directories.
func plant(t testing.TB, s *server, dirs, each int) {
	t.Helper()
	for d := range dirs {
		dir := s.path(fmt.Sprintf("d%03d", d))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for i := range each {
			f, err := os.Create(filepath.Join(dir, fmt.Sprintf("f%05d.md", i)))
			if err != nil {
				t.Fatal(err)
			}
			f.Close()
		}
	}
}

// TestListOfManyFiles holds time and memory of a list of many files.
func TestListOfManyFiles(t *testing.T) {
	if raceEnabled {
		t.Skip("holds times")
	}
	l := listMany(t, 10_000)
	t.Log(l)
	if l.entries != 10_000 || l.first > 50*time.Millisecond || l.kept > 10<<20 {
		t.Error("out of bounds")
	}
}

// BenchmarkListOf100000Files reports what the test holds, for more files; one
// half lies in one directory.
func BenchmarkListOf100000Files(b *testing.B) {
	l := listMany(b, 100_000)
	for b.Loop() {
		if _, err := l.server.List(context.Background(), ""); err != nil {
			b.Fatal(err)
		}
	}
	b.Log(l)
	b.ReportMetric(float64(l.scan.Microseconds())/1000, "scan-ms")
	b.ReportMetric(float64(l.all.Microseconds())/1000, "all-ms")
	b.ReportMetric(float64(l.kept>>10), "kept-KiB")
	b.ReportMetric(float64(l.heap>>10), "heap-KiB")
	if l.entries != 100_000 || l.first > 50*time.Millisecond || l.kept > 100<<20 || l.heap > 100<<20 {
		b.Error("out of bounds")
	}
}

// longList is what a list of many files took.
type longList struct {
	server           *server
	entries          int
	scan, first, all time.Duration
	kept             int64  // in bytes, after it
	heap             uint64 // in use, during it
}

func (l *longList) String() string {
	return fmt.Sprintf("scan %v, first page %v, all %d in %v; kept %d KiB, heap in use %d KiB",
		l.scan, l.first, l.entries, l.all, l.kept>>10, l.heap>>10)
}

func listMany(t testing.TB, n int) *longList {
	t.Helper()
	l := &longList{server: serve(t, nil, everything), first: time.Hour}
	plant(t, l.server, 1, n/2)
	if err := os.Rename(l.server.path("d000"), l.server.path("a")); err != nil {
		t.Fatal(err)
	}
	plant(t, l.server, 50, n/100)
	time.Sleep(150 * time.Millisecond) // until the directories' times have settled
	before := liveHeap()
	list := func(cursor string) *engine.Page {
		page, err := l.server.List(context.Background(), cursor)
		if err != nil {
			t.Fatal(err)
		}
		return page
	}
	start := time.Now()
	if page := list(""); len(page.Resources) != 100 || page.Resources[99].Name != "a/f00099.md" {
		t.Fatal(page)
	}
	l.scan = time.Since(start)
	for range 5 { // the best of five: the machine may be busy
		start = time.Now()
		list("")
		l.first = min(l.first, time.Since(start))
	}
	start = time.Now()
	for page := list(""); ; page = list(page.Next) {
		if l.entries += len(page.Resources); page.Next == "" {
			break
		}
	}
	l.all = time.Since(start)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	l.kept, l.heap = liveHeap()-before, m.HeapInuse
	return l
}

func liveHeap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestRead50MB counts the copies that a large read makes.
func TestRead50MB(t *testing.T) {
	const size = 50 << 20
	s := serve(t, nil, strings.Replace(everything, `root = "docs"`, "root = \"docs\"\nmax_bytes = \"64MiB\"", 1))
	s.write("a.md", strings.Repeat("0123456789abcde\n", size/16))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res, err := s.Read(context.Background(), "docs://a.md")
	if err != nil || len(res.Contents[0].Data) != size {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > size+size/10 {
		t.Errorf("%d bytes allocated for %d", n, size)
	}
	_, _ = io.Discard.Write(res.Contents[0].Data)
}

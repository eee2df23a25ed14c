package file

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

const parts = `
connection "file" "docs" {
  root      = "docs"
  max_bytes = "64KiB"
  charset   = "auto"
}
resource "lines" {
  uri = "lines://{path}{?part}"
  source "file" {
    connection = connection.file.docs
    path       = "{path}"
    lines      = param.part
  }
}
resource "from" {
  uri = "from://{path}/{a}/{b}"
  source "file" {
    connection = connection.file.docs
    path       = "{path}"
    lines      = "${param.a}-${param.b}"
  }
}
resource "bytes" {
  uri = "bytes://{path}{?offset,limit}"
  param "offset" {
    type = integer
  }
  param "limit" {
    type = integer
  }
  source "file" {
    connection = connection.file.docs
    path       = "{path}"
    offset     = param.offset
    limit      = param.limit
  }
}
resource "loose" {
  uri = "loose://{path}{?offset,limit}"
  source "file" {
    connection = connection.file.docs
    path       = "{path}"
    offset     = param.offset
    limit      = param.limit
  }
}
`

func TestLines(t *testing.T) {
	s := serve(t, map[string]string{"a": "1\n2\n3\n4\n5\n", "open": "1\n2\r\n3", "empty": "", "one": "\n"}, parts)
	for _, c := range []struct{ name, lines, want string }{
		{"a", "1-2", "1\n2\n"}, {"a", "2-2", "2\n"}, {"a", "2", "2\n"}, {"a", "4-", "4\n5\n"}, {"a", "4-99", "4\n5\n"}, {"a", "6-9", ""},
		{"a", "99", ""}, {"a", "-2", "4\n5\n"}, {"a", "-99", "1\n2\n3\n4\n5\n"}, {"a", "1-", "1\n2\n3\n4\n5\n"}, {"open", "-1", "3"},
		{"open", "2-3", "2\r\n3"}, {"open", "-2", "2\r\n3"}, {"empty", "1-5", ""}, {"empty", "-5", ""}, {"one", "1", "\n"}, {"one", "-1", "\n"}, {"one", "2", ""},
	} {
		s.wantRead("lines://"+c.name+"?part="+c.lines, c.want)
	}
	s.wantRead("lines://a", "1\n2\n3\n4\n5\n")
	s.wantRead("from://a/2/3", "2\n3\n")
	for _, lines := range []string{"0-1", "3-2", "x", "1-2-3", "", "-", "-0", "1.5", "+1", "%201", "99999999999999999999"} {
		if got := s.read("lines://a?part=" + lines); !strings.HasPrefix(got, `-32602 Invalid parameter "part": must `) {
			t.Errorf("%s: %s", lines, got)
		}
	}
}

// TestLinesAgainstSplit holds every range over chunk boundaries against a
// plain split.
func TestLinesAgainstSplit(t *testing.T) {
	var text strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	s := serve(t, map[string]string{"a": text.String()}, parts)
	all := strings.SplitAfter(text.String(), "\n")
	all = all[:len(all)-1]
	for _, first := range []int{1, 2, 6000, 7281, 7282, 19990, 20000} {
		for _, n := range []int{1, 7, 3000} {
			last := min(first+n-1, len(all))
			s.wantRead(fmt.Sprintf("lines://a?part=%d-%d", first, first+n-1), strings.Join(all[first-1:last], ""))
		}
	}
	for _, n := range []int{1, 2, 3000, 5000} {
		s.wantRead(fmt.Sprintf("lines://a?part=-%d", n), strings.Join(all[len(all)-n:], ""))
	}
	for _, lines := range []string{"1-", "-10000", "1-10000"} {
		if got := s.read("lines://a?part=" + lines); !strings.Contains(got, "The part is larger than 64 KiB") {
			t.Errorf("%s: %.100s", lines, got)
		}
	}
}

func TestBytes(t *testing.T) {
	s := serve(t, map[string]string{"a": "0123456789", "u": "aé€😀z", "bin": "a\x80\x80\xffb\x00"}, parts)
	for q, want := range map[string]string{
		"a?offset=2&limit=3": "234", "a?offset=8": "89", "a?limit=2": "01", "a?offset=10": "", "a?offset=99&limit=5": "", "a?offset=8&limit=99": "89",
		"a": "0123456789", "a?offset=0&limit=10": "0123456789",
		"u?limit=2": "aé", "u?offset=2&limit=1": "", "u?offset=3&limit=1": "€", "u?offset=4&limit=2": "", "u?offset=5&limit=2": "😀", "u?offset=9": "😀z",
		"bin?limit=2": "[6180]", "bin?offset=1&limit=2": "[8080]", "bin?offset=4": "[6200]",
	} {
		if q == "u?offset=9" {
			want = "z" // within the emoji, which began before
		}
		s.wantRead("bytes://"+q, want)
		s.wantRead("loose://"+q, want)
	}
	for _, q := range []string{"offset=-1", "limit=0", "limit=-1", "offset=x", "limit=1.5", "offset=1e400", "limit=99999999999999999999"} {
		name := strings.SplitN(q, "=", 2)[0]
		if got := s.read("loose://a?" + q); !strings.HasPrefix(got, fmt.Sprintf("-32602 Invalid parameter %q: must be a whole number", name)) {
			t.Errorf("%s: %s", q, got)
		}
	}
}

// TestBytesMakeUpTheWhole pages through a text in pieces of every small size.
func TestBytesMakeUpTheWhole(t *testing.T) {
	text := "aé€😀z\u0301\n日本語 😀😀 end é"
	s := serve(t, map[string]string{"a": text}, parts)
	for size := 1; size <= len(text)+1; size++ {
		var got strings.Builder
		for at := 0; at < len(text); at += size {
			part := s.read("bytes://a?offset=" + strconv.Itoa(at) + "&limit=" + strconv.Itoa(size))
			if strings.HasPrefix(part, "[") {
				t.Fatalf("size %d at %d: %s", size, at, part)
			}
			got.WriteString(part)
		}
		if got.String() != text {
			t.Errorf("size %d: %q", size, got.String())
		}
	}
}

// TestSparseLog pages through 2 GB in constant memory.
func TestSparseLog(t *testing.T) {
	s := serve(t, nil, parts)
	f, err := os.Create(s.path("log"))
	if err != nil {
		t.Fatal(err)
	}
	const size = 2 << 30
	lines := "one\ntwo\nthree\n"
	if _, err := f.WriteAt([]byte("first\n"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("\n"+lines), size-1-int64(len(lines))); err != nil {
		t.Skip("no sparse files:", err)
	}
	f.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s.wantRead("lines://log?part=1", "first\n")
	s.wantRead("lines://log?part=-2", "two\nthree\n")
	s.wantRead("lines://log?part=4-5", "two\nthree\n")
	s.wantRead("bytes://log?offset="+strconv.Itoa(size-6), "three\n")
	if got := s.read("lines://log?part=2"); !strings.Contains(got, "larger than 64 KiB") {
		t.Errorf("a line of 2 GB: %.80s", got)
	}
	for at := 0; at < size; at += size / 64 {
		res, err := s.Read(context.Background(), fmt.Sprintf("bytes://log?offset=%d&limit=4096", at))
		if err != nil || len(res.Contents[0].Data) != 4096 {
			t.Fatalf("at %d: %v", at, err)
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 {
		t.Errorf("%d bytes allocated in all", n)
	}
}

func TestCharset(t *testing.T) {
	utf16le := []byte{0xFF, 0xFE, 'h', 0, 0xE9, 0, '\n', 0, 0x3D, 0xD8, 0x00, 0xDE, '\n', 0}
	utf16be := []byte{0xFE, 0xFF, 0, 'h', 0, 0xE9}
	files := map[string]string{
		"le": string(utf16le), "be": string(utf16be), "bom": "\ufeffh", "odd": string(utf16le[:5]), "lone": "\xff\xfe\x3d\xd8a\x00",
		"utf32": "\xff\xfe\x00\x00h\x00\x00\x00", "plain": "h",
	}
	s := serve(t, files, parts)
	s.wantRead("lines://le", "hé\n😀\n")
	s.wantRead("lines://be", "hé")
	s.wantRead("lines://bom", "h")
	s.wantRead("lines://odd", fmt.Sprintf("[%x]", utf16le[:5]))
	s.wantRead("lines://lone", "[fffe3dd86100]")
	s.wantRead("lines://utf32", "[fffe000068000000]")
	s.wantRead("lines://plain", "h")
	s.wantRead("lines://le?part=2", "😀\n")
	s.wantRead("lines://bom?part=1", "h")
	s.open(strings.Replace(parts, `charset   = "auto"`, "", 1))
	s.wantRead("lines://bom", "\ufeffh")
	if got := s.read("lines://le"); got != fmt.Sprintf("[%x]", utf16le) {
		t.Errorf("utf-8 only: %s", got)
	}
}

func TestToUTF8KeepsWhatItCannotRead(t *testing.T) {
	for _, b := range [][]byte{nil, {0xFF}, {0xFE, 0xFF}, {0xFF, 0xFE, 0, 0xDC}, {0xEF, 0xBB}} {
		if got := toUTF8(b); len(b) != 2 && !bytes.Equal(got, b) {
			t.Errorf("%x: %x", b, got)
		}
	}
}

// TestIsText holds the vectorised check against the standard library's, for
// every pair of bytes and for characters cut anywhere, on both sides of the
// blocks of 32 bytes that it works in.
func TestIsText(t *testing.T) {
	check := func(b []byte) {
		t.Helper()
		if got, want := isText(b), utf8.Valid(b) && !bytes.Contains(b, []byte{0}); got != want {
			t.Fatalf("%x: %v", b, got)
		}
	}
	for pair := range 1 << 16 {
		for _, at := range []int{0, 14, 15, 16, 30, 31, 32, 47, 62, 63} {
			b := bytes.Repeat([]byte{'x'}, 80)
			b[at], b[at+1] = byte(pair>>8), byte(pair)
			check(b)
			check(b[:at+2])
			check(b[:at+1])
		}
	}
	for first := 0xC0; first <= 0xFF; first++ {
		for second := range 256 {
			for _, rest := range []string{"", "\x80", "\xbf\x80", "\x80\x80x", "x", "\x80\xc0"} {
				for _, before := range []int{1, 28, 29, 30, 31, 32, 60, 62} {
					b := bytes.Repeat([]byte{'a'}, before)
					b = append(append(b, byte(first), byte(second)), rest...)
					check(b)
					check(append(b, strings.Repeat("z", 40)...))
				}
			}
		}
	}
}

package transport

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// must is b.hold where there is room.
func must(b *bulk) func(data []byte, base64 bool) string {
	return func(data []byte, base64 bool) string {
		mark, ok := b.hold(data, base64)
		if !ok {
			panic("there is no room")
		}
		return mark
	}
}

// TestBulkIsWrittenAsTheLibraryDoes holds texts and bytes against one call of
// encoding/json, with characters of every width on the edges of chunks.
func TestBulkIsWrittenAsTheLibraryDoes(t *testing.T) {
	alphabet := []rune("a\"\\\n\x00\x1f\x7f<&é\u2028\u2029\ufeff\uffff€日🎁")
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{0, 1, 2, 3, bulkChunk - 3, bulkChunk - 2, bulkChunk - 1, bulkChunk, bulkChunk + 1, 2*bulkChunk + 5, 300_000} {
		var text strings.Builder
		for text.Len() < size {
			text.WriteRune(alphabet[random.IntN(len(alphabet))])
		}
		b := newBulk(newRoom(maxUnread, false))
		textMark, blobMark := must(b)([]byte(text.String()), false), must(b)([]byte(text.String()), true)
		msg := `{"a":"` + textMark + `","b":"` + blobMark + `","c":""}`
		var got, want bytes.Buffer
		if err := b.write(&got, []byte(msg)); err != nil {
			t.Fatal(err)
		}
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(struct {
			A string `json:"a"`
			B string `json:"b"`
			C string `json:"c"`
		}{text.String(), base64.StdEncoding.EncodeToString([]byte(text.String())), ""})
		if strings.TrimSuffix(want.String(), "\n") != got.String() {
			t.Errorf("%d bytes: got %d, want %d", size, got.Len(), want.Len())
		}
		if len(b.held) != 0 {
			t.Errorf("%d contents are still held", len(b.held))
		}
	}
}

// TestAMarkIsGoodOnce: a message that repeats a mark breaks off.
func TestAMarkIsGoodOnce(t *testing.T) {
	b := newBulk(newRoom(maxUnread, false))
	mark := must(b)([]byte("secret"), false)
	must(b)([]byte("other"), false)
	var got bytes.Buffer
	if err := b.write(&got, []byte(mark+" "+mark)); err != errNoContent || got.String() != "secret " {
		t.Errorf("got %q, %v", got.String(), err)
	}
}

// TestMarksAreNotUsedAgain while another answer of the session is on its way.
func TestMarksAreNotUsedAgain(t *testing.T) {
	b := newBulk(newRoom(maxUnread, false))
	one, two := must(b)([]byte("one"), false), must(b)([]byte("two"), false)
	b.forget([]byte(one))
	three := must(b)([]byte("three"), false)
	var got bytes.Buffer
	if err := b.write(&got, []byte(two+" "+three)); err != nil || got.String() != "two three" {
		t.Errorf("got %q, %v", got.String(), err)
	}
}

func TestBulkOfACancelledCallIsForgotten(t *testing.T) {
	var out bytes.Buffer
	c := newStdioConn(strings.NewReader(""), &out, StdioOptions{}.withDefaults())
	defer c.Close()
	id, _ := jsonrpc.MakeID(1.0)
	c.running.enter()
	c.pending[id] = &pendingCall{cancelled: true}
	result := `{"contents":["` + must(c.bulk)(make([]byte, bulkSize), false) + `","` + must(c.bulk)(make([]byte, bulkSize), true) + `"]}`
	if err := c.Write(t.Context(), &jsonrpc.Response{ID: id, Result: json.RawMessage(result)}); err != nil {
		t.Fatal(err)
	}
	if out.Len() != 0 || len(c.bulk.held) != 0 {
		t.Errorf("%d bytes written, %d contents held", out.Len(), len(c.bulk.held))
	}
}

// TestBulkBelongsToItsCall does not let a caller name another's.
func TestBulkBelongsToItsCall(t *testing.T) {
	s := &bulks{room: newRoom(maxUnread, false)}
	one, _ := http.NewRequest(http.MethodPost, "http://h/mcp", nil)
	first, done := s.open(one)
	other, _ := http.NewRequest(http.MethodPost, "http://h/mcp", nil)
	other.Header.Set(headerBulk, one.Header.Get(headerBulk))
	second, doneToo := s.open(other)
	if first == second || s.find(one.Header) != first || s.find(other.Header) != second {
		t.Error("two calls share their contents")
	}
	done()
	doneToo()
	if s.find(one.Header) != nil || s.find(nil) != nil {
		t.Error("the contents outlive their call")
	}
}

// TestBulkStopsAtABrokenOutput reports the failure wherever it comes.
func TestBulkStopsAtABrokenOutput(t *testing.T) {
	for room := range 4 {
		b := newBulk(newRoom(maxUnread, false))
		msg := "x" + must(b)(make([]byte, 3*bulkChunk), room%2 == 0) + "y"
		if err := b.write(&fullAfter{room}, []byte(msg)); err != io.ErrShortWrite {
			t.Errorf("after %d writes: %v", room, err)
		}
	}
}

type fullAfter struct{ writes int }

func (f *fullAfter) Write(p []byte) (int, error) {
	if f.writes--; f.writes < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

// TestTheRoomIsGivenBack whatever becomes of the contents.
func TestTheRoomIsGivenBack(t *testing.T) {
	r := newRoom(10, false)
	s := &bulks{room: r}
	open := func() (*bulk, func()) {
		req, _ := http.NewRequest(http.MethodPost, "http://h/mcp", nil)
		return s.open(req)
	}
	content := make([]byte, 6)
	for name, use := range map[string]func(b *bulk, mark string){
		"written":   func(b *bulk, mark string) { _ = b.write(io.Discard, []byte(mark)) },
		"broken":    func(b *bulk, mark string) { _ = b.write(&fullAfter{1}, []byte(mark)) },
		"forgotten": func(b *bulk, mark string) { b.forget([]byte(mark)) },
		"never":     func(*bulk, string) {},
	} {
		b, done := open()
		use(b, must(b)(content, false))
		done()
		if r.held != 0 || len(b.held) != 0 || b.bytes != 0 {
			t.Errorf("%s: %d bytes of room are taken, %d contents held", name, r.held, len(b.held))
		}
		if _, ok := b.hold(content, false); ok || r.held != 0 {
			t.Errorf("%s: a call that is over takes contents", name)
		}
	}
	one, done := open()
	for range 3 { // a call that is alone may have all that it wants
		must(one)(content, false)
	}
	two, doneToo := open()
	if _, ok := two.hold(content[:1], false); ok {
		t.Error("there is room in a full one")
	}
	done()
	must(two)(content, false)
	doneToo()
	if r.held != 0 {
		t.Errorf("%d bytes of room are taken", r.held)
	}
}

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
		b := newBulk()
		textMark, blobMark := b.hold([]byte(text.String()), false), b.hold([]byte(text.String()), true)
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
	b := newBulk()
	mark := b.hold([]byte("secret"), false)
	b.hold([]byte("other"), false)
	var got bytes.Buffer
	if err := b.write(&got, []byte(mark+" "+mark)); err != errNoContent || got.String() != "secret " {
		t.Errorf("got %q, %v", got.String(), err)
	}
}

// TestMarksAreNotUsedAgain while another answer of the session is on its way.
func TestMarksAreNotUsedAgain(t *testing.T) {
	b := newBulk()
	one, two := b.hold([]byte("one"), false), b.hold([]byte("two"), false)
	b.forget([]byte(one))
	three := b.hold([]byte("three"), false)
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
	result := `{"contents":["` + c.bulk.hold(make([]byte, bulkSize), false) + `","` + c.bulk.hold(make([]byte, bulkSize), true) + `"]}`
	if err := c.Write(t.Context(), &jsonrpc.Response{ID: id, Result: json.RawMessage(result)}); err != nil {
		t.Fatal(err)
	}
	if out.Len() != 0 || len(c.bulk.held) != 0 {
		t.Errorf("%d bytes written, %d contents held", out.Len(), len(c.bulk.held))
	}
}

// TestBulkBelongsToItsCall does not let a caller name another's.
func TestBulkBelongsToItsCall(t *testing.T) {
	s := &bulks{}
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
		b := newBulk()
		msg := "x" + b.hold(make([]byte, 3*bulkChunk), room%2 == 0) + "y"
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

package transport

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// bulkSize is from how many bytes on a content is written beside the SDK,
	// which copies a message half a dozen times until it is out.
	bulkSize = 32 << 10
	// bulkChunk is how much of it is encoded at a time.
	bulkChunk = 64 << 10
)

// leavesOut is a result whose contents can be left out.
type leavesOut interface {
	// LeaveOut hands every content of at least so many bytes to hold and has
	// the mark that it returns in its place.
	LeaveOut(bytes int, hold func(data []byte, base64 bool) (mark string))
}

// bulk holds the large contents of results while the SDK encodes their
// messages, which have a short mark where the content belongs. Nobody else can
// know a mark: it is random, and replaced before anything is out.
type bulk struct {
	prefix []byte
	mu     sync.Mutex
	last   uint64 // number of a mark
	held   map[string]bulkContent
}

// bulkContent becomes a JSON string, either as the text that it is or in
// base64.
type bulkContent struct {
	data   []byte
	base64 bool
}

// A mark is the prefix, which is random, and a number of this width, which is
// that of 64 bits.
const markDigits = 16

func newBulk() *bulk {
	return &bulk{prefix: []byte("bulk-" + rand.Text() + "-"), held: map[string]bulkContent{}}
}

func (b *bulk) hold(data []byte, base64 bool) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last++
	mark := fmt.Sprintf("%s%0*x", b.prefix, markDigits, b.last)
	b.held[mark] = bulkContent{data, base64}
	return mark
}

// next cuts a message at its first mark and gives out the content, once; ok is
// false when there is none.
func (b *bulk) next(msg []byte) (before []byte, c bulkContent, after []byte, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.held) == 0 {
		return msg, c, nil, false
	}
	i := bytes.Index(msg, b.prefix)
	if i < 0 {
		return msg, c, nil, false
	}
	end := i + len(b.prefix) + markDigits
	mark := string(msg[i:end])
	c = b.held[mark]
	delete(b.held, mark)
	return msg[:i], c, msg[end:], true
}

// write writes a message with the contents in their places.
func (b *bulk) write(w io.Writer, msg []byte) error {
	for {
		before, c, after, ok := b.next(msg)
		if _, err := w.Write(before); err != nil || !ok {
			return err
		}
		if err := c.write(w); err != nil {
			return err
		}
		msg = after
	}
}

// forget drops the contents of a message that is not sent.
func (b *bulk) forget(msg []byte) {
	for ok := true; ok; {
		_, _, msg, ok = b.next(msg)
	}
}

func (c bulkContent) write(w io.Writer) error {
	if c.base64 {
		return writeBase64(w, c.data)
	}
	return writeJSONText(w, c.data)
}

func writeBase64(w io.Writer, data []byte) error {
	const chunk = bulkChunk / 4 * 3 // a multiple of 3 is encoded without padding
	buf := make([]byte, 0, bulkChunk)
	for len(data) > 0 {
		n := min(chunk, len(data))
		if _, err := w.Write(base64.StdEncoding.AppendEncode(buf, data[:n])); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// writeJSONText writes UTF-8 as the inside of a JSON string.
func writeJSONText(w io.Writer, text []byte) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	for len(text) > 0 {
		n := min(bulkChunk, len(text))
		for n < len(text) && n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		buf.Reset()
		if err := enc.Encode(textBytes(text[:n])); err != nil {
			return err
		}
		// Without the quotes and the encoder's newline.
		if _, err := w.Write(buf.Bytes()[1 : buf.Len()-2]); err != nil {
			return err
		}
		text = text[n:]
	}
	return nil
}

// textBytes is a JSON string without a copy of its bytes.
type textBytes []byte

func (t textBytes) MarshalText() ([]byte, error) { return t, nil }

// bulkKey is the context's key of a func(http.Header) *bulk, which finds the
// bulk of a request by its header, nil on stdio; it may return nil.
type bulkKey struct{}

// leavingOut is the middleware that takes large contents out of results. Adding
// it twice does no harm.
func leavingOut(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		large, ok := res.(leavesOut)
		find, found := ctx.Value(bulkKey{}).(func(http.Header) *bulk)
		if err != nil || !ok || !found {
			return res, err
		}
		var header http.Header
		if extra := req.GetExtra(); extra != nil {
			header = extra.Header
		}
		if b := find(header); b != nil {
			large.LeaveOut(bulkSize, b.hold)
		}
		return res, nil
	}
}

// bulks are those of the calls that an HTTP transport answers. A call carries
// the key of its own in a header, since the SDK hands a handler the context of
// its session, not that of its request.
type bulks struct{ m sync.Map }

const headerBulk = "Mcpdecl-Call"

func (s *bulks) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, bulkKey{}, s.find)
}

func (s *bulks) find(h http.Header) *bulk {
	b, _ := s.m.Load(h.Get(headerBulk))
	found, _ := b.(*bulk)
	return found
}

// open gives a call its bulk, until done.
func (s *bulks) open(r *http.Request) (b *bulk, done func()) {
	b = newBulk()
	key := rand.Text()
	r.Header.Set(headerBulk, key)
	s.m.Store(key, b)
	return b, func() { s.m.Delete(key) }
}

// bulkWriter puts the contents into the SDK's answer.
type bulkWriter struct {
	http.ResponseWriter
	bulk *bulk
}

func (w *bulkWriter) Write(p []byte) (int, error) {
	if err := w.bulk.write(w.ResponseWriter, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Unwrap is how the SDK finds Flush.
func (w *bulkWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

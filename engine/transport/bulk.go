package transport

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"
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
	room   *room
	mu     sync.Mutex
	last   uint64 // number of a mark
	held   map[string]bulkContent
	bytes  int // of all that is held
	closed bool
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

func newBulk(r *room) *bulk {
	return &bulk{prefix: []byte("bulk-" + rand.Text() + "-"), room: r, held: map[string]bulkContent{}}
}

// hold takes a content for its mark; ok is false when there is no room.
func (b *bulk) hold(data []byte, base64 bool) (mark string, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last++
	mark = fmt.Sprintf("%s%0*x", b.prefix, markDigits, b.last)
	if b.closed || !b.room.take(len(data), b.bytes) {
		return mark, false
	}
	b.held[mark] = bulkContent{data, base64}
	b.bytes += len(data)
	return mark, true
}

// close drops what was never written.
func (b *bulk) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.room.give(b.bytes)
	b.bytes = 0
	clear(b.held)
}

// next cuts a message at its first mark and gives out the content, once, whose
// room the caller gives back; ok is false when there is no mark.
func (b *bulk) next(msg []byte) (before []byte, c bulkContent, after []byte, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := bytes.Index(msg, b.prefix)
	if i < 0 {
		return msg, c, nil, false
	}
	end := i + len(b.prefix) + markDigits
	mark := string(msg[i:end])
	c = b.held[mark]
	delete(b.held, mark)
	b.bytes -= len(c.data)
	return msg[:i], c, msg[end:], true
}

// errNoContent breaks off a message whose content is not held any more: nothing
// else may stand in its place.
var errNoContent = errors.New("the content of the answer is gone")

// write writes a message with the contents in their places.
func (b *bulk) write(w io.Writer, msg []byte) error {
	for {
		before, c, after, ok := b.next(msg)
		if _, err := w.Write(before); err != nil || !ok {
			return err
		}
		if c.data == nil {
			return errNoContent
		}
		err := c.write(w)
		b.room.give(len(c.data))
		if err != nil {
			return err
		}
		msg = after
	}
}

// forget drops the contents of a message that is not sent.
func (b *bulk) forget(msg []byte) {
	for ok := true; ok; {
		var c bulkContent
		_, c, msg, ok = b.next(msg)
		b.room.give(len(c.data))
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

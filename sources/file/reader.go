package file

import (
	"context"
	"io"
	"unicode/utf8"
)

// readChunk is how much is read between two looks at the context.
const readChunk = 1 << 20

// randomReader is what a reader needs of a file.
type randomReader interface {
	io.Reader
	io.ReaderAt
}

// reader reads one file, or a part of it, into memory. What it holds is never
// more than max and a chunk.
type reader struct {
	ctx  context.Context
	file randomReader
	size int64 // when it was opened
	max  int64
	auto bool
	text bool // of what was read
}

func (r *reader) read(p *part) (data []byte, err error) {
	switch {
	case p == nil:
		if data, err = r.whole(); err != nil {
			return nil, err
		}
		if !r.auto {
			return data, nil
		}
		data = toUTF8(data)
	case p.first == 0 && p.tail == 0:
		data, err = r.bytes(p)
	default:
		data, err = r.lines(p)
	}
	r.text = isText(data)
	return data, err
}

// whole reads until the end, which may come earlier or later than at size when
// the file is written meanwhile. What was read is looked at while it is in the
// cache of the processor: r.text says whether all of it is text.
func (r *reader) whole() ([]byte, error) {
	if r.size > r.max {
		return nil, tooLarge("the file is", r.max)
	}
	// One byte more than the size, so that the end is seen without growing.
	buf := make([]byte, 0, max(r.size+1, 512))
	looked := 0
	r.text = true
	for {
		if err := r.ctx.Err(); err != nil {
			return nil, err
		}
		n, err := r.file.Read(buf[len(buf):min(cap(buf), len(buf)+readChunk)])
		buf = buf[:len(buf)+n]
		if int64(len(buf)) > r.max {
			return nil, tooLarge("the file is", r.max)
		}
		if r.text {
			end := len(buf)
			if err != io.EOF {
				end = looked + wholeCharacters(buf[looked:])
			}
			r.text = isText(buf[looked:end])
			looked = end
		}
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
}

// wholeCharacters is the length of b without a character that is cut at its
// end.
func wholeCharacters(b []byte) int {
	for i := len(b) - 1; i >= 0 && len(b)-i < utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return i
			}
			break
		}
	}
	return len(b)
}

// span reads the bytes from one place to another, fewer when the file ends
// before.
func (r *reader) span(from, to int64) ([]byte, error) {
	if to-from > r.max+2*utf8.UTFMax {
		return nil, tooLarge("the part is", r.max)
	}
	buf := make([]byte, max(0, to-from))
	for n := 0; n < len(buf); {
		if err := r.ctx.Err(); err != nil {
			return nil, err
		}
		m, err := r.file.ReadAt(buf[n:min(len(buf), n+readChunk)], from+int64(n))
		n += m
		if err == io.EOF {
			return buf[:n], nil
		}
		if err != nil {
			return nil, err
		}
	}
	return buf, nil
}

// bytes reads a part by bytes. Of text, a character belongs to the part in
// which it begins, so that parts that follow each other make up the whole.
func (r *reader) bytes(p *part) ([]byte, error) {
	from := min(p.offset, r.size)
	to := r.size
	if p.limit >= 0 && p.limit < to-from {
		to = from + p.limit
	}
	if to-from > r.max {
		return nil, tooLarge("the part is", r.max)
	}
	// Characters may begin before the part and end behind it.
	before := max(0, from-(utf8.UTFMax-1))
	buf, err := r.span(before, min(to+utf8.UTFMax-1, r.size))
	if err != nil {
		return nil, err
	}
	first := min(len(buf), int(from-before))
	last := min(len(buf), int(to-before))
	start, ok := behindCharacter(buf, first)
	end, ok2 := behindCharacter(buf, last)
	if ok && ok2 && start <= end && isText(buf[start:end]) {
		return buf[start:end:end], nil
	}
	return buf[first:last:last], nil
}

// behindCharacter returns i, or the place behind the character that i lies
// within. It is false where there is no such character.
func behindCharacter(buf []byte, i int) (int, bool) {
	if i == 0 || i >= len(buf) || utf8.RuneStart(buf[i]) {
		return i, true
	}
	for j := i - 1; j >= 0 && i-j < utf8.UTFMax; j-- {
		if utf8.RuneStart(buf[j]) {
			c, size := utf8.DecodeRune(buf[j:])
			return j + size, c != utf8.RuneError && j+size > i
		}
	}
	return i, false
}

package file

import (
	"bytes"
	"errors"
	"io"
)

// scanChunk is how much of a file is held while its lines are counted.
const scanChunk = 64 << 10

// lines reads a part by lines. Each keeps its line end.
func (r *reader) lines(p *part) ([]byte, error) {
	if r.auto {
		head := make([]byte, 4)
		n, err := r.file.ReadAt(head, 0)
		if err != nil && err != io.EOF {
			return nil, err
		}
		if size, wide, _ := bom(head[:n]); wide {
			return r.wideLines(p)
		} else if size > 0 {
			r = r.skip(int64(size))
		}
	}
	if p.tail > 0 {
		from, err := r.tail(p.tail)
		if err != nil {
			return nil, err
		}
		return r.span(from, r.size)
	}
	from, err := r.after(0, p.first-1, r.size)
	if err != nil {
		return nil, err
	}
	// One byte beyond max tells a part that is too large.
	end := min(r.size, from+r.max+1)
	if p.last-p.first < end-from {
		if end, err = r.after(from, p.last-p.first+1, end); err != nil {
			return nil, err
		}
	}
	if end-from > r.max {
		return nil, tooLarge("the part is", r.max)
	}
	return r.span(from, end)
}

// skip is a reader of what follows the first n bytes.
func (r *reader) skip(n int64) *reader {
	c := *r
	c.file = io.NewSectionReader(r.file, n, r.size-n)
	c.size -= n
	c.auto = false
	return &c
}

// wideLines counts lines in the characters of a UTF-16 file.
func (r *reader) wideLines(p *part) ([]byte, error) {
	data, err := r.whole()
	if err != nil {
		return nil, err
	}
	data = toUTF8(data)
	if !isText(data) {
		return data, nil
	}
	inner := reader{ctx: r.ctx, file: bytes.NewReader(data), size: int64(len(data)), max: r.max}
	return inner.lines(p)
}

// after returns the place behind the n-th line end from a place on, end when
// there are fewer.
func (r *reader) after(from, n, end int64) (int64, error) {
	if n <= 0 {
		return from, nil
	}
	buf := make([]byte, scanChunk)
	for from < end {
		if err := r.ctx.Err(); err != nil {
			return 0, err
		}
		m, err := r.file.ReadAt(buf[:min(scanChunk, end-from)], from)
		chunk := buf[:m]
		if count := int64(bytes.Count(chunk, []byte{'\n'})); count < n {
			n -= count
		} else {
			for at := 0; ; {
				at += bytes.IndexByte(chunk[at:], '\n') + 1
				if n--; n == 0 {
					return from + int64(at), nil
				}
			}
		}
		from += int64(m)
		if err == io.EOF {
			return from, nil
		}
		if err != nil {
			return 0, err
		}
	}
	return end, nil
}

// tail returns where the last n lines begin. A line end at the very end begins
// no further line.
func (r *reader) tail(n int64) (int64, error) {
	buf := make([]byte, scanChunk)
	for to := r.size; to > 0; {
		if err := r.ctx.Err(); err != nil {
			return 0, err
		}
		from := max(0, to-scanChunk)
		m, err := r.file.ReadAt(buf[:to-from], from)
		if err != nil && err != io.EOF {
			return 0, err
		}
		if int64(m) < to-from {
			return 0, errShrunk
		}
		chunk := buf[:m]
		if to == r.size && chunk[m-1] == '\n' {
			chunk = chunk[:m-1]
		}
		for {
			i := bytes.LastIndexByte(chunk, '\n')
			if i < 0 {
				break
			}
			if n--; n == 0 {
				return from + int64(i) + 1, nil
			}
			chunk = chunk[:i]
		}
		if to = from; r.size-to > r.max {
			return 0, tooLarge("the part is", r.max)
		}
	}
	return 0, nil
}

var errShrunk = errors.New("the file became shorter while it was read")

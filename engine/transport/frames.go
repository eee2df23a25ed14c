package transport

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// frame is one line of input without its end.
type frame struct {
	line    []byte
	tooLong bool // the line was over the limit and has been skipped
}

// frames cuts an input into lines. Blank lines, CR before LF and a byte order
// mark at the very start, which some shells write into a pipe, are passed over.
type frames struct {
	r     *bufio.Reader
	max   int
	begun bool
}

func newFrames(in io.Reader, limit int) *frames {
	return &frames{r: bufio.NewReaderSize(in, 64<<10), max: limit}
}

// next returns the next line that is not blank. The last line counts without
// its end, too; after it, and when the input fails, next returns an error.
func (f *frames) next() (frame, error) {
	for {
		fr, err := f.line()
		if !f.begun {
			f.begun = true
			fr.line = bytes.TrimPrefix(fr.line, []byte("\xef\xbb\xbf"))
		}
		fr.line = bytes.TrimSpace(fr.line)
		if fr.tooLong || len(fr.line) > 0 {
			return fr, nil // an error comes again with the next call
		}
		if err != nil {
			return frame{}, err
		}
	}
}

// line reads to the end of a line, keeping at most the limit in memory.
func (f *frames) line() (frame, error) {
	var fr frame
	for {
		part, err := f.r.ReadSlice('\n')
		content := len(bytes.TrimRight(part, "\r\n"))
		if !fr.tooLong && len(fr.line)+content > f.max {
			fr = frame{tooLong: true}
		}
		if !fr.tooLong {
			fr.line = append(fr.line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return fr, err
		}
	}
}

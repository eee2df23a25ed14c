package sql

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/mcpdecl/mcpdecl/sources"
)

// encoder writes rows into the final bytes, one growing buffer with the limit
// counted as it grows.
type encoder struct {
	format format
	list   bool // rows stand in one document
	max    int
	buf    []byte
	past   int // bytes of the contents that were taken already
	keys   [][]byte
	names  []string
	rows   int
}

func newEncoder(f format, list bool, maxBytes int64, hint int) *encoder {
	return &encoder{format: f, list: list, max: int(min(maxBytes, 1<<40)), buf: make([]byte, 0, hint)}
}

// begin prepares the keys and writes what stands before the first row.
func (e *encoder) begin(cols []column) {
	e.names = make([]string, len(cols))
	for i, c := range cols {
		e.names[i] = c.name
	}
	if e.format == formatJSON || e.format == formatNDJSON {
		e.keys = make([][]byte, len(cols))
		for i, c := range cols {
			key := append(appendString([]byte{','}, c.name), ':')
			if i == 0 {
				key[0] = '{'
			}
			e.keys[i] = key
		}
	}
	if e.list {
		e.open()
	}
}

func (e *encoder) open() {
	switch e.format {
	case formatJSON:
		if e.list {
			e.buf = append(e.buf, '[')
		}
	case formatCSV:
		e.csvHeader()
	case formatMarkdown:
		e.markdownHeader()
	}
}

// row appends one row, or fails when the result outgrows the limit.
func (e *encoder) row(cells []cell) error {
	if !e.list {
		e.open()
	}
	var err error
	switch e.format {
	case formatJSON, formatNDJSON:
		if e.list && e.rows > 0 && e.format == formatJSON {
			e.buf = append(e.buf, ',')
		}
		if err = e.object(cells); err == nil && e.format == formatNDJSON {
			e.buf = append(e.buf, '\n')
		}
	case formatCSV:
		err = e.csvRow(cells)
	case formatMarkdown:
		err = e.markdownRow(cells)
	}
	e.rows++
	if err != nil {
		return err
	}
	return e.room(0)
}

// end writes what stands behind the last row and returns everything.
func (e *encoder) end() []byte {
	if e.list && e.format == formatJSON {
		e.buf = append(e.buf, ']')
	}
	return e.buf
}

// take returns the bytes of the one row that was written, and starts anew.
func (e *encoder) take() []byte {
	out := e.buf
	e.past += len(out)
	e.buf = make([]byte, 0, len(out))
	return out
}

// room fails when n more bytes are too many, before they are copied.
func (e *encoder) room(n int) error {
	if e.past+len(e.buf)+n > e.max {
		return &TooLargeError{Limit: int64(e.max)}
	}
	return nil
}

func (e *encoder) object(cells []cell) error {
	for i := range cells {
		e.buf = append(e.buf, e.keys[i]...)
		c := &cells[i]
		if err := e.room(len(c.text) + len(c.bytes)); err != nil {
			return err
		}
		switch c.kind {
		case cellBinary:
			e.buf = append(e.buf, '"')
			e.buf = base64.StdEncoding.AppendEncode(e.buf, c.bytes)
			e.buf = append(e.buf, '"')
		case cellJSON:
			if err := e.json(c.text); err != nil {
				return err
			}
		default:
			e.buf = appendJSON(e.buf, c)
		}
	}
	e.buf = append(e.buf, '}')
	return nil
}

// json embeds a JSON value as it is. One that spans lines is written on one,
// so that a line stays a row in ndjson and documents look alike. Text that is
// not UTF-8 is not JSON, whatever a database calls it.
func (e *encoder) json(text string) error {
	if !utf8.ValidString(text) {
		e.buf = appendString(e.buf, text)
		return nil
	}
	if !hasLineBreak(text) {
		e.buf = append(e.buf, text...)
		return nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		return fmt.Errorf("embed json value: %w", err)
	}
	e.buf = append(e.buf, b.Bytes()...)
	return nil
}

func hasLineBreak(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == '\n' || s[i] == '\r' {
			return true
		}
	}
	return false
}

// appendJSON writes a cell as a JSON value. The rules are those of
// docs/types.md.
func appendJSON(buf []byte, c *cell) []byte {
	switch c.kind {
	case cellInt:
		if exactInt(c.n) {
			return strconv.AppendInt(buf, c.n, 10)
		}
		return append(strconv.AppendInt(append(buf, '"'), c.n, 10), '"')
	case cellUint:
		if exactUint(uint64(c.n)) {
			return strconv.AppendUint(buf, uint64(c.n), 10)
		}
		return append(strconv.AppendUint(append(buf, '"'), uint64(c.n), 10), '"')
	case cellFloat:
		if s := specialFloat(c.f); s != "" {
			return append(append(append(buf, '"'), s...), '"')
		}
		return appendFloat(buf, c.f)
	case cellDigits:
		if sources.ExactDecimal(c.text) && isNumber(c.text) {
			return append(buf, c.text...)
		}
		return appendString(buf, c.text)
	case cellBool:
		return strconv.AppendBool(buf, c.n != 0)
	case cellText:
		return appendString(buf, c.text)
	case cellJSON:
		return append(buf, c.text...)
	case cellBinary:
		buf = append(buf, '"')
		buf = base64.StdEncoding.AppendEncode(buf, c.bytes)
		return append(buf, '"')
	}
	return append(buf, "null"...)
}

// appendPlain writes a cell as text outside JSON; a null is nothing.
func appendPlain(buf []byte, c *cell) []byte {
	switch c.kind {
	case cellNull:
		return buf
	case cellInt:
		return strconv.AppendInt(buf, c.n, 10)
	case cellUint:
		return strconv.AppendUint(buf, uint64(c.n), 10)
	case cellFloat:
		if s := specialFloat(c.f); s != "" {
			return append(buf, s...)
		}
		return appendFloat(buf, c.f)
	case cellBool:
		return strconv.AppendBool(buf, c.n != 0)
	case cellBinary:
		return base64.StdEncoding.AppendEncode(buf, c.bytes)
	}
	return append(buf, validText(c.text)...)
}

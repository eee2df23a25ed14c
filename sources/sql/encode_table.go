package sql

import "strings"

// csvHeader and csvRow follow RFC 4180 but for the line end, which is a line
// feed. A null is an empty field, an empty text is "" in quotes.
func (e *encoder) csvHeader() {
	for i, name := range e.names {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.buf = appendField(e.buf, validText(name))
	}
	e.buf = append(e.buf, '\n')
}

func (e *encoder) csvRow(cells []cell) error {
	for i := range cells {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		c := &cells[i]
		if err := e.room(len(c.text) + len(c.bytes)); err != nil {
			return err
		}
		switch c.kind {
		case cellText, cellJSON, cellDigits:
			e.buf = appendField(e.buf, validText(c.text))
		default:
			e.buf = appendPlain(e.buf, c)
		}
	}
	// A line of one null would be an empty line, which readers skip.
	if len(cells) == 1 && cells[0].kind == cellNull {
		e.buf = append(e.buf, "\"\""...)
	}
	e.buf = append(e.buf, '\n')
	return nil
}

func appendField(buf []byte, s string) []byte {
	if s != "" && !strings.ContainsAny(s, "\",\r\n") && s[0] != ' ' && s[len(s)-1] != ' ' {
		return append(buf, s...)
	}
	buf = append(buf, '"')
	buf = append(buf, strings.ReplaceAll(s, `"`, `""`)...)
	return append(buf, '"')
}

// markdownHeader and markdownRow write a table of GitHub Flavored Markdown. It
// is for reading: a null is written null, a line break <br>.
func (e *encoder) markdownHeader() {
	e.buf = append(e.buf, '|')
	for _, name := range e.names {
		e.buf = append(e.buf, ' ')
		e.buf = appendCell(e.buf, validText(name))
		e.buf = append(e.buf, " |"...)
	}
	e.buf = append(e.buf, "\n|"...)
	for range e.names {
		e.buf = append(e.buf, " --- |"...)
	}
	e.buf = append(e.buf, '\n')
}

func (e *encoder) markdownRow(cells []cell) error {
	e.buf = append(e.buf, '|')
	for i := range cells {
		c := &cells[i]
		if err := e.room(len(c.text) + len(c.bytes)); err != nil {
			return err
		}
		e.buf = append(e.buf, ' ')
		switch c.kind {
		case cellNull:
			e.buf = append(e.buf, "null"...)
		case cellText, cellJSON, cellDigits:
			e.buf = appendCell(e.buf, validText(c.text))
		default:
			e.buf = appendPlain(e.buf, c)
		}
		e.buf = append(e.buf, " |"...)
	}
	e.buf = append(e.buf, '\n')
	return nil
}

// appendCell keeps a text from ending its cell or its row.
func appendCell(buf []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '|', '\\':
			buf = append(buf, '\\', c)
		case '\r':
			if i+1 < len(s) && s[i+1] == '\n' {
				continue
			}
			buf = append(buf, "<br>"...)
		case '\n':
			buf = append(buf, "<br>"...)
		default:
			buf = append(buf, c)
		}
	}
	return buf
}

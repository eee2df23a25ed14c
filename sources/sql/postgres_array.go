package sql

import (
	"errors"
	"fmt"
	"strings"
)

// errNotArray says that a text is not in the form of an array, as that of some
// types which the catalog counts among arrays is not.
var errNotArray = errors.New("not an array")

// appendArray writes the text form of an array, {1,NULL,"a b"}, as a JSON
// array; its elements follow the rules of their own type.
func appendArray(s *pgSession, buf []byte, text string, t pgType) ([]byte, error) {
	if strings.HasPrefix(text, "[") { // bounds other than 1: [0:1]={1,2}
		_, rest, ok := strings.Cut(text, "=")
		if !ok {
			return buf, errNotArray
		}
		text = rest
	}
	if !strings.HasPrefix(text, "{") {
		return buf, errNotArray
	}
	p := arrayParser{session: s, text: text, t: t}
	buf, err := p.array(buf, 0)
	if err == nil && p.pos != len(text) {
		err = fmt.Errorf("read array: text behind its end")
	}
	return buf, err
}

type arrayParser struct {
	session *pgSession
	text    string
	pos     int
	t       pgType
}

func (p *arrayParser) array(buf []byte, depth int) ([]byte, error) {
	if depth > 16 { // the server's own limit is 6
		return buf, fmt.Errorf("read array: too many dimensions")
	}
	buf = append(buf, '[')
	p.pos++
	if p.peek() == '}' {
		p.pos++
		return append(buf, ']'), nil
	}
	for {
		var err error
		if p.peek() == '{' {
			buf, err = p.array(buf, depth+1)
		} else {
			buf, err = p.element(buf)
		}
		if err != nil {
			return buf, err
		}
		switch c := p.peek(); c {
		case p.t.delim:
			buf = append(buf, ',')
		case '}':
			p.pos++
			return append(buf, ']'), nil
		default:
			return buf, fmt.Errorf("read array: unexpected %q", c)
		}
		p.pos++
	}
}

func (p *arrayParser) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

func (p *arrayParser) element(buf []byte) ([]byte, error) {
	value, quoted, err := p.raw()
	if err != nil {
		return buf, err
	}
	if !quoted && value == "NULL" {
		return append(buf, "null"...), nil
	}
	var c cell
	// The scratch memory is being written to by the caller, so that an element
	// that needs some has its own.
	own := pgSession{opener: p.session.opener}
	if err := own.cell(&c, *p.t.elem, []byte(value)); err != nil {
		return buf, err
	}
	return appendJSON(buf, &c), nil
}

// raw returns the text of an element without its quotes.
func (p *arrayParser) raw() (value string, quoted bool, err error) {
	if p.peek() != '"' {
		start := p.pos
		for p.pos < len(p.text) && p.text[p.pos] != p.t.delim && p.text[p.pos] != '}' {
			p.pos++
		}
		return p.text[start:p.pos], false, nil
	}
	var b strings.Builder
	for p.pos++; p.pos < len(p.text); p.pos++ {
		switch c := p.text[p.pos]; c {
		case '"':
			p.pos++
			return b.String(), true, nil
		case '\\':
			p.pos++
			b.WriteByte(p.peek())
		default:
			b.WriteByte(c)
		}
	}
	return "", true, fmt.Errorf("read array: a quote is not closed")
}

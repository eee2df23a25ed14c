package sql

import (
	"encoding/base64"
	"unicode/utf8"
)

// appendString writes a JSON string. Text that is not UTF-8 cannot stand in
// JSON; it becomes a data URI of its bytes, so that nothing is lost and
// everybody sees it.
func appendString(buf []byte, s string) []byte {
	if !utf8.ValidString(s) {
		buf = append(buf, '"')
		buf = appendDataURI(buf, s)
		return append(buf, '"')
	}
	buf = append(buf, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		buf = append(buf, s[start:i]...)
		start = i + 1
		buf = appendEscape(buf, c)
	}
	buf = append(buf, s[start:]...)
	return append(buf, '"')
}

func appendEscape(buf []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(buf, '\\', c)
	case '\n':
		return append(buf, '\\', 'n')
	case '\r':
		return append(buf, '\\', 'r')
	case '\t':
		return append(buf, '\\', 't')
	case '\b':
		return append(buf, '\\', 'b')
	case '\f':
		return append(buf, '\\', 'f')
	}
	const hex = "0123456789abcdef"
	return append(buf, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

func appendDataURI(buf []byte, s string) []byte {
	buf = append(buf, "data:application/octet-stream;base64,"...)
	return base64.StdEncoding.AppendEncode(buf, []byte(s))
}

// validText returns the text as it may stand outside JSON.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string(appendDataURI(nil, s))
}

package file

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	asm "github.com/segmentio/asm/utf8" // utf8.Valid is half the work of reading a text
)

// isText decides between text and blob: text is UTF-8 without NUL.
func isText(b []byte) bool { return bytes.IndexByte(b, 0) < 0 && asm.Valid(b) }

// neverText reports whether content of a media type is a blob whatever its
// bytes are: a picture does not become text by being small.
func neverText(mimeType string) bool {
	t, _, _ := strings.Cut(mimeType, ";")
	t = strings.ToLower(strings.TrimSpace(t))
	for _, family := range []string{"image/", "audio/", "video/", "font/"} {
		if strings.HasPrefix(t, family) {
			return !strings.HasSuffix(t, "+xml") && !strings.HasSuffix(t, "mpegurl")
		}
	}
	return false
}

// bom is a byte order mark with the encoding that it stands for.
func bom(b []byte) (size int, wide bool, order func(b []byte) uint16) {
	switch {
	case bytes.HasPrefix(b, []byte{0xEF, 0xBB, 0xBF}):
		return 3, false, nil
	case bytes.HasPrefix(b, []byte{0xFF, 0xFE}):
		return 2, true, func(b []byte) uint16 { return uint16(b[0]) | uint16(b[1])<<8 }
	case bytes.HasPrefix(b, []byte{0xFE, 0xFF}):
		return 2, true, func(b []byte) uint16 { return uint16(b[1]) | uint16(b[0])<<8 }
	}
	return 0, false, nil
}

// toUTF8 makes text of a file that begins with a byte order mark, which goes.
// What is not wholly in its encoding stays as it is.
func toUTF8(b []byte) []byte {
	n, wide, unit := bom(b)
	if !wide {
		return b[n:]
	}
	if len(b)%2 != 0 {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := n; i < len(b); i += 2 {
		r := rune(unit(b[i:]))
		if utf16.IsSurrogate(r) {
			if i += 2; i >= len(b) {
				return b
			}
			if r = utf16.DecodeRune(r, rune(unit(b[i:]))); r == utf8.RuneError {
				return b
			}
		}
		if r == 0 {
			return b
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

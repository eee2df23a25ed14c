package file

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// isText decides between text and blob: text is UTF-8 without NUL.
func isText(b []byte) bool { return bytes.IndexByte(b, 0) < 0 && validUTF8(b) }

// validUTF8 is utf8.Valid, which after the first character outside ASCII looks
// at every byte: to look at a text is most of the work of reading it.
func validUTF8(b []byte) bool {
	const high = 0x8080808080808080
	for {
		for len(b) >= 32 && (word(b)|word(b[8:])|word(b[16:])|word(b[24:]))&high == 0 {
			b = b[32:]
		}
		for len(b) >= 8 {
			if set := word(b) & high; set != 0 {
				b = b[bits.TrailingZeros64(set)/8:]
				break
			}
			b = b[8:]
		}
		if len(b) < 8 {
			return utf8.Valid(b)
		}
		for len(b) > 0 && b[0] >= utf8.RuneSelf {
			if len(b) >= 4 {
				// Most characters have two or three bytes, here without a call.
				w := binary.LittleEndian.Uint32(b)
				if w&0xC0C0F0 == 0x8080E0 && w&0x20FF != 0x00E0 && w&0x20FF != 0x20ED {
					b = b[3:]
					continue
				}
				if w&0xC0E0 == 0x80C0 && w&0x1E != 0 {
					b = b[2:]
					continue
				}
			}
			n := character(b)
			if n == 0 {
				return false
			}
			b = b[n:]
		}
	}
}

func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// character is the length of the character outside ASCII at the beginning of b,
// 0 if there is none. The ranges are those of table 3-7 of the Unicode standard.
func character(b []byte) int {
	c := b[0]
	switch {
	case c >= 0xC2 && c <= 0xDF:
		if len(b) > 1 && b[1]&0xC0 == 0x80 {
			return 2
		}
	case c >= 0xE0 && c <= 0xEF:
		if len(b) > 2 && b[1]&0xC0 == 0x80 && b[2]&0xC0 == 0x80 &&
			(c != 0xE0 || b[1] >= 0xA0) && (c != 0xED || b[1] <= 0x9F) {
			return 3
		}
	case c >= 0xF0 && c <= 0xF4:
		if len(b) > 3 && b[1]&0xC0 == 0x80 && b[2]&0xC0 == 0x80 && b[3]&0xC0 == 0x80 &&
			(c != 0xF0 || b[1] >= 0x90) && (c != 0xF4 || b[1] <= 0x8F) {
			return 4
		}
	}
	return 0
}

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

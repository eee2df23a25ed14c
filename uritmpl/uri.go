package uritmpl

import (
	"strings"
	"unicode/utf8"
)

// A URI is a URI that was checked, brought to normal form and cut at its
// outermost delimiters. Reading one allocates only if it was not in normal
// form.
type URI struct {
	raw  string // as received
	text string // in normal form; the authority keeps its case
	// text is scheme ":" path [ "?" query ] [ "#" fragment ]
	path    int // where the path begins, behind the scheme's colon; 0: no scheme
	pathEnd int
	// query and fragment are the offsets of "?" and "#", -1 where absent.
	query, queryEnd, fragment int
	dot                       int // the first dot segment, -1 where there is none
}

// Text returns the normal form.
func (u *URI) Text() string { return u.text }

// Scheme returns the scheme in lower case, "" if there is none.
func (u *URI) Scheme() string { return u.text[:max(u.path-1, 0)] }

// Path returns the bounds in Text of what lies between the scheme's colon and
// the query; its segments are what stands between slashes.
func (u *URI) Path() (start, end int) { return u.path, u.pathEnd }

// HasDotSegment reports whether a path segment is "." or "..". Such a URI is
// refused unless the segment lies in a value that may have it.
func (u *URI) HasDotSegment() bool { return u.dot >= 0 }

// What ReadURI has to look at, by byte.
const (
	bytePlain = iota
	byteControl
	byteBrace
	bytePercent
	byteEncode // space or non-ASCII
	byteQuery
	byteFragment
	byteDot
)

var byteKind = func() (k [256]uint8) {
	for i := range k {
		switch {
		case i < ' ' || i == 0x7f:
			k[i] = byteControl
		case i == ' ' || i >= utf8.RuneSelf:
			k[i] = byteEncode
		}
	}
	k['{'], k['}'], k['%'] = byteBrace, byteBrace, bytePercent
	k['?'], k['#'], k['.'] = byteQuery, byteFragment, byteDot
	return k
}()

// ReadURI checks raw against everything that can be refused without knowing
// which template it matches, except dot segments, which it only marks.
func ReadURI(raw string) (URI, *Refusal) {
	u := URI{raw: raw, text: raw}
	r := u.read()
	return u, r
}

func (u *URI) read() *Refusal {
	raw := u.raw
	if len(raw) > maxURI {
		return refuse(RefusedTooLong, raw, maxURI, "it is longer than 8192 bytes")
	}
	u.query, u.fragment, u.dot = -1, -1, -1
	normal := u.readScheme()
	high := false
	for i := u.path; i < len(raw); i++ {
		switch byteKind[raw[i]] {
		case bytePlain:
		case byteDot:
			if u.query < 0 && u.fragment < 0 && u.dot < 0 && isDotSegment(raw, u.path, i) {
				u.dot = i
			}
		case byteQuery:
			if u.query < 0 && u.fragment < 0 {
				u.query = i
			}
		case byteFragment:
			if u.fragment < 0 {
				u.fragment = i
			}
		case byteControl:
			return refuse(RefusedControlChar, raw, i, "it has a raw control character")
		case byteBrace:
			return refuse(RefusedUnexpanded, raw, i, "it has a raw brace, so a template was sent unexpanded")
		case byteEncode:
			normal = false
			high = high || raw[i] != ' '
		case bytePercent:
			b, ok := triplet(raw, i)
			if !ok {
				return refuse(RefusedBadPercent, raw, i, "a percent sign does not begin an encoded octet")
			}
			if b == 0 {
				return refuse(RefusedNUL, raw, i, "it encodes a NUL octet")
			}
			high = high || b >= utf8.RuneSelf
			normal = normal && !isUnreserved(b) && raw[i+1] < 'a' && raw[i+2] < 'a'
			i += 2
		}
	}
	return u.finish(normal, high)
}

// readScheme finds the scheme and reports whether it is in lower case. Bytes
// before the colon that make no scheme are left to the caller's loop.
func (u *URI) readScheme() (normal bool) {
	normal = true
	for i := 0; i < len(u.raw); i++ {
		c := u.raw[i]
		switch {
		case c >= 'a' && c <= 'z':
		case c >= 'A' && c <= 'Z':
			normal = false
		case i > 0 && (isDigit(c) || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			u.path = i + 1
			return normal
		default:
			return true
		}
	}
	return true
}

// finish normalises the text where that is needed and sets the delimiters.
func (u *URI) finish(normal, high bool) *Refusal {
	if high {
		if at := invalidUTF8(u.raw, u.path); at >= 0 {
			return refuse(RefusedInvalidUTF8, u.raw, at, "it is not UTF-8 text after decoding")
		}
	}
	if !normal {
		u.text = normalizeURI(u.raw, u.path)
		u.locate()
	}
	u.pathEnd, u.queryEnd = len(u.text), len(u.text)
	if u.fragment >= 0 {
		u.pathEnd, u.queryEnd = u.fragment, u.fragment
	}
	if u.query >= 0 {
		u.pathEnd = u.query
	}
	return nil
}

// locate finds the delimiters and the first dot segment of text again.
func (u *URI) locate() {
	u.query, u.fragment, u.dot = -1, -1, -1
	for i := u.path; i < len(u.text) && u.fragment < 0; i++ {
		switch c := u.text[i]; {
		case c == '?' && u.query < 0:
			u.query = i
		case c == '#':
			u.fragment = i
		case c == '.' && u.query < 0 && u.dot < 0 && isDotSegment(u.text, u.path, i):
			u.dot = i
		}
	}
}

// isDotSegment reports whether the dot at s[i] begins a segment "." or "..".
func isDotSegment(s string, path, i int) bool {
	if i > path && s[i-1] != '/' {
		return false
	}
	i++
	if i < len(s) && s[i] == '.' {
		i++
	}
	return i == len(s) || s[i] == '/' || s[i] == '?' || s[i] == '#'
}

// Normalize returns the normal form of RFC 3986 section 6.2.2 as far as it
// does not depend on a template: the scheme in lower case, non-ASCII and
// spaces as triplets, triplets of unreserved characters decoded, hexadecimal
// digits in upper case. The authority keeps its case, since a template may
// capture it; dot segments are not removed, since they are refused. The error
// is a *Refusal.
func Normalize(uri string) (string, error) {
	u, r := ReadURI(uri)
	if r != nil {
		return "", r
	}
	return u.text, nil
}

func normalizeURI(s string, path int) string {
	return strings.ToLower(s[:path]) + normalizeText(s[path:])
}

// normalizeText brings everything but case to normal form. Its triplets must
// be valid.
func normalizeText(s string) string {
	dst := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); i++ {
		dst, i = appendNormal(dst, s, i)
	}
	return string(dst)
}

// appendNormal appends the normal form of the token at s[i] and returns the
// offset of the token's last byte.
func appendNormal(dst []byte, s string, i int) ([]byte, int) {
	switch c := s[i]; {
	case c == '%':
		b, ok := triplet(s, i)
		if !ok {
			return append(dst, c), i
		}
		if isUnreserved(b) {
			return append(dst, b), i + 2
		}
		return appendTriplet(dst, b), i + 2
	case c == ' ' || c >= utf8.RuneSelf:
		return appendTriplet(dst, c), i
	default:
		return append(dst, c), i
	}
}

// rawOffset maps an offset in text to one in raw.
func (u *URI) rawOffset(off int) int {
	if u.text == u.raw {
		return off
	}
	var buf [3]byte
	for at, i := 0, 0; i < len(u.raw); i++ {
		if at >= off {
			return i
		}
		tok, last := appendNormal(buf[:0], u.raw, i)
		at += len(tok)
		i = last
	}
	return len(u.raw)
}

// invalidUTF8 returns the offset of the first octet, raw or encoded, that is
// not part of UTF-8 text, or -1.
func invalidUTF8(s string, from int) int {
	for i := from; i < len(s); {
		if s[i] < utf8.RuneSelf && s[i] != '%' {
			i++
			continue
		}
		var octets [utf8.UTFMax]byte
		n, next := 0, i
		ends := [utf8.UTFMax]int{}
		for n < len(octets) && next < len(s) {
			b := s[next]
			step := 1
			if b == '%' {
				b, _ = triplet(s, next)
				step = 3
			}
			if n > 0 && utf8.RuneStart(b) {
				break
			}
			next += step
			octets[n], ends[n] = b, next
			n++
		}
		r, size := utf8.DecodeRune(octets[:n])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i = ends[size-1]
	}
	return -1
}

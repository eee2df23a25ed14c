package uritmpl

// A class says which bytes a value may not contain. Bytes of "%XX" triplets
// stand for themselves: a triplet is in every class, so "%2F" may stand where
// "/" may not.
type class uint8

const (
	notSimple class = 1 << iota // / ? # ; end a simple value
	notComma                    // one of several values of {a,b}
	notDot                      // a label
	notAmp                      // a value inside a literal query
)

const (
	classSimple = notSimple
	classList   = notSimple | notComma
	classLabel  = notSimple | notDot
)

// excluded holds, for each byte, the classes that do not contain it.
var excluded = [256]class{
	'/': notSimple, '?': notSimple, '#': notSimple, ';': notSimple,
	',': notComma, '.': notDot, '&': notAmp,
}

func (c class) has(b byte) bool { return excluded[b]&c == 0 }

// hasAll reports whether no byte of s is excluded.
func (c class) hasAll(s string) bool {
	for i := 0; i < len(s); i++ {
		if excluded[s[i]]&c != 0 {
			return false
		}
	}
	return true
}

func isAlpha(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }
func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// isUnreserved is RFC 3986 section 2.3.
func isUnreserved(b byte) bool {
	return isAlpha(b) || isDigit(b) || b == '-' || b == '.' || b == '_' || b == '~'
}

// isReserved is RFC 3986 section 2.2.
func isReserved(b byte) bool {
	switch b {
	case ':', '/', '?', '#', '[', ']', '@',
		'!', '$', '&', '\'', '(', ')', '*', '+', ',', ';', '=':
		return true
	}
	return false
}

// isLiteral is RFC 6570 section 2.1 for ASCII, with the apostrophe that
// erratum 6937 adds; triplets and non-ASCII are checked where they are read.
func isLiteral(b byte) bool { return isUnreserved(b) || isReserved(b) }

// rawInValue reports whether b may stand in a simple value as itself although
// expansion would write it as a triplet.
func rawInValue(b byte) bool {
	return b > ' ' && b < 0x7f && !isUnreserved(b) && classSimple.has(b) &&
		b != '%' && b != '{' && b != '}'
}

func unhex(b byte) (byte, bool) {
	switch {
	case isDigit(b):
		return b - '0', true
	case b >= 'A' && b <= 'F':
		return b - 'A' + 10, true
	case b >= 'a' && b <= 'f':
		return b - 'a' + 10, true
	}
	return 0, false
}

// triplet decodes the triplet at s[i:]; ok is false when there is none.
func triplet(s string, i int) (b byte, ok bool) {
	if i+2 >= len(s) || s[i] != '%' {
		return 0, false
	}
	hi, ok1 := unhex(s[i+1])
	lo, ok2 := unhex(s[i+2])
	return hi<<4 | lo, ok1 && ok2
}

const upperHex = "0123456789ABCDEF"

func appendTriplet(dst []byte, b byte) []byte {
	return append(dst, '%', upperHex[b>>4], upperHex[b&15])
}

// width is the length of the token at s[i]: three for a triplet, else one.
// s must be in normal form.
func width(s string, i int) int {
	if s[i] == '%' && i+2 < len(s) {
		return 3
	}
	return 1
}

// boundary reports whether i does not cut a triplet of s in two. s must be
// in normal form, where every % begins a triplet.
func boundary(s string, i int) bool {
	return !(i >= 1 && s[i-1] == '%' || i >= 2 && s[i-2] == '%')
}

func lower(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// lowerText folds ASCII letters but those of triplets, whose hex is upper
// case in the normal form.
func lowerText(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] == '%' {
			i += 2
		} else if lower(s[i]) != s[i] {
			return string(appendLower(nil, s))
		}
	}
	return s
}

func appendLower(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			dst = append(dst, s[i:i+3]...)
			i += 2
			continue
		}
		dst = append(dst, lower(s[i]))
	}
	return dst
}

// equalFold compares s with a folded literal of the same length.
func equalFold(s, folded string) bool {
	for i := 0; i < len(folded); i++ {
		if s[i] == folded[i] {
			continue
		}
		if lower(s[i]) != folded[i] || i >= 1 && s[i-1] == '%' || i >= 2 && s[i-2] == '%' {
			return false
		}
	}
	return true
}

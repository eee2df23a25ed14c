package sources

import (
	"strconv"
	"strings"
)

// maxDigits is how many significant digits a double keeps of any decimal.
const maxDigits = 15

// ExactDecimal reports whether the decimal may be a JSON number: it has at most
// 15 digits from the first that is not zero to the last that is written, and a
// double neither overflows nor underflows on it.
func ExactDecimal(s string) bool {
	digits, seen, point := 0, false, false
	first, whole := 0, 0 // position of the first digit that counts, digits before the point
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '-' && i == 0:
		case c == '.' && !point:
			point = true
		case c >= '0' && c <= '9':
			if !point {
				whole++
			}
			if c != '0' || seen {
				seen = true
				digits++
			} else {
				first++
			}
		default:
			return exactExponent(s)
		}
	}
	if !seen {
		return true
	}
	exponent := whole - first
	return digits <= maxDigits && exponent < 300 && exponent > -300
}

// exactExponent is ExactDecimal for a number such as 1.5e+20.
func exactExponent(s string) bool {
	i := strings.IndexAny(s, "eE")
	if i < 1 {
		return false
	}
	e, err := strconv.Atoi(strings.TrimPrefix(s[i+1:], "+"))
	return err == nil && e > -300 && e < 280 && ExactDecimal(s[:i])
}

package sql

import (
	"math"
	"strconv"
	"strings"
)

// maxDigits is how many significant digits a double keeps of any decimal.
const maxDigits = 15

// exactInt reports whether a double carries the integer exactly.
func exactInt(n int64) bool {
	const most = 1 << 53
	if n >= -most && n <= most {
		return true
	}
	f := float64(n)
	return f < math.MaxInt64 && int64(f) == n
}

// exactUint is exactInt for an unsigned integer.
func exactUint(n uint64) bool {
	f := float64(n)
	return f < math.MaxUint64 && uint64(f) == n
}

// exactDigits reports whether the decimal may be a JSON number: it has at most
// 15 digits from the first that is not zero to the last that is written, and a
// double neither overflows nor underflows on it.
func exactDigits(s string) bool {
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

// exactExponent is exactDigits for a number such as 1.5e+20.
func exactExponent(s string) bool {
	i := strings.IndexAny(s, "eE")
	if i < 1 {
		return false
	}
	e, err := strconv.Atoi(strings.TrimPrefix(s[i+1:], "+"))
	return err == nil && e > -300 && e < 280 && exactDigits(s[:i])
}

// isNumber reports whether s is a number as JSON writes it.
func isNumber(s string) bool {
	i := 0
	if i < len(s) && s[i] == '-' {
		i++
	}
	start := i
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	if i == start || s[start] == '0' && i > start+1 {
		return false
	}
	if i < len(s) && s[i] == '.' {
		i++
		start = i
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		if i == start {
			return false
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		start = i
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		if i == start {
			return false
		}
	}
	return i == len(s) && i > 0
}

// appendFloat writes a double as encoding/json does: the shortest digits that
// read back as the same double.
func appendFloat(buf []byte, f float64) []byte {
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		return strconv.AppendFloat(buf, f, 'e', -1, 64)
	}
	return strconv.AppendFloat(buf, f, 'f', -1, 64)
}

// specialFloat names a double that no JSON number can be.
func specialFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return ""
}

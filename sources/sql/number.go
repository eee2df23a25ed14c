package sql

import (
	"math"
	"strconv"
)

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

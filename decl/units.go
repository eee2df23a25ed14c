package decl

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ParseDuration reads a duration such as "10s", "1m30s" or "250ms". It is
// never negative; a bare number has no unit and is refused.
func ParseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration: write a number and a unit, such as \"10s\", \"1m30s\" or \"250ms\"", s)
	}
	if d < 0 {
		return 0, fmt.Errorf("%q is negative", s)
	}
	return d, nil
}

var sizeUnits = []struct {
	suffix string
	factor int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
}

// ParseSize reads a number of bytes such as "8MiB", "64kB" or "4096".
func ParseSize(s string) (int64, error) {
	number, factor := strings.TrimSpace(s), int64(1)
	for _, u := range sizeUnits {
		if n, ok := strings.CutSuffix(number, u.suffix); ok {
			number, factor = strings.TrimSpace(n), u.factor
			break
		}
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || f < 0 || f*float64(factor) > 1<<62 || strings.ContainsAny(number, "eExXpP_nN") {
		return 0, fmt.Errorf("%q is not a size: write a number of bytes and a unit, such as \"8MiB\", \"64KiB\" or \"4096\"", s)
	}
	return int64(f * float64(factor)), nil
}

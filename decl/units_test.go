package decl

import (
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	for s, want := range map[string]time.Duration{"10s": 10 * time.Second, "1m30s": 90 * time.Second, "250ms": 250 * time.Millisecond, "0s": 0, "1.5h": 90 * time.Minute} {
		if got, err := ParseDuration(s); got != want || err != nil {
			t.Errorf("ParseDuration(%q) = %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "10", "-1s", "10 s", "1d", "s", "ten seconds"} {
		if got, err := ParseDuration(s); err == nil {
			t.Errorf("ParseDuration(%q) = %v", s, got)
		}
	}
}

func TestParseSize(t *testing.T) {
	for s, want := range map[string]int64{"0": 0, "4096": 4096, "1B": 1, "8MiB": 8 << 20, "64KiB": 64 << 10, "64kB": 64000, "1.5KiB": 1536, "2 GiB": 2 << 30, "1MB": 1e6} {
		if got, err := ParseSize(s); got != want || err != nil {
			t.Errorf("ParseSize(%q) = %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "MiB", "-1", "8mib", "1e3", "0x10", "lots", "9999999999TiB", "NaN", "Inf"} {
		if got, err := ParseSize(s); err == nil {
			t.Errorf("ParseSize(%q) = %v", s, got)
		}
	}
}

package sql

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpdecl/mcpdecl/sources"
)

// FuzzString: any text is a valid JSON string that reads back as itself, or,
// when it is not UTF-8, as a data URI.
func FuzzString(f *testing.F) {
	for _, s := range []string{"", "a\"b\\c\n\x00\x7f\u2028é😀", "\xff", "a\xc3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var back string
		if err := json.Unmarshal(appendString(nil, s), &back); err != nil {
			t.Fatal(err)
		}
		if utf8.ValidString(s) && back != s || !utf8.ValidString(s) && !strings.HasPrefix(back, "data:") {
			t.Errorf("%q became %q", s, back)
		}
	})
}

// FuzzArray: the text of an array becomes valid JSON or an error, and never a
// panic.
func FuzzArray(f *testing.F) {
	for _, s := range []string{"{}", "{1,NULL}", `{"a\"b",c}`, "{{1,2},{3}}", "[0:1]={1,2}", "{", `{"`, "{,}", "{1}}"} {
		f.Add(s)
	}
	session := &pgSession{opener: &postgresOpener{}}
	f.Fuzz(func(t *testing.T, text string) {
		out, err := appendArray(session, nil, text, pgType{form: pgArray, elem: &pgType{}, delim: ','})
		if err == nil && !json.Valid(out) {
			t.Errorf("%q became %q", text, out)
		}
	})
}

func TestNumbers(t *testing.T) {
	for digits, number := range map[string]bool{
		"0": true, "-0.10": true, "10.00": true, "123456789012345": true, "1234567890123456": false, "0.000000000000000000123": true,
		"999999999999.999": true, "9999999999999.999": false, "NaN": false, "Infinity": false, "1e5": true, "1e400": false, "": true,
		"1" + strings.Repeat("0", 400): false, "0." + strings.Repeat("0", 400) + "1": false, "0.00000000000000000000": true,
	} {
		if got := sources.ExactDecimal(digits); got != number {
			t.Errorf("sources.ExactDecimal(%q) = %t", digits, got)
		}
		if valid := json.Valid([]byte(digits)); isNumber(digits) != valid {
			t.Errorf("isNumber(%q) = %t", digits, !valid)
		}
	}
	for _, s := range []string{"01", "+1", ".5", "1.", "1e", "--1", "1 ", "0x1"} {
		if isNumber(s) {
			t.Errorf("isNumber(%q)", s)
		}
	}
	for n, exact := range map[int64]bool{1 << 53: true, 1<<53 + 1: false, 1<<53 + 2: true, math.MaxInt64: false, math.MinInt64: true, -(1<<53 + 1): false} {
		if got := exactInt(n); got != exact {
			t.Errorf("exactInt(%d) = %t", n, got)
		}
	}
	for n, exact := range map[uint64]bool{1 << 63: true, math.MaxUint64: false, 1<<63 + 1: false, 5: true} {
		if got := exactUint(n); got != exact {
			t.Errorf("exactUint(%d) = %t", n, got)
		}
	}
}

func TestFloatsAreThoseOfEncodingJSON(t *testing.T) {
	for _, f := range []float64{0, 1, -1.5, 1e-6, 1e-7, 1e20, 1e21, 1.0 / 3, math.MaxFloat64, math.SmallestNonzeroFloat64, 123456789.125} {
		want, _ := json.Marshal(f)
		var back float64
		got := appendFloat(nil, f)
		if err := json.Unmarshal(got, &back); err != nil || back != f {
			t.Errorf("%g became %s, by encoding/json %s", f, got, want)
		}
	}
}

func TestCSVReadsBack(t *testing.T) {
	e := newEncoder(formatCSV, true, 1<<20, 0)
	e.begin([]column{{"a"}, {"b,c"}})
	texts := []string{"", "x", " x ", "a\"b", "a,b", "a\nb", "a\r\nb", "#x", "é"}
	for _, s := range texts {
		if err := e.row([]cell{{kind: cellText, text: s}, {kind: cellInt, n: 7}}); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := csv.NewReader(bytes.NewReader(e.end())).ReadAll()
	if err != nil || len(rows) != len(texts)+1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, s := range texts {
		// The reader itself turns a carriage return with a line feed into one.
		if got := rows[i+1][0]; got != strings.ReplaceAll(s, "\r\n", "\n") {
			t.Errorf("%q became %q", s, got)
		}
	}
}

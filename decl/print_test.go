package decl

import (
	"strings"
	"testing"
)

func TestPrintInColor(t *testing.T) {
	p := &Printer{Files: map[string][]byte{"f": []byte("a = 1\n")}, Color: true}
	var b strings.Builder
	err := p.Print(&b, Diagnostics{{
		Severity: Warning, Summary: "s", Detail: "d", Range: Range{"f", Pos{1, 5, 4}, Pos{1, 6, 5}},
	}})
	want := bold + "f:1:5:" + reset + " " + yellow + "warning:" + reset + " " + bold + "s" + reset + "\n" +
		"   |\n1  | a = 1\n   |     " + yellow + "^" + reset + "\n   d\n\n0 errors, 1 warning\n"
	if err != nil || b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

// TestPrintSurvives prints places that no file has, and bytes that would move
// the cursor of a terminal.
func TestPrintSurvives(t *testing.T) {
	p := &Printer{Files: map[string][]byte{"f": []byte("a = \"\x1b[31m\"\n")}}
	var b strings.Builder
	if err := p.Print(&b, Diagnostics{
		{Summary: "no place"},
		{Summary: "no file", Range: Range{"g", Pos{1, 1, 0}, Pos{1, 2, 1}}},
		{Summary: "behind the end", Range: Range{"f", Pos{9, 1, 99}, Pos{9, 2, 100}}},
		{Summary: "escape", Range: Range{"f", Pos{1, 5, 4}, Pos{1, 12, 11}}},
	}); err != nil || strings.Contains(b.String(), "\x1b") {
		t.Errorf("%v: %q", err, b.String())
	}
}

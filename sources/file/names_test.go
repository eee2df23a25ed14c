package file

import "testing"

// TestD5_NamesOnWindows holds the rules that only Windows applies.
func TestD5_NamesOnWindows(t *testing.T) {
	for _, name := range []string{
		`C:\boot.ini`, "C:", "c:/x", `a\b`, `\\server\share`, "con", "CON", "a/nul.txt", "aux.tar.gz", "COM1", "com¹.txt", "LPT9", "CONIN$", "con .txt",
		"a.", "a./b", "b ", "a.txt:stream", "a::$DATA", "a*", "a?", `a"b`, "a<b", "a|b", "a\nb", "GIT~1", "a/ENV~12.TXT",
	} {
		if validOnWindows(name) {
			t.Errorf("%q is not refused", name)
		}
	}
	for _, name := range []string{"a", "a/b.md", "console", "com", "COM12", "lpt", "icon.png", "nul1", "a~b", "long-name~1.txt", "~1", "a b", "é.md", "x.con"} {
		if !validOnWindows(name) {
			t.Errorf("%q is refused", name)
		}
	}
}

func TestValidNames(t *testing.T) {
	for _, name := range []string{"", ".", "..", "/", "a/", "/a", "a//b", "a/../b", "./a", "a/.", "a\x00"} {
		if validName(name) {
			t.Errorf("%q is not refused", name)
		}
	}
	for _, name := range []string{"a", "a/b", ".a", "...", "a..b", " ", "\xff"} {
		if !validName(name) {
			t.Errorf("%q is refused", name)
		}
	}
}

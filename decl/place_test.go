package decl

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// TestLiteralRange finds a word in the value of a string at the place where it
// is written, whatever way the string is written in.
func TestLiteralRange(t *testing.T) {
	for name, src := range map[string]string{
		"plain":         `x = "SELECT :word FROM t"`,
		"escapes":       `x = "\"a\\\té \u00e9\U0001F381 :word"`,
		"doubled signs": `x = "$${a} %%{b} :word"`,
		"wide":          "x = \"東京 🎁 :word\"",
		"heredoc":       "x = <<EOT\n  first\n\n :word \\n\nEOT\n",
		"flush":         "x = <<-EOT\n    first\n\n      :word\n    last\n  EOT\n",
		"flush tabs":    "x = <<-EOT\n\t\tfirst\n\t\t\t:word\n\tEOT\n",
		"crlf":          "x = <<-EOT\r\n    first\r\n    :word\r\n  EOT\r\n",
	} {
		l := &loader{config: &Config{Files: map[string][]byte{"f": []byte(src)}, Secrets: &Secrets{}}}
		f, diags := hclsyntax.ParseConfig([]byte(src), "f", hcl.InitialPos)
		if diags.HasErrors() {
			t.Fatal(name, diags)
		}
		attrs, _ := f.Body.JustAttributes()
		v, _ := attrs["x"].Expr.Value(nil)
		at := strings.Index(v.AsString(), ":word")
		r, ok := l.literalRange(attrs["x"].Expr, at, len(":word"))
		if want := strings.Index(src, ":word"); !ok || l.text(r) != ":word" || r.Start.Byte != want || r.Start != l.pos("f", want) {
			t.Errorf("%s: %v is %q", name, r, l.text(r))
		}
	}
}

func TestLiteralRangeOfComputedText(t *testing.T) {
	src := `x = "${upper("a")} :word"`
	l := &loader{config: &Config{Files: map[string][]byte{"f": []byte(src)}}}
	f, _ := hclsyntax.ParseConfig([]byte(src), "f", hcl.InitialPos)
	attrs, _ := f.Body.JustAttributes()
	if r, ok := l.literalRange(attrs["x"].Expr, 2, 5); ok {
		t.Errorf("found %q", l.text(r))
	}
}

func TestPos(t *testing.T) {
	src := "ab\n\té🎁x\r\ny"
	l := &loader{config: &Config{Files: map[string][]byte{"f": []byte(src)}}}
	for text, want := range map[string]Pos{"b": {1, 2, 1}, "\t": {2, 1, 3}, "x": {2, 4, 10}, "y": {3, 1, 13}} {
		if got := l.pos("f", strings.Index(src, text)); got != want {
			t.Errorf("pos of %q = %v, want %v", text, got, want)
		}
	}
	if got := l.pos("f", 1000); got.Byte != len(src) {
		t.Errorf("behind the end: %v", got)
	}
}

// TestChunks parses a large file in pieces with the places of the whole, also
// where a cut would fall into a heredoc or a comment.
func TestChunks(t *testing.T) {
	block := "resource \"r\" {\n  text = <<EOT\n}\nresource \"inside\" {\n}\nEOT\n}\n/*\n}\n*/\n"
	src := []byte(strings.Repeat(block, 4*chunkSize/len(block)))
	src = append(src, "last \"l\" {\n}\n"...)
	files, diags := parseSource("f", src)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	n := 0
	for _, f := range files {
		for _, b := range f.Body.(*hclsyntax.Body).Blocks {
			n++
			if got := string(src[b.TypeRange.Start.Byte:b.TypeRange.End.Byte]); got != b.Type {
				t.Fatalf("block %d: %s stands at %v, where the file has %q", n, b.Type, b.TypeRange, got)
			}
			if line := strings.Count(string(src[:b.TypeRange.Start.Byte]), "\n") + 1; line != b.TypeRange.Start.Line {
				t.Fatalf("block %d: line %d, want %d", n, b.TypeRange.Start.Line, line)
			}
		}
	}
	if want := strings.Count(string(src), block) + 1; n != want {
		t.Errorf("%d blocks, want %d", n, want)
	}
	plain := []byte(strings.Repeat("resource \"r\" {\n  text = \"x\"\n}\n", 3*chunkSize/28))
	if files, _ := parseSource("f", plain); len(files) < 2 {
		t.Errorf("%d pieces", len(files))
	}
}

package decl

import (
	"bufio"
	"bytes"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// rng is a place of the HCL library, kept inside its file: after a syntax error
// its places may be empty, or lie one byte behind the end.
func (l *loader) rng(r hcl.Range) Range {
	out := Range{r.Filename, pos(r.Start), pos(r.End)}
	size := len(l.config.Files[r.Filename])
	if out.Start.Byte > size || out.Start.Line < 1 {
		out.Start = l.pos(r.Filename, min(out.Start.Byte, size))
	}
	switch {
	case out.End.Byte < out.Start.Byte:
		out.End = out.Start
	case out.End.Byte > size:
		out.End = l.pos(r.Filename, size)
	}
	return out
}

func pos(p hcl.Pos) Pos { return Pos{p.Line, p.Column, p.Byte} }

// exprRange is the place of an expression; a heredoc's is trimmed to its first
// line, so that a caret under it stays readable.
func (l *loader) exprRange(e hcl.Expression) Range {
	r := l.rng(e.Range())
	if src := l.text(r); strings.HasPrefix(src, "<<") {
		if i := strings.IndexByte(src, '\n'); i >= 0 {
			r.End = advance(r.Start, strings.TrimRight(src[:i], "\r"))
		}
	}
	return r
}

// text returns what stands at the place.
func (l *loader) text(r Range) string {
	src := l.config.Files[r.File]
	if r.End.Byte > len(src) || r.Start.Byte > r.End.Byte {
		return ""
	}
	return string(src[r.Start.Byte:r.End.Byte])
}

// pos finds line and column of a byte of a file.
func (l *loader) pos(file string, offset int) Pos {
	src := l.config.Files[file]
	offset = min(offset, len(src))
	start := bytes.LastIndexByte(src[:offset], '\n') + 1
	line := Pos{Line: bytes.Count(src[:start], []byte("\n")) + 1, Column: 1, Byte: start}
	return advance(line, string(src[start:offset]))
}

// advance is the place behind text that begins at p.
func advance(p Pos, text string) Pos {
	if isPlain(text) {
		return Pos{p.Line, p.Column + len(text), p.Byte + len(text)}
	}
	// The scanner indexes its input by the byte of the start, so that is added
	// afterwards.
	sc := hcl.NewRangeScannerFragment([]byte(text), "", hcl.Pos{Line: p.Line, Column: p.Column}, splitAll)
	if !sc.Scan() {
		return p
	}
	end := pos(sc.Range().End)
	end.Byte += p.Byte
	return end
}

// isPlain reports whether every byte of a text is one column of one line.
func isPlain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] >= 0x7f {
			return false
		}
	}
	return true
}

// splitAll makes one token of everything.
func splitAll(data []byte, atEOF bool) (int, []byte, error) {
	if len(data) == 0 {
		return 0, nil, bufio.ErrFinalToken
	}
	return len(data), data, nil
}

// literalRange maps n bytes at offset of the string that an expression has as
// its value to the place where they stand in the file. It succeeds where the
// bytes lie within one literal part: quoted strings with escapes, heredocs,
// and literal stretches between interpolations of known length do, function
// calls and JSON strings do not.
func (l *loader) literalRange(e hcl.Expression, offset, n int) (Range, bool) {
	var parts []hclsyntax.Expression
	switch e := e.(type) {
	case *hclsyntax.TemplateExpr:
		parts = e.Parts
	case *hclsyntax.LiteralValueExpr:
		parts = []hclsyntax.Expression{e}
	default:
		return Range{}, false
	}
	heredoc := strings.HasPrefix(l.text(l.rng(e.Range())), "<<")
	for _, p := range parts {
		lit, ok := p.(*hclsyntax.LiteralValueExpr)
		if !ok || lit.Val.IsNull() || lit.Val.Type() != cty.String {
			return Range{}, false // its length is not known from the text
		}
		value := lit.Val.AsString()
		if offset >= len(value) && !(offset == len(value) && n == 0) {
			offset -= len(value)
			continue
		}
		r := l.rng(lit.SrcRange)
		from, ok1 := sourceOffset(l.text(r), value, offset, heredoc)
		to, ok2 := sourceOffset(l.text(r), value, min(offset+n, len(value)), heredoc)
		if !ok1 || !ok2 {
			return Range{}, false
		}
		start := advance(r.Start, l.text(r)[:from])
		return Range{r.File, start, advance(start, l.text(r)[from:to])}, true
	}
	return Range{}, false
}

// sourceOffset finds the byte of the source text at which the byte of the
// value at offset is written. A flush heredoc (<<-) has lost the same
// indentation on every line.
func sourceOffset(src, value string, offset int, heredoc bool) (int, bool) {
	i, v := 0, 0
	for v < offset && i < len(src) {
		if heredoc && (v == 0 || value[v-1] == '\n') {
			i += max(0, indentation(src[i:])-indentation(value[v:]))
		}
		written, size := unescape(src[i:], heredoc)
		if written > len(src)-i {
			return 0, false // an escape that is cut off, which the parser has reported
		}
		i, v = i+written, v+size
	}
	if heredoc && v > 0 && v < len(value) && value[v-1] == '\n' {
		i += max(0, indentation(src[i:])-indentation(value[v:]))
	}
	return i, v == offset
}

func indentation(s string) int {
	return len(s) - len(strings.TrimLeft(s, " \t"))
}

// unescape returns how many bytes of the source make the next character, more
// than there are for an escape that is cut off, and how many bytes that
// character has in the value.
func unescape(src string, heredoc bool) (written, size int) {
	if strings.HasPrefix(src, "$${") || strings.HasPrefix(src, "%%{") {
		return 2, 1 // the doubled sign; the brace follows as itself
	}
	if heredoc || src[0] != '\\' || len(src) < 2 {
		return 1, 1
	}
	switch src[1] {
	case 'u':
		return 6, escapedLen(src[2:min(6, len(src))])
	case 'U':
		return 10, escapedLen(src[2:min(10, len(src))])
	}
	return 2, 1
}

func escapedLen(digits string) int {
	n, _ := strconv.ParseInt(digits, 16, 32)
	return len(string(rune(n))) // a surrogate becomes U+FFFD
}

package decl

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Printer writes diagnostics for people: place and summary in one line, as
// editors and CI systems match it, then the source line with carets, then the
// detail.
type Printer struct {
	Files map[string][]byte
	// Unshown are the files whose lines are not printed.
	Unshown map[string]bool
	// Secrets are hidden in the source lines that are shown.
	Secrets *Secrets
	Color   bool
}

// Print writes the diagnostics and a count.
func (p *Printer) Print(w io.Writer, ds Diagnostics) error {
	out := bufio.NewWriter(w)
	for _, d := range ds {
		p.one(out, d)
		fmt.Fprintln(out)
	}
	if len(ds) > 0 {
		fmt.Fprintln(out, Count(ds))
	}
	return out.Flush()
}

// Count says how many errors and warnings there are: "1 error, 2 warnings".
func Count(ds Diagnostics) string {
	return plural(ds.Count(Error), "error") + ", " + plural(ds.Count(Warning), "warning")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (p *Printer) one(w *bufio.Writer, d *Diagnostic) {
	if at := d.Range.String(); at != "" {
		fmt.Fprint(w, p.paint(bold, at+":"), " ")
	}
	color := red
	if d.Severity == Warning {
		color = yellow
	}
	fmt.Fprintln(w, p.paint(color, d.Severity.String()+":"), p.paint(bold, d.Summary))
	p.snippet(w, d.Range, color)
	if d.Detail == "" {
		return
	}
	for _, line := range strings.Split(d.Detail, "\n") {
		fmt.Fprintf(w, "   %s\n", strings.TrimRight(line, " "))
	}
}

// snippet prints the first line of the range with carets under it.
func (p *Printer) snippet(w *bufio.Writer, r Range, color string) {
	src, ok := p.Files[r.File]
	if !ok || p.Unshown[r.File] || r.Start.Byte > len(src) {
		return
	}
	start := bytes.LastIndexByte(src[:r.Start.Byte], '\n') + 1
	end := len(src)
	if i := bytes.IndexByte(src[r.Start.Byte:], '\n'); i >= 0 {
		end = r.Start.Byte + i
	}
	line := strings.TrimRight(string(src[start:end]), "\r")
	number := fmt.Sprint(r.Start.Line)
	margin := strings.Repeat(" ", max(2, len(number))+1) + "|"
	fmt.Fprintln(w, margin)
	before := line[:min(r.Start.Byte-start, len(line))]
	marked := line[len(before):min(max(r.End.Byte-start, len(before)), len(line))]
	if shown := p.Secrets.Hide(line); shown != line {
		marked = p.Secrets.Hide(marked)
		before, line = p.Secrets.Hide(before), shown
	}
	before, line = window(before, line)
	marked = marked[:min(len(marked), max(0, len(line)-len(before)))]
	fmt.Fprintf(w, "%-*s | %s\n", max(2, len(number)), number, printable(line))
	carets := strings.Repeat("^", max(1, width(marked)))
	fmt.Fprintf(w, "%s %s%s\n", margin, blank(before), p.paint(color, carets))
}

// mostLine is how much of a line is shown, in bytes.
const mostLine = 300

// window cuts a long line to the part around the place.
func window(before, line string) (string, string) {
	if len(line) <= mostLine {
		return before, line
	}
	from := 0
	if len(before) > mostLine/2 {
		for from = len(before) - mostLine/3; from < len(before) && !utf8.RuneStart(line[from]); from++ {
		}
	}
	to := min(len(line), from+mostLine)
	for to < len(line) && !utf8.RuneStart(line[to]) {
		to++
	}
	cut := line[from:to]
	if to < len(line) {
		cut += "..."
	}
	if from > 0 {
		return "..." + before[from:], "..." + cut
	}
	return before, cut
}

// printable replaces what would move the cursor of a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return utf8.RuneError
		}
		return r
	}, s)
}

// blank is as wide as s: tabs stay tabs, so that the caret stands right
// whatever the tab width is.
func blank(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == '\t' {
			b.WriteByte('\t')
			continue
		}
		b.WriteString(strings.Repeat(" ", runeWidth(r)))
	}
	return b.String()
}

func width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// runeWidth is how many columns a terminal gives to a character: two for
// East Asian wide ones and emoji, none for combining marks.
func runeWidth(r rune) int {
	switch {
	case r >= 0x0300 && r <= 0x036f, r >= 0x200b && r <= 0x200f, r >= 0xfe00 && r <= 0xfe0f:
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60,
		r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

const (
	bold   = "\x1b[1m"
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	reset  = "\x1b[0m"
)

func (p *Printer) paint(color, s string) string {
	if !p.Color {
		return s
	}
	return color + s + reset
}

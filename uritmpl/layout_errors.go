package uritmpl

import (
	"fmt"
	"strings"
)

// The refusals of a layout. Each returns the fact, the remedy and, where what
// was meant is clear, the corrected template.

func (l *layout) text(x *expression) string { return l.t.text[x.off:x.end] }

func (l *layout) adjacent(x *expression) *Error {
	e := l.t.fail(CodeAdjacentVariables, x.off, x.end,
		fmt.Sprintf("nothing separates %s from %s", quote(l.text(x)), quote(l.prevText())),
		"Put text between them, a slash or a dash for instance.")
	e.Suggestion = l.t.with(x.off, x.off, "/")
	if l.prev.op == '.' && x.op == '.' {
		e.Fix = "Write both labels in one expression."
		names := make([]string, 0, 2)
		for _, v := range append(append([]varspec(nil), l.prev.vars...), x.vars...) {
			names = append(names, v.name)
		}
		e.Suggestion = l.t.with(l.prev.off, x.end, "{."+strings.Join(names, ",")+"}")
	}
	return e
}

func (l *layout) twoVariableLength(x *expression) *Error {
	first := l.firstExpr("+/")
	e := l.t.fail(CodeTwoVariableLength, x.off, x.end,
		fmt.Sprintf("%s and %s both take a varying number of segments", quote(l.text(first)), quote(l.text(x))),
		"Keep one of them, and write the other as {name}.")
	names := make([]string, 0, len(x.vars))
	for _, v := range x.vars {
		names = append(names, "{"+v.name+"}")
	}
	plain := strings.Join(names, "/")
	switch {
	case first.op == '/' && x.op == '/' && first.end == x.off && !first.vars[0].explode && !x.vars[0].explode:
		both := l.t.text[first.off:first.end-1] + "," + l.t.text[x.off+2:x.end]
		e.Fix = fmt.Sprintf("Write %s.", quote(both))
		e.Suggestion = l.t.with(first.off, x.end, both)
	case x.op == '/' || l.prev != nil || l.list != nil:
		e.Fix = fmt.Sprintf("Keep %s, and write %s for the other.", quote(l.text(first)), quote("/"+plain))
		e.Suggestion = l.t.with(x.off, x.end, "/"+plain)
	default:
		e.Suggestion = l.t.with(x.off, x.end, plain)
	}
	return e
}

func (l *layout) textAfterPath(off, end int) *Error {
	list := l.firstExpr("/")
	name := list.vars[len(list.vars)-1].name
	e := l.t.fail(CodeTextAfterPathExpression, off, end,
		fmt.Sprintf("%s stands directly behind %s, which may be absent", quote(l.t.text[off:end]), quote(l.text(list))),
		"Begin a new segment with a slash, or write the variable as a required one.")
	if len(list.vars) == 1 && !list.vars[0].explode {
		required := "/{" + name + "}"
		e.Fix = fmt.Sprintf("Begin a new segment with a slash, or write %s for a required variable.", quote(required))
		e.Suggestion = l.t.with(list.off, list.end, required)
		if next := l.t.text[off:end]; next[0] == '{' && next[1] != ';' && next[1] != '.' {
			e.Suggestion = l.t.with(off, off, "/")
		}
	}
	return e
}

func (l *layout) matrixNotLast(off, end int) *Error {
	x := l.lastMatrix(off)
	e := l.t.fail(CodeMatrixNotLast, x.off, x.end,
		fmt.Sprintf("%s does not end its segment: %s follows", quote(l.text(x)), quote(l.t.text[off:end])),
		"Move it to the end of the segment.")
	text, stop := l.t.text, l.segmentEnd(off)
	e.Suggestion = text[:x.off] + text[x.end:stop] + text[x.off:x.end] + text[stop:]
	return e
}

// segmentEnd returns where the segment around off ends in the template.
func (l *layout) segmentEnd(off int) int {
	for _, p := range l.t.parts {
		if p.end <= off {
			continue
		}
		if p.expr != nil {
			if p.expr.op != 0 && strings.IndexByte("/?&#;", p.expr.op) >= 0 {
				return p.off
			}
			continue
		}
		from := max(p.off, off)
		if n := strings.IndexAny(l.t.text[from:p.end], "/?#"); n >= 0 {
			return from + n
		}
	}
	return len(l.t.text)
}

// lastMatrix returns the last {;v} before off.
func (l *layout) lastMatrix(off int) *expression {
	var last *expression
	for _, p := range l.t.parts {
		if p.expr != nil && p.expr.op == ';' && p.end <= off {
			last = p.expr
		}
	}
	return last
}

func (l *layout) continuationWithoutQuery(x *expression) *Error {
	e := l.t.fail(CodeContinuationWithoutQuery, x.off, x.end,
		fmt.Sprintf("%s continues a query, and there is none before it", quote(l.text(x))),
		`Write "?" in place of "&".`)
	e.Suggestion = l.t.with(x.off+1, x.off+2, "?")
	return e
}

func (l *layout) secondQuery(off, end int) *Error {
	e := l.t.fail(CodeSecondQuery, off, end,
		fmt.Sprintf("%s begins a second query", quote(l.t.text[off:end])),
		`A URI has one query; continue it with {&name}.`)
	if l.t.text[off] == '{' {
		e.Suggestion = l.t.with(off+1, off+2, "&")
	}
	return e
}

func (l *layout) queryNotLast(off, end int) *Error {
	x := l.lastNames(off)
	e := l.t.fail(CodeQueryNotLast, x.off, x.end,
		fmt.Sprintf("%s is not at the end: %s follows", quote(l.text(x)), quote(l.t.text[off:end])),
		"Move it to the end; only a fragment may follow.")
	first := l.firstExpr("?&")
	text := l.t.text
	tail := text[x.end:]
	if l.m.query != nil && len(l.m.query.pieces) == 0 && !strings.HasPrefix(tail, "&") && !strings.Contains(tail, "{?") {
		e.Suggestion = text[:first.off] + tail + text[first.off:x.end]
	}
	return e
}

// lastNames returns the last {?v} or {&v} before off.
func (l *layout) lastNames(off int) *expression {
	var last *expression
	for _, p := range l.t.parts {
		if p.expr != nil && (p.expr.op == '?' || p.expr.op == '&') && p.end <= off {
			last = p.expr
		}
	}
	return last
}

func (l *layout) queryAfterFragment(x *expression) *Error {
	e := l.t.fail(CodeQueryAfterFragment, x.off, x.end,
		fmt.Sprintf("%s stands behind the fragment", quote(l.text(x))),
		"Put the query before the fragment.")
	if f := l.firstExpr("#"); f != nil && f.end == x.off && x.op == '?' {
		e.Suggestion = l.t.with(f.off, x.end, l.text(x)+l.text(f))
	}
	return e
}

func (l *layout) secondFragment(off, end int) *Error {
	e := l.t.fail(CodeSecondFragment, off, end,
		fmt.Sprintf("%s begins a second fragment", quote(l.t.text[off:end])),
		"A URI has one fragment; remove it.")
	e.Suggestion = l.t.with(off, end, "")
	return e
}

func (l *layout) fragmentNotLast(off, end int) *Error {
	x := l.firstExpr("#")
	e := l.t.fail(CodeFragmentNotLast, x.off, x.end,
		fmt.Sprintf("%s is not at the end: %s follows", quote(l.text(x)), quote(l.t.text[off:end])),
		"Move it to the end.")
	e.Suggestion = l.t.with(x.off, x.end, "") + l.text(x)
	return e
}

package uritmpl

import (
	"fmt"
	"strings"
)

// A layout reads the parts of a template from left to right and builds the
// matcher. It refuses what would leave a URI with two readings.
type layout struct {
	t     *Template
	m     *Matcher
	place place
	next  int // index of the next variable

	// The stretch being built: a segment, the text behind {+v}, or a piece
	// of the query or fragment.
	items  []item
	lit    strings.Builder // literal text behind the last item
	start  int             // where the stretch begins in the template
	prev   *expression     // the variable before, if no text is between
	matrix *matrix
	rest   bool // the stretch stands behind {+v}
	list   *expression

	order strings.Builder // the shape
}

type place uint8

const (
	inPath place = iota
	inQuery
	afterQuery // behind {?v} or {&v}
	inFragment
	afterFragment // behind {#v}
)

func newLayout(t *Template, scheme string) *layout {
	l := &layout{t: t, m: &Matcher{t: t, scheme: scheme[:len(scheme)-1]}, start: len(scheme)}
	l.count(scheme)
	return l
}

func (l *layout) run() *Error {
	if err := l.parts(); err != nil {
		return err
	}
	if err := l.finish(); err != nil {
		return err
	}
	l.m.shape = l.order.String()
	l.m.rank.Variables = len(l.t.vars)
	l.m.whole = l.m.wholeSegments()
	if len(l.t.vars) == 0 {
		u, r := ReadURI(l.t.text)
		if r != nil {
			panic("uritmpl: literal template refused as URI: " + r.Code)
		}
		l.m.static = string(u.AppendStatic(nil))
	}
	return nil
}

func (l *layout) parts() *Error {
	for i, p := range l.t.parts {
		if p.expr != nil {
			if err := l.expression(p.expr); err != nil {
				return err
			}
			continue
		}
		if err := l.checkText(p); err != nil {
			return err
		}
		off := p.off
		if i == 0 {
			off += len(l.m.scheme) + 1
		}
		if err := l.literal(off, p.end); err != nil {
			return err
		}
	}
	return nil
}

// checkText refuses literal text that no accepted URI can have.
func (l *layout) checkText(p part) *Error {
	if at := strings.Index(p.lit, "%00"); at >= 0 {
		return l.t.fail(CodeBadPercent, p.off+at, p.off+at+3,
			`"%00" encodes a NUL octet, and URIs with one are refused`, "Remove it.")
	}
	if at := invalidUTF8(p.lit, 0); at >= 0 {
		return l.t.fail(CodeBadPercent, p.off+at, p.off+at+3,
			fmt.Sprintf("%s does not encode UTF-8 text, and URIs with such octets are refused", quote(p.lit[at:at+3])),
			"Write the text itself; it is encoded as UTF-8.")
	}
	return nil
}

// literal reads the literal text t[off:end], cutting it at delimiters.
func (l *layout) literal(off, end int) *Error {
	for off < end {
		stop, err := off, (*Error)(nil)
		switch c := l.t.text[off]; {
		case l.place == inPath && c == '/':
			stop, err = off+1, l.slash(off)
		case l.place == inPath && c == '?':
			stop, err = off+1, l.beginQuery(off)
		case l.place == inQuery && c == '&':
			stop = off + 1
			l.endPiece()
			l.count("&")
		case l.place <= afterQuery && c == '#':
			stop, err = off+1, l.beginFragment(off)
		default:
			for stop < end && !l.delimits(l.t.text[stop]) {
				stop++
			}
			stop = max(stop, off+1)
			err = l.textAt(off, stop, end)
		}
		if err != nil {
			return err
		}
		off = stop
	}
	return nil
}

func (l *layout) delimits(c byte) bool {
	switch l.place {
	case inPath:
		return c == '/' || c == '?' || c == '#'
	case inQuery:
		return c == '&' || c == '#'
	}
	return false
}

// textAt adds t[off:stop] to the stretch; the literal goes on until end.
func (l *layout) textAt(off, stop, end int) *Error {
	switch {
	case l.place == afterQuery && l.t.text[off] == '?':
		return l.secondQuery(off, end)
	case l.place == afterQuery:
		return l.queryNotLast(off, end)
	case l.place == afterFragment && l.t.text[off] == '#':
		return l.secondFragment(off, end)
	case l.place == afterFragment:
		return l.fragmentNotLast(off, end)
	case l.list != nil:
		return l.textAfterPath(off, stop)
	case l.matrix != nil:
		return l.matrixNotLast(off, stop)
	}
	text := normalizeText(l.t.text[off:stop])
	l.lit.WriteString(text)
	l.count(text)
	l.prev = nil
	return nil
}

// count adds literal text to the rank and the shape.
func (l *layout) count(text string) {
	for i := 0; i < len(text); i += width(text, i) {
		l.m.rank.Literals++
		l.order.WriteByte(shapeLiteral)
	}
}

func (l *layout) slash(off int) *Error {
	l.count("/")
	if l.list != nil { // the segments after {/v} begin
		l.list = nil
		l.start = off + 1
		return nil
	}
	err := l.endSegment(off)
	l.start = off + 1
	return err
}

func (l *layout) beginQuery(off int) *Error {
	if err := l.endPath(off); err != nil {
		return err
	}
	l.count("?")
	l.place = inQuery
	l.m.query = &query{}
	return nil
}

func (l *layout) beginFragment(off int) *Error {
	if err := l.endBefore(off); err != nil {
		return err
	}
	l.count("#")
	l.place = inFragment
	return nil
}

// endBefore ends whatever stands before a query's names or a fragment.
func (l *layout) endBefore(off int) *Error {
	switch l.place {
	case inPath:
		return l.endPath(off)
	case inQuery:
		l.endPiece()
	}
	return nil
}

func (l *layout) finish() *Error {
	if err := l.endBefore(len(l.t.text)); err != nil {
		return err
	}
	if l.place == inFragment {
		p := l.takePattern(false)
		l.m.fragment = &fragment{pat: &p}
	}
	if q := l.m.query; q != nil && len(q.pieces) > maxVariables {
		return l.t.fail(CodeTooManyVariables, 0, len(l.t.text),
			fmt.Sprintf("the template's query has %d pairs", len(q.pieces)),
			fmt.Sprintf("A query may have %d pairs.", maxVariables))
	}
	return nil
}

func (l *layout) endPath(off int) *Error {
	if l.list != nil {
		l.list = nil
		return nil
	}
	return l.endSegment(off)
}

// takePattern returns the stretch's pattern and begins a new stretch.
func (l *layout) takePattern(fold bool) pattern {
	p := pattern{items: l.items, suffix: l.lit.String(), fold: fold}
	if fold {
		p.suffix = lowerText(p.suffix)
		for k := range p.items {
			p.items[k].lit = lowerText(p.items[k].lit)
		}
	}
	p.seal()
	l.items, l.prev = nil, nil
	l.lit.Reset()
	return p
}

// inAuthority reports whether the stretch is the authority: the third segment
// of a path that begins with two slashes.
func (l *layout) inAuthority() bool {
	b := l.m.before
	return l.m.elastic == nil && len(b) == 2 && b[0].isEmpty() && b[1].isEmpty()
}

func (g *segment) isEmpty() bool {
	return len(g.items) == 0 && g.suffix == "" && g.matrix == nil
}

func (l *layout) endSegment(off int) *Error {
	semis := strings.Count(l.lit.String(), ";")
	for _, it := range l.items {
		semis += strings.Count(it.lit, ";")
	}
	p := l.takePattern(l.inAuthority())
	matrix := l.matrix
	l.matrix = nil
	if l.rest {
		l.rest = false
		l.m.elastic.tail, l.m.elastic.matrix = p, matrix
		return nil
	}
	if len(p.items) == 0 && (p.suffix == "." || p.suffix == "..") {
		return l.t.fail(CodeIllegalLiteralChar, l.start, off,
			fmt.Sprintf("segment %q is a dot segment, and URIs with one are refused", p.suffix),
			"Write the path without it.")
	}
	g := segment{pattern: p, matrix: matrix, semis: semis}
	if l.m.elastic == nil {
		l.m.before = append(l.m.before, g)
	} else {
		l.m.after = append(l.m.after, g)
	}
	return nil
}

// endPiece ends one pair of a literal query.
func (l *layout) endPiece() {
	p := l.takePattern(false)
	if len(p.items) == 0 {
		l.m.query.pieces = append(l.m.query.pieces, piece{text: p.suffix})
		return
	}
	out := piece{pat: &p}
	if key, rest, found := strings.Cut(p.items[0].lit, "="); found {
		out.key, out.hasKey = key, true
		p.items[0].lit = rest
		p.seal()
	}
	l.m.query.pieces = append(l.m.query.pieces, out)
}

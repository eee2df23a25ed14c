package uritmpl

import (
	"fmt"
	"strings"
)

// expression adds one expression to the layout.
func (l *layout) expression(x *expression) *Error {
	var err *Error
	switch l.place {
	case inPath:
		err = l.inPathExpr(x)
	case inQuery:
		err = l.inQueryExpr(x)
	case afterQuery:
		err = l.afterQueryExpr(x)
	case inFragment:
		err = l.inFragmentExpr(x)
	default:
		err = l.afterFragmentExpr(x)
	}
	if err != nil {
		return err
	}
	l.next += len(x.vars)
	if x.op == 0 || x.op == '+' {
		return nil
	}
	l.m.rank.Optional += len(x.vars)
	return nil
}

// variable counts one variable.
func (l *layout) variable() { l.order.WriteByte(shapeVariable) }

func (l *layout) inPathExpr(x *expression) *Error {
	switch x.op {
	case '?':
		return l.queryNames(x)
	case '&':
		return l.continuationWithoutQuery(x)
	case '#':
		return l.fragmentVariable(x)
	case '/':
		return l.pathExpr(x)
	}
	switch {
	case x.op == '+' && l.m.elastic != nil:
		return l.twoVariableLength(x)
	case l.list != nil:
		return l.textAfterPath(x.off, x.end)
	case x.op == ';':
		return l.matrixExpr(x)
	case l.matrix != nil:
		return l.matrixNotLast(x.off, x.end)
	case x.op == '.' && l.prev != nil:
		return l.labelAfterVariable(x)
	case l.prev != nil:
		return l.adjacent(x)
	}
	if err := l.checkSeparator(x); err != nil {
		return err
	}
	switch x.op {
	case '+':
		l.restExpr(x)
	case '.':
		l.labels(x)
	default:
		l.simple(x, 0)
	}
	l.prev = x
	return nil
}

// checkSeparator refuses "%40" between two variables: a value's own "@"
// is written like that when it is expanded, so the text would not separate.
func (l *layout) checkSeparator(x *expression) *Error {
	if len(l.items) == 0 && !l.rest {
		return nil
	}
	lit := l.lit.String()
	for i := 0; i < len(lit); i += width(lit, i) {
		if b, ok := triplet(lit, i); ok && rawInValue(b) {
			return l.t.fail(CodeAdjacentVariables, x.off, x.end,
				fmt.Sprintf("%s is also how a value's own %q is written, so it does not separate %s from the variable before",
					quote(lit[i:i+3]), string(b), quote(l.t.text[x.off:x.end])),
				fmt.Sprintf("Separate the variables with %q, or with a slash.", string(b)))
		}
	}
	return nil
}

// simple adds {a} or {a,b}; also are further classes that values exclude.
func (l *layout) simple(x *expression, also class) {
	cls := classSimple
	if len(x.vars) > 1 {
		cls = classList
	}
	for i := range x.vars {
		if i > 0 {
			l.lit.WriteByte(',')
			l.count(",")
		}
		l.item(item{kind: itemVar, cls: cls | also, v: l.next + i, label: -1})
	}
	l.prev = x
}

// item closes the literal text with a variable.
func (l *layout) item(it item) {
	it.lit = l.lit.String()
	l.lit.Reset()
	l.items = append(l.items, it)
	l.variable()
}

func (l *layout) restExpr(x *expression) {
	e := &elastic{kind: elasticRest, v: l.next, count: 1, label: -1}
	e.head = l.takePattern(l.inAuthority())
	l.m.elastic = e
	l.m.rank.MultiSegment++
	l.rest = true
	l.variable()
}

// labels adds {.a,b} or {.a*} behind literal text.
func (l *layout) labels(x *expression) {
	end := len(l.items) + len(x.vars)
	for i, v := range x.vars {
		l.item(item{kind: itemLabel, cls: classLabel, v: l.next + i, label: -1, next: end, loop: v.explode})
	}
}

func (l *layout) labelAfterVariable(x *expression) *Error {
	if len(x.vars) > 1 || x.vars[0].explode {
		e := l.t.fail(CodeLabelListAfterVariable, x.off, x.end,
			fmt.Sprintf("%s stands behind %s, whose values may have dots too", quote(l.t.text[x.off:x.end]), quote(l.prevText())),
			"Behind a variable only one label can be told apart: the last.")
		e.Suggestion = l.t.with(x.off, x.end, "{."+x.vars[len(x.vars)-1].name+"}")
		return e
	}
	switch {
	case l.prev.op == '.':
		return l.adjacent(x)
	case l.prev.op == '+':
		l.m.elastic.label = l.next
	default:
		l.items[len(l.items)-1].label = l.next
	}
	l.prev = x
	l.variable()
	return nil
}

func (l *layout) prevText() string { return l.t.text[l.prev.off:l.prev.end] }

func (l *layout) matrixExpr(x *expression) *Error {
	if l.rest && len(l.items) == 0 && l.lit.Len() == 0 {
		e := l.t.fail(CodeAdjacentVariables, x.off, x.end,
			fmt.Sprintf("%s stands directly behind %s, which takes semicolons too",
				quote(l.t.text[x.off:x.end]), quote("{+"+l.t.vars[l.m.elastic.v].Name+"}")),
			"Put a segment between them, as in {+path}/{name}{;v}.")
		return e
	}
	if l.matrix == nil {
		l.matrix = &matrix{}
	}
	l.matrix.names = append(l.matrix.names, l.names(x)...)
	return nil
}

func (l *layout) names(x *expression) []named {
	out := make([]named, 0, len(x.vars))
	for i, v := range x.vars {
		out = append(out, named{name: normalizeText(v.name), v: l.next + i, list: v.explode})
		l.variable()
	}
	return out
}

func (l *layout) pathExpr(x *expression) *Error {
	if l.m.elastic != nil {
		return l.twoVariableLength(x)
	}
	if err := l.endSegment(x.off); err != nil {
		return err
	}
	l.m.elastic = &elastic{kind: elasticList, v: l.next, count: len(x.vars), label: -1}
	if x.vars[0].explode {
		l.m.elastic.kind = elasticAll
		l.m.rank.MultiSegment++
	}
	l.list = x
	for range x.vars {
		l.variable()
	}
	return nil
}

func (l *layout) queryNames(x *expression) *Error {
	if err := l.endBefore(x.off); err != nil {
		return err
	}
	if l.m.query == nil {
		l.m.query = &query{}
	}
	l.m.query.names = append(l.m.query.names, l.names(x)...)
	l.place = afterQuery
	return nil
}

func (l *layout) fragmentVariable(x *expression) *Error {
	if err := l.endBefore(x.off); err != nil {
		return err
	}
	l.m.fragment = &fragment{v: l.next}
	l.m.rank.MultiSegment++
	l.variable()
	l.place = afterFragment
	return nil
}

func (l *layout) inQueryExpr(x *expression) *Error {
	switch x.op {
	case 0:
		return l.valueExpr(x, notAmp)
	case '&':
		return l.queryNames(x)
	case '?':
		return l.secondQuery(x.off, x.end)
	case '#':
		return l.fragmentVariable(x)
	}
	e := l.t.fail(CodeOperatorInQuery, x.off, x.end,
		fmt.Sprintf("%s stands in a query that is written as text", quote(l.t.text[x.off:x.end])),
		"In a query, use {name} for a required value or {?name} for an optional one.")
	if len(x.vars) == 1 {
		e.Suggestion = l.t.with(x.off, x.end, "{"+x.vars[0].name+"}")
	}
	return e
}

// valueExpr adds a simple expression to a query or fragment.
func (l *layout) valueExpr(x *expression, also class) *Error {
	if l.prev != nil {
		return l.adjacent(x)
	}
	if err := l.checkSeparator(x); err != nil {
		return err
	}
	l.simple(x, also)
	return nil
}

func (l *layout) afterQueryExpr(x *expression) *Error {
	switch x.op {
	case '&':
		return l.queryNames(x)
	case '?':
		return l.secondQuery(x.off, x.end)
	case '#':
		return l.fragmentVariable(x)
	}
	return l.queryNotLast(x.off, x.end)
}

func (l *layout) inFragmentExpr(x *expression) *Error {
	switch x.op {
	case 0:
		return l.valueExpr(x, 0)
	case '?', '&':
		return l.queryAfterFragment(x)
	case '#':
		return l.secondFragment(x.off, x.end)
	}
	e := l.t.fail(CodeOperatorInFragment, x.off, x.end,
		fmt.Sprintf("%s stands in a fragment that is written as text", quote(l.t.text[x.off:x.end])),
		"In a fragment, use {name}, or {#name} for the whole fragment.")
	if len(x.vars) == 1 {
		e.Suggestion = l.t.with(x.off, x.end, "{"+x.vars[0].name+"}")
	}
	return e
}

func (l *layout) afterFragmentExpr(x *expression) *Error {
	switch x.op {
	case '?', '&':
		return l.queryAfterFragment(x)
	case '#':
		return l.secondFragment(x.off, x.end)
	}
	return l.fragmentNotLast(x.off, x.end)
}

// firstExpr returns the first expression with one of the operators.
func (l *layout) firstExpr(ops string) *expression {
	for _, p := range l.t.parts {
		if p.expr != nil && p.expr.op != 0 && strings.IndexByte(ops, p.expr.op) >= 0 {
			return p.expr
		}
	}
	return nil
}

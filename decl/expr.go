package decl

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// Expr is an expression that a request evaluates.
type Expr struct {
	// Range is the place of the expression.
	Range Range
	// Secret says that the value contains a secret, or may for some request. It
	// is known after the checks of Load.
	Secret bool

	hcl       hcl.Expression
	base      *hcl.EvalContext
	secretive bool // a secret is among what it is made of
	text      func(hcl.Range) string
}

// Scope is what the expressions of one request see besides var, local and the
// functions: the parameters, the URI, and what a source returned. It is built
// once for a request and evaluated by one goroutine at a time.
type Scope struct {
	Params []*Param
	Values []any // in the order of Params
	URI    string
	// Names are further names: row, rows, ...
	Names map[string]cty.Value

	params cty.Value // built at first use
}

// With returns a scope that sees the given names as well.
func (s *Scope) With(names map[string]cty.Value) *Scope {
	c := *s
	c.Names = make(map[string]cty.Value, len(s.Names)+len(names))
	for k, v := range s.Names {
		c.Names[k] = v
	}
	for k, v := range names {
		c.Names[k] = v
	}
	return &c
}

func (s *Scope) variables() map[string]cty.Value {
	if s.params == cty.NilVal {
		vals := make(map[string]cty.Value, len(s.Params))
		for i, p := range s.Params {
			vals[p.Name] = p.Type.Cty(s.Values[i])
		}
		s.params = cty.ObjectVal(vals)
	}
	vars := make(map[string]cty.Value, len(s.Names)+2)
	vars["param"] = s.params
	vars["uri"] = cty.StringVal(s.URI)
	for k, v := range s.Names {
		vars[k] = v
	}
	return vars
}

// Value evaluates the expression for a request. The error names the place and
// what is wrong; a value with a secret in it is one.
func (e *Expr) Value(s *Scope) (cty.Value, error) {
	v, secret, err := e.SecretValue(s)
	if err == nil && secret {
		return cty.DynamicVal, fmt.Errorf("evaluate expression at %s: the value contains a secret", e.Range)
	}
	return v, err
}

// SecretValue is Value for what goes to a backend. Secrets in the result are
// plain and reported by the second value: whoever sends the value on may use
// it, nobody may print it.
func (e *Expr) SecretValue(s *Scope) (v cty.Value, secret bool, err error) {
	ctx := e.base.NewChild()
	ctx.Variables = s.variables()
	v, diags := e.hcl.Value(ctx)
	if diags.HasErrors() {
		return cty.DynamicVal, false, e.failure(diags[0])
	}
	v, secret = unmarkSecret(v)
	return v, secret, nil
}

// Param returns the parameter that the expression is, where it is exactly
// param.NAME: its value then needs no detour through the language's own values,
// which normalise text to Unicode NFC.
func (e *Expr) Param(s *Scope) (any, bool) {
	name := e.ParamName()
	for i, p := range s.Params {
		if p.Name == name {
			return s.Values[i], true
		}
	}
	return nil, false
}

// ParamName returns the name of the parameter that the expression is, where it
// is exactly param.NAME, else "".
func (e *Expr) ParamName() string {
	t, diags := hcl.AbsTraversalForExpr(e.hcl)
	if diags.HasErrors() || len(t) != 2 || t.RootName() != "param" {
		return ""
	}
	name, _ := stepName(t[1])
	return name
}

// Members returns the names that the expression reads of the object of that
// name, as in row.NAME, with their places.
func (e *Expr) Members(object string) map[string]Range {
	out := map[string]Range{}
	for _, t := range e.hcl.Variables() {
		if t.RootName() != object || len(t) < 2 {
			continue
		}
		if name, ok := stepName(t[1]); ok {
			r := t[:2].SourceRange()
			out[name] = Range{r.Filename, pos(r.Start), pos(r.End)}
		}
	}
	return out
}

// failure says where and why an evaluation failed. A null in a text is named
// with what to write instead.
func (e *Expr) failure(d *hcl.Diagnostic) error {
	where, what := e.Range.String(), ""
	if d.Subject != nil {
		where = fmt.Sprintf("%s:%d:%d", d.Subject.Filename, d.Subject.Start.Line, d.Subject.Start.Column)
		what = e.text(*d.Subject)
	}
	detail := d.Detail
	switch {
	case e.secretive:
		detail = "the expression contains a secret, so its values are not shown"
	case strings.Contains(d.Detail, "result is null") && what != "":
		return fmt.Errorf("evaluate expression at %s: %s is null; give it a text with coalesce(%s, \"-\")", where, what, what)
	}
	return fmt.Errorf("evaluate expression at %s: %s: %s", where, lowerFirst(d.Summary), detail)
}

// digitsMark keeps the exact digits of a number whose spelling carries more
// than its value, such as 10.00.
type digitsMark struct{ text string }

// NumberVal makes a number from its decimal digits. Where an expression hands
// it on unchanged to JSON, [Digits] gives the same digits back, the scale of
// 10.00 included.
func NumberVal(digits string) (cty.Value, error) {
	v, err := cty.ParseNumberVal(digits)
	if err != nil {
		return cty.NilVal, fmt.Errorf("parse number %q: %w", digits, err)
	}
	if PlainNumber(digits) {
		return v, nil
	}
	return v.Mark(digitsMark{digits}), nil
}

// PlainNumber reports whether a decimal number is spelled as its value is
// written: no exponent, no zero at the end of a fraction, and few enough digits
// for the precision of the language's numbers.
func PlainNumber(digits string) bool {
	if strings.ContainsAny(digits, "eE+") || len(digits) > 100 || digits == "-0" || strings.HasPrefix(digits, ".") {
		return false
	}
	return !strings.Contains(digits, ".") || !strings.HasSuffix(digits, "0") && !strings.HasSuffix(digits, ".")
}

// Digits returns the exact digits of a number, and the number without marks.
func Digits(v cty.Value) (digits string, plain cty.Value) {
	plain, marks := v.Unmark()
	for m := range marks {
		d, ok := m.(digitsMark)
		if !ok {
			continue
		}
		if n, err := cty.ParseNumberVal(d.text); err == nil && n.RawEquals(plain) {
			return d.text, plain
		}
	}
	return plain.AsBigFloat().Text('f', -1), plain
}

// unmarkSecret takes the secret marks off and leaves the others.
func unmarkSecret(v cty.Value) (cty.Value, bool) {
	if !v.ContainsMarked() {
		return v, false
	}
	plain, marked := v.UnmarkDeepWithPaths()
	secret := false
	keep := marked[:0]
	for _, pm := range marked {
		if _, ok := pm.Marks[secretMark{}]; ok {
			secret = true
			delete(pm.Marks, secretMark{})
			delete(pm.Marks, defaultMark{})
		}
		if len(pm.Marks) > 0 {
			keep = append(keep, pm)
		}
	}
	if !secret {
		return v, false // marking again costs the square of the number of marks
	}
	return plain.MarkWithPaths(keep), secret
}

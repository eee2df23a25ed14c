package uritmpl

import (
	"errors"
	"fmt"
	"strings"
)

// Compile makes a matcher for templates that have exactly one reading of
// every URI. Others get an *Error: they could be listed, but not read.
//
// A template without variables is compiled too; it matches the URIs that are
// equal to it in normal form.
func Compile(t *Template) (*Matcher, error) {
	m, err := compile(t)
	if err == nil {
		return m, nil
	}
	if again, _ := parse(err.Suggestion); again != nil {
		if _, bad := compile(again); bad != nil {
			err.Suggestion = ""
		}
	} else {
		err.Suggestion = ""
	}
	return nil, err
}

// MustCompile parses and compiles a template that is known to be right, and
// panics if it is not.
func MustCompile(s string) *Matcher {
	t, err := Parse(s)
	if err == nil {
		var m *Matcher
		if m, err = Compile(t); err == nil {
			return m
		}
	}
	var e *Error
	if errors.As(err, &e) {
		panic("uritmpl: " + e.Error() + ". " + e.Fix)
	}
	panic(err)
}

func compile(t *Template) (*Matcher, *Error) {
	if err := t.checkSize(); err != nil {
		return nil, err
	}
	for _, p := range t.parts {
		if p.expr == nil {
			continue
		}
		if err := t.checkExpression(p.expr); err != nil {
			return nil, err
		}
	}
	scheme, err := t.literalScheme()
	if err != nil {
		return nil, err
	}
	if err := t.checkDuplicates(); err != nil {
		return nil, err
	}
	l := newLayout(t, scheme)
	if err := l.run(); err != nil {
		return nil, err
	}
	return l.m, nil
}

func (t *Template) checkSize() *Error {
	if len(t.text) > maxTemplate {
		return t.fail(CodeTemplateTooLong, maxTemplate, len(t.text),
			fmt.Sprintf("the template has %d bytes, %d more than are allowed", len(t.text), len(t.text)-maxTemplate),
			fmt.Sprintf("A template may have %d bytes.", maxTemplate))
	}
	if len(t.vars) > maxVariables {
		v := t.vars[maxVariables]
		return t.fail(CodeTooManyVariables, v.Offset, v.Offset+v.Length,
			fmt.Sprintf("the template has %d variables, %q is one too many", len(t.vars), v.Name),
			fmt.Sprintf("A template may have %d variables.", maxVariables))
	}
	return nil
}

// checkExpression refuses what no URI could be read back into, wherever in the
// template it stands.
func (t *Template) checkExpression(x *expression) *Error {
	text := t.text[x.off:x.end]
	for _, v := range x.vars {
		if v.prefix > 0 {
			e := t.fail(CodePrefixNotInvertible, v.off, v.end,
				fmt.Sprintf("%s keeps only the first characters, so the value cannot be read back", quote(text)),
				fmt.Sprintf("Write %s.", quote("{"+opText(x.op)+v.name+"}")))
			e.Suggestion = t.with(v.off, v.end, v.name)
			return e
		}
		if v.explode && (x.op == 0 || x.op == '+' || x.op == '#') {
			return t.explodeNotInvertible(x, v)
		}
	}
	if len(x.vars) == 1 {
		return nil
	}
	if x.op == '+' || x.op == '#' {
		v := x.vars[1]
		e := t.fail(CodeMultiVariableReserved, v.off, v.end,
			fmt.Sprintf("%s has several variables that may all contain commas", quote(text)),
			fmt.Sprintf("Keep one variable in %s.", quote("{"+opText(x.op)+x.vars[0].name+"}")))
		e.Suggestion = t.with(x.off, x.end, "{"+opText(x.op)+x.vars[0].name+"}")
		return e
	}
	if x.op == '/' || x.op == '.' {
		for _, v := range x.vars {
			if v.explode {
				e := t.fail(CodeExplodeWithOthers, v.off, v.end,
					fmt.Sprintf("%s has a list beside other variables, and nothing tells where the list begins", quote(text)),
					`Remove "*", or keep the list alone in its expression.`)
				e.Suggestion = t.with(v.off, v.end, v.name)
				return e
			}
		}
	}
	return nil
}

func (t *Template) explodeNotInvertible(x *expression, v varspec) *Error {
	fix := fmt.Sprintf("Write {+%s} for the rest of the path, or {/%s*} for a list of segments.", v.name, v.name)
	e := t.fail(CodeExplodeNotInvertible, v.off, v.end,
		fmt.Sprintf("%s writes a list with commas, which its values may contain too", quote(t.text[x.off:x.end])), fix)
	op := x.op
	if op == 0 {
		op = '+'
	} else {
		e.Fix = fmt.Sprintf("Write %s.", quote("{"+opText(op)+v.name+"}"))
	}
	if len(x.vars) == 1 {
		e.Suggestion = t.with(x.off, x.end, "{"+opText(op)+v.name+"}")
	}
	return e
}

func opText(op byte) string {
	if op == 0 {
		return ""
	}
	return string(op)
}

// literalScheme returns the scheme in lower case, with its colon.
func (t *Template) literalScheme() (string, *Error) {
	lit := ""
	if len(t.parts) > 0 {
		lit = t.parts[0].lit
	}
	for i := 0; i < len(lit); i++ {
		c := lit[i]
		if c == ':' && i > 0 {
			return strings.ToLower(lit[:i+1]), nil
		}
		if !isAlpha(c) && (i == 0 || !isDigit(c) && c != '+' && c != '-' && c != '.') {
			break
		}
	}
	e := t.fail(CodeNoLiteralScheme, 0, min(len(t.text), max(1, len(lit))),
		fmt.Sprintf("%s does not begin with a scheme in plain text", quote(t.text)),
		`Begin with a scheme of your own, as in "docs://".`)
	if strings.HasPrefix(t.text, "//") {
		e.Suggestion = "docs:" + t.text
	} else {
		e.Suggestion = "docs://" + strings.TrimLeft(t.text, "/:")
	}
	return "", e
}

func (t *Template) checkDuplicates() *Error {
	first := make(map[string]bool, len(t.vars))
	for _, v := range t.vars {
		name := normalizeText(v.Name)
		if first[name] {
			e := t.fail(CodeDuplicateVariable, v.Offset, v.Offset+v.Length,
				fmt.Sprintf("variable %q stands twice in the template", v.Name),
				"Give the second one a name of its own.")
			e.Suggestion = t.with(v.Offset, v.Offset+len(v.Name), t.freeName(v.Name))
			return e
		}
		first[name] = true
	}
	return nil
}

func (t *Template) freeName(name string) string {
	for n := 2; ; n++ {
		free := fmt.Sprintf("%s%d", name, n)
		taken := false
		for _, v := range t.vars {
			taken = taken || v.Name == free
		}
		if !taken {
			return free
		}
	}
}

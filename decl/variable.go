package decl

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// varInput is a value that the operator gave, before its variable's type is
// known.
type varInput struct {
	origin string // --var region=..., or the file
	text   string // of --var and the environment: a string, or an expression
	value  cty.Value
	at     Range // in a --var-file
}

const envPrefix = "MCPDECL_VAR_"

// variables decodes the variable blocks and gives each its value: from --var,
// else from a --var-file, else from MCPDECL_VAR_name, else the default.
func (l *loader) variables() {
	given := l.varInputs()
	seen := map[string]Range{}
	var blocks []*Block
	l.each("variable", func(b *Block, body hcl.Body) {
		name := b.Label(0)
		if !l.checkName(b, name, b.LabelRange(0), seen) {
			return
		}
		b.decodeBody(body)
		if b.Bool("sensitive") {
			l.hideLiterals(body)
		}
		in, ok := given[name]
		delete(given, name)
		if text, set := l.LookupEnv(envPrefix + name); set && !ok {
			in, ok = varInput{origin: envPrefix + name, text: text}, true
		}
		l.vars[name] = l.variableValue(b, name, in, ok)
		blocks = append(blocks, b)
	})
	for _, name := range sortedKeys(given) {
		in := given[name]
		d := l.add(Error, in.at, "unknown_var", "no variable named %q", name)
		mean, _ := DidYouMean(name, sortedKeys(l.vars))
		d.Detail = strings.TrimSpace(fmt.Sprintf("%s gives it a value, but the configuration declares %s. %s",
			in.origin, list(sortedKeys(l.vars)), mean))
	}
	for _, b := range blocks {
		l.validateVariable(b)
	}
}

// hideLiterals makes every text in the block of a sensitive variable a secret but
// those of its plain attributes: a mistake in the default, or in its name, would
// show its line.
func (l *loader) hideLiterals(body hcl.Body) {
	attrs, _ := body.JustAttributes()
	for name, a := range attrs {
		if name == "type" || name == "description" || name == "sensitive" {
			continue
		}
		for _, part := range l.syntaxOf(a.Expr) {
			_ = hclsyntax.VisitAll(part, func(n hclsyntax.Node) hcl.Diagnostics {
				if lit, ok := n.(*hclsyntax.LiteralValueExpr); ok && lit.Val.Type() == cty.String && !lit.Val.IsNull() {
					l.config.Secrets.Add(lit.Val.AsString())
					l.config.Secrets.Add(l.text(l.rng(lit.SrcRange))) // as it is escaped
				}
				return nil
			})
		}
	}
}

func (l *loader) varInputs() map[string]varInput {
	given := map[string]varInput{}
	for _, file := range l.VarFiles {
		l.varFile(file, given)
	}
	for _, v := range l.Vars {
		name, text, ok := strings.Cut(v, "=")
		if !ok || name == "" {
			l.add(Error, Range{}, "bad_var", "--var needs name=value").Detail = "The value given has no name before an equals sign."
			continue
		}
		given[name] = varInput{origin: "--var " + name, text: text}
	}
	return given
}

func (l *loader) varFile(name string, given map[string]varInput) {
	src, err := l.ReadFile(name)
	if err != nil {
		l.add(Error, Range{}, "cannot_read", "cannot read %q", name).Detail = pathReason(err)
		return
	}
	l.config.Files[name] = src
	l.config.Unshown[name] = true
	files, diags := parseSource(name, src)
	l.addHCL(diags)
	for _, f := range files {
		if f != nil {
			l.varAttrs(name, f, given)
		}
	}
}

func (l *loader) varAttrs(name string, f *hcl.File, given map[string]varInput) {
	attrs, diags := f.Body.JustAttributes()
	l.addHCL(diags)
	for n, a := range attrs {
		v, diags := a.Expr.Value(nil)
		l.addHCL(diags)
		if !diags.HasErrors() {
			given[n] = varInput{origin: name, value: v, at: l.rng(a.NameRange)}
		}
	}
}

// variableValue returns the variable's value, unknown after a mistake, so that
// what depends on it is not reported again.
func (l *loader) variableValue(b *Block, name string, in varInput, given bool) cty.Value {
	want, defaults := cty.DynamicPseudoType, (*typeexpr.Defaults)(nil)
	if a := b.attrs["type"]; a != nil {
		var diags hcl.Diagnostics
		want, defaults, diags = typeexpr.TypeConstraintWithDefaults(a.hcl.Expr)
		l.addHCL(diags)
		if diags.HasErrors() {
			return cty.DynamicVal
		}
	}
	var v cty.Value
	at, origin := b.ValueRange("default"), "the default"
	switch {
	case given:
		at, origin = b.Range, in.origin
		if in.at.File != "" {
			at = in.at
		}
		var ok bool
		if v, ok = l.inputValue(in, want, at); !ok {
			return cty.DynamicVal
		}
	case b.stands("default"):
		if v = b.Value("default"); v == cty.NilVal {
			if b.attrs["default"] == nil || !isNullLiteral(b.attrs["default"].hcl.Expr) {
				return cty.DynamicVal
			}
			v = cty.NullVal(want)
		}
	default:
		d := b.Errorf(b.Range, "missing_variable", "the variable %q has no value", name)
		d.Detail = fmt.Sprintf("Give it with --var %s=..., in a --var-file, in the environment variable %s%s, or add a default.", name, envPrefix, name)
		return cty.UnknownVal(want)
	}
	sensitive := b.Bool("sensitive") || !given && b.IsSecret("default")
	if sensitive {
		l.config.Secrets.addValue(v)
	}
	if defaults != nil && !v.IsNull() {
		v = defaults.Apply(v)
	}
	c, err := convert.Convert(v, want)
	if err != nil {
		d := b.Errorf(at, "wrong_type", "%s of variable %q has the wrong type", origin, name)
		d.Detail = sentence(err)
		if sensitive {
			d.Detail = fmt.Sprintf("It must be %s. The value is sensitive and not shown.", want.FriendlyName())
		}
		return cty.UnknownVal(want)
	}
	if sensitive {
		c = c.Mark(secretMark{})
	}
	return c
}

func isNullLiteral(e hcl.Expression) bool {
	v, diags := e.Value(nil)
	return !diags.HasErrors() && v.IsNull()
}

// inputValue reads the text of --var or the environment: as it stands for a
// string or an undeclared type, as an expression for every other type.
func (l *loader) inputValue(in varInput, want cty.Type, at Range) (cty.Value, bool) {
	if in.value != cty.NilVal {
		return in.value, true
	}
	if want == cty.String || want == cty.DynamicPseudoType {
		return cty.StringVal(in.text), true
	}
	e, diags := hclsyntax.ParseExpression([]byte(in.text), in.origin, hcl.InitialPos)
	if !diags.HasErrors() {
		v, more := e.Value(nil)
		if !more.HasErrors() {
			return v, true
		}
	}
	d := l.add(Error, at, "bad_var", "the value from %s is no %s", in.origin, want.FriendlyName())
	d.Detail = "For every type but string the value is read as an expression, such as 3, true or [\"a\", \"b\"]."
	return cty.NilVal, false
}

// validateVariable runs the validation blocks of a variable; they may look at
// every variable, so all have their values by now.
func (l *loader) validateVariable(b *Block) {
	name := b.Label(0)
	if plain, _ := l.vars[name].UnmarkDeep(); !plain.IsWhollyKnown() {
		return
	}
	for _, val := range b.Blocks("validation") {
		e := val.Expr("condition")
		if e == nil {
			continue
		}
		cond, ok := l.evalStatic(e.hcl, NotTemplate)
		if !ok {
			continue
		}
		cond, _ = unmark(cond)
		if !l.isCondition(e, cond) {
			continue
		}
		if cond.IsKnown() && cond.False() {
			d := b.Errorf(b.Range, "invalid_variable", "the variable %q has a value that its validation refuses", name)
			d.Detail = l.validationMessage(val)
			d.Related = []Related{{val.Range, "the validation"}}
		}
	}
}

// isCondition reports whether the value of a condition is a bool, perhaps one
// that is not known yet.
func (l *loader) isCondition(e *Expr, v cty.Value) bool {
	if v.Type() == cty.Bool && !v.IsNull() || v.Type() == cty.DynamicPseudoType && !v.IsKnown() {
		return true
	}
	d := l.add(Error, e.Range, "wrong_type", "condition must be true or false")
	d.Detail = "It is of type " + v.Type().FriendlyName() + ". Write a comparison."
	return false
}

func (l *loader) validationMessage(val *Block) string {
	e := val.Expr("error_message")
	if e == nil {
		return ""
	}
	m, ok := l.evalStatic(e.hcl, NotTemplate)
	if !ok {
		return ""
	}
	if m, secret := unmark(m); !secret && m.IsKnown() && !m.IsNull() && m.Type() == cty.String {
		return m.AsString()
	}
	return "The message contains a secret and is not shown."
}

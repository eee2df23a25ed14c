package decl

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// requestNames are the names that only a request gives a value. What a source
// offers beyond param and uri depends on its kind; these are all of them, so
// that one of them in a static place is told from a typing mistake.
var requestNames = []string{
	"param", "uri", "row", "rows", "item", "items", "body", "status", "header", "content", "file",
}

// context is the static context for a file: var, local and the functions.
func (l *loader) context(file string) *hcl.EvalContext {
	dir := filepath.Dir(file)
	ctx := l.contexts[dir]
	if ctx == nil {
		ctx = &hcl.EvalContext{Functions: l.functions(dir)}
		l.contexts[dir] = ctx
	}
	if ctx.Variables == nil || !l.settled {
		ctx.Variables = map[string]cty.Value{"var": cty.ObjectVal(l.vars), "local": cty.ObjectVal(l.locals)}
	}
	return ctx
}

// evalStatic evaluates an expression that may see var, local and the
// functions only. It returns false when it reported a mistake.
func (l *loader) evalStatic(e hcl.Expression, template TemplateKind) (cty.Value, bool) {
	ok := true
	for _, t := range e.Variables() {
		ok = l.checkStaticName(e, t, template) && ok
	}
	if !ok {
		return cty.NilVal, false
	}
	return l.eval(e, l.context(e.Range().Filename))
}

func (l *loader) eval(e hcl.Expression, ctx *hcl.EvalContext) (cty.Value, bool) {
	v, diags := e.Value(ctx)
	if diags.HasErrors() && l.involvesSecret(e) {
		diags = hideValues(diags)
	}
	l.addHCL(diags)
	return v, !diags.HasErrors()
}

// involvesSecret reports whether a secret is among what an expression is made
// of, so that no text about its values may be shown: what a function says of an
// argument may quote it, or a part of it.
func (l *loader) involvesSecret(e hcl.Expression) bool {
	for _, t := range e.Variables() {
		values := l.vars
		if t.RootName() == "local" {
			values = l.locals
		}
		if len(t) < 2 {
			continue
		}
		if name, ok := stepName(t[1]); ok && values[name] != cty.NilVal && values[name].ContainsMarked() {
			return true
		}
	}
	return l.callsEnv(e)
}

// hideValues keeps of diagnostics only what cannot hold a value.
func hideValues(diags hcl.Diagnostics) hcl.Diagnostics {
	out := make(hcl.Diagnostics, len(diags))
	for i, d := range diags {
		c := *d
		out[i] = &c
		if call, ok := d.Expression.(*hclsyntax.FunctionCallExpr); ok && isOwnError(d) && isPlainCall(call) {
			continue // env("NAME"), file("path"): the argument is no secret
		}
		c.Detail, c.Extra = "The expression contains a secret, so what is wrong with its value is not shown.", nil
	}
	return out
}

func isOwnError(d *hcl.Diagnostic) bool {
	extra, ok := hcl.DiagnosticExtra[hclsyntax.FunctionCallDiagExtra](d)
	var own *functionError
	return ok && errors.As(extra.FunctionCallError(), &own)
}

// isPlainCall reports whether every argument of a call is a constant.
func isPlainCall(call *hclsyntax.FunctionCallExpr) bool {
	for _, a := range call.Args {
		if _, diags := a.Value(nil); diags.HasErrors() {
			return false
		}
	}
	return true
}

func (l *loader) checkStaticName(e hcl.Expression, t hcl.Traversal, template TemplateKind) bool {
	switch root := t.RootName(); {
	case root == "var":
		return l.checkMember(t, "unknown_var", "variable", l.vars)
	case root == "local":
		return l.checkMember(t, "unknown_local", "local value", l.locals)
	case slices.Contains(requestNames, root):
		l.reportRequestName(e, t, template)
		return false
	default:
		l.reportUnknownName(e, t, []string{"var", "local"}, nil)
		if template == TemplateSQL && isTemplate(e) {
			l.last().Detail += fmt.Sprintf(" If it is a parameter, write :%s, which is bound.", root)
		}
		return false
	}
}

// checkMember checks var.NAME and local.NAME.
func (l *loader) checkMember(t hcl.Traversal, code, what string, values map[string]cty.Value) bool {
	if len(t) < 2 {
		return true // the whole object
	}
	name, ok := stepName(t[1])
	if _, known := values[name]; known || !ok {
		return true
	}
	root := t.RootName()
	d := l.add(Error, l.rng(t[:2].SourceRange()), code, "no %s named %q", what, name)
	mean, candidate := DidYouMean(name, sortedKeys(values))
	if candidate != "" {
		d.Suggestion = root + "." + candidate
		mean = "Did you mean " + d.Suggestion + "?"
	}
	d.Detail = fmt.Sprintf("The configuration declares %s.", list(sortedKeys(values)))
	if len(values) == 0 {
		d.Detail = fmt.Sprintf("The configuration declares no %s.", what)
	}
	d.Detail = strings.TrimSpace(d.Detail + " " + mean)
	return false
}

// stepName is the name in .name or ["name"].
func stepName(t hcl.Traverser) (string, bool) {
	switch t := t.(type) {
	case hcl.TraverseAttr:
		return t.Name, true
	case hcl.TraverseIndex:
		if t.Key.Type() == cty.String {
			return t.Key.AsString(), true
		}
	}
	return "", false
}

// reportRequestName answers ${param.id} in a static place with the spelling
// that is right there.
func (l *loader) reportRequestName(e hcl.Expression, t hcl.Traversal, template TemplateKind) {
	name := "name"
	if len(t) > 1 {
		if n, ok := stepName(t[1]); ok {
			name = n
		}
	}
	ref := t.RootName() + "." + name
	at := l.exprRange(e)
	switch {
	case template == TemplateSQL && t.RootName() == "param":
		d := l.add(Error, at, "pasted_value", "a query cannot be built with ${...}")
		d.Detail = fmt.Sprintf("Values are bound, never pasted into SQL. Write :%s in the query; it is bound to %s.", name, ref)
	case template == TemplateURI && t.RootName() == "param":
		d := l.add(Error, at, "pasted_value", "a template cannot be built with ${...}")
		d.Detail = fmt.Sprintf("Values are encoded, never pasted into a template. Write {%s}; it stands for %s.", name, ref)
	default:
		d := l.add(Error, l.rng(t.SourceRange()), "request_value", "%s has no value here", ref)
		d.Detail = "This attribute is evaluated when the configuration is loaded, and sees var, local and functions only. " +
			"A request is known in text, json, blob, args, header values, validation and list expressions."
	}
}

// reportUnknownName reports a name that nothing has. s is nil in a static place.
func (l *loader) reportUnknownName(e hcl.Expression, t hcl.Traversal, known []string, s *checkScope) {
	root := t.RootName()
	at := l.rng(t.SourceRange())
	if len(t) == 1 && isBareWord(e) && (s == nil || !s.has(root)) {
		d := l.add(Error, at, "unknown_name", "no value is named %q", root)
		d.Detail = fmt.Sprintf("If the word itself is meant, write it in quotes: %q.", root)
		d.Suggestion = fmt.Sprintf("%q", root)
		return
	}
	d := l.add(Error, at, "unknown_name", "no value is named %q", root)
	mean, candidate := DidYouMean(root, known)
	d.Detail = strings.TrimSpace(fmt.Sprintf("Known here are %s. %s", list(known), mean))
	d.Suggestion = candidate
	switch {
	case root == "connection":
		d.Detail = "A connection can be named only in the attribute \"connection\" of a source."
	case root == "env":
		d.Detail = "The environment is read by a function: env(\"NAME\")."
	case s != nil && s.has(root):
		d.Suggestion = "param." + root
		d.Detail = fmt.Sprintf("The parameter is %s.", d.Suggestion)
	case s != nil && candidate == "" && len(t) == 1 && s.names["row"] != cty.NilType:
		d.Detail += fmt.Sprintf(" A column of the row is row.%s.", root)
	}
	if isTemplate(e) {
		d.Detail += " To write ${ as it is, write $${."
	}
}

func isBareWord(e hcl.Expression) bool {
	_, ok := e.(*hclsyntax.ScopeTraversalExpr)
	return ok
}

func isTemplate(e hcl.Expression) bool {
	switch e.(type) {
	case *hclsyntax.TemplateExpr, *hclsyntax.TemplateWrapExpr:
		return true
	}
	return false
}

func (l *loader) newExpr(e hcl.Expression) *Expr {
	return &Expr{
		Range: l.exprRange(e), hcl: e, base: l.context(e.Range().Filename), secretive: l.involvesSecret(e),
		text: func(r hcl.Range) string { return l.text(l.rng(r)) },
	}
}

// checkScope is what the expressions of one block may name at request time.
type checkScope struct {
	owner  string // resource "customer"
	uri    string // its template, for messages
	params []*Param
	names  map[string]cty.Type // row, rows, ... besides param and uri
	used   map[string]bool     // parameters that an expression names
}

// checkExpr evaluates a request-time expression with unknown values of the
// declared types. It returns the value, unmarked, or false when a mistake was
// reported.
func (l *loader) checkExpr(e *Expr, s *checkScope) (cty.Value, bool) {
	ok := true
	for _, t := range e.hcl.Variables() {
		ok = l.checkRequestName(e, t, s) && ok
	}
	if !ok || !l.checkConstantCalls(e.hcl) {
		return cty.NilVal, false
	}
	params := map[string]cty.Value{}
	for _, p := range s.params {
		params[p.Name] = cty.UnknownVal(p.Type.CtyType())
	}
	ctx := e.base.NewChild()
	ctx.Variables = map[string]cty.Value{"param": cty.ObjectVal(params), "uri": cty.UnknownVal(cty.String)}
	for name, t := range s.names {
		ctx.Variables[name] = cty.UnknownVal(t)
	}
	v, ok := l.eval(e.hcl, ctx)
	if !ok {
		return cty.NilVal, false
	}
	v, e.Secret = unmark(v)
	// A value that a request picks out of several has lost its mark as long as
	// nobody knows which it is.
	e.Secret = e.Secret || !v.IsWhollyKnown() && l.seesSecret(e.hcl, ctx)
	return v, true
}

// seesSecret reports whether a secret is in a value that an expression names, or
// may be in one that it makes itself.
func (l *loader) seesSecret(e hcl.Expression, ctx *hcl.EvalContext) bool {
	for _, t := range e.Variables() {
		if v, diags := t.TraverseAbs(ctx); !diags.HasErrors() {
			if _, secret := unmark(v); secret {
				return true
			}
		}
	}
	return l.callsEnv(e)
}

func (l *loader) checkRequestName(e *Expr, t hcl.Traversal, s *checkScope) bool {
	root := t.RootName()
	switch root {
	case "var":
		return l.checkMember(t, "unknown_var", "variable", l.vars)
	case "local":
		return l.checkMember(t, "unknown_local", "local value", l.locals)
	case "uri":
		return true
	case "param":
		return l.checkParamName(t, s)
	}
	if _, ok := s.names[root]; ok {
		return true
	}
	if slices.Contains(requestNames, root) {
		d := l.add(Error, l.rng(t.SourceRange()), "unavailable_name", "%q has no value here", root)
		d.Detail = fmt.Sprintf("%s offers %s.", s.owner, list(s.known()))
		return false
	}
	l.reportUnknownName(e.hcl, t, s.known(), s)
	return false
}

func (s *checkScope) known() []string {
	return append([]string{"var", "local", "param", "uri"}, sortedKeys(s.names)...)
}

func (l *loader) checkParamName(t hcl.Traversal, s *checkScope) bool {
	if len(t) < 2 {
		s.useAll()
		return true
	}
	name, ok := stepName(t[1])
	if !ok {
		s.useAll()
		return true
	}
	var names []string
	for _, p := range s.params {
		if p.Name == name {
			s.use(name)
			return true
		}
		names = append(names, p.Name)
	}
	d := l.add(Error, l.rng(t[:2].SourceRange()), "unknown_parameter", "no parameter named %q", name)
	d.Detail = s.describeParams(names)
	if _, candidate := DidYouMean(name, names); candidate != "" {
		d.Suggestion = "param." + candidate
		d.Detail += "\nDid you mean " + d.Suggestion + "?"
	}
	return false
}

func (s *checkScope) describeParams(names []string) string {
	return DescribeParams(s.owner, s.uri, names)
}

// DescribeParams is the sentence that lists the parameters of a block, for
// diagnostics about a name that is none of them.
func DescribeParams(owner, uri string, names []string) string {
	count := "no parameters"
	switch len(names) {
	case 0:
	case 1:
		count = "one parameter: " + names[0]
	default:
		count = fmt.Sprintf("%d parameters: %s", len(names), list(names))
	}
	from := ""
	if uri != "" {
		from = fmt.Sprintf(" (from %q)", uri)
	}
	return fmt.Sprintf("%s has %s%s.", owner, count, from)
}

func (s *checkScope) use(name string) {
	if s.used != nil {
		s.used[name] = true
	}
}

func (s *checkScope) useAll() {
	for _, p := range s.params {
		s.use(p.Name)
	}
}

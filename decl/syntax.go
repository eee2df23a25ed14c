package decl

import (
	"encoding/json"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// callsEnv reports whether env is called in an expression.
func (l *loader) callsEnv(e hcl.Expression) bool {
	found := false
	for _, part := range l.syntaxOf(e) {
		_ = hclsyntax.VisitAll(part, func(n hclsyntax.Node) hcl.Diagnostics {
			call, ok := n.(*hclsyntax.FunctionCallExpr)
			found = found || ok && call.Name == "env"
			return nil
		})
	}
	return found
}

// syntaxOf are the parts of an expression in native syntax. In JSON these are the
// templates that its strings are.
func (l *loader) syntaxOf(e hcl.Expression) []hclsyntax.Expression {
	if native, ok := e.(hclsyntax.Expression); ok {
		return []hclsyntax.Expression{native}
	}
	var out []hclsyntax.Expression
	if items, diags := hcl.ExprList(e); !diags.HasErrors() {
		for _, item := range items {
			out = append(out, l.syntaxOf(item)...)
		}
		return out
	}
	if pairs, diags := hcl.ExprMap(e); !diags.HasErrors() {
		for _, p := range pairs {
			out = append(out, l.syntaxOf(p.Key)...)
			out = append(out, l.syntaxOf(p.Value)...)
		}
		return out
	}
	var text string
	if json.Unmarshal([]byte(l.text(l.rng(e.Range()))), &text) != nil {
		return nil
	}
	if template, diags := hclsyntax.ParseTemplate([]byte(text), e.Range().Filename, e.Range().Start); !diags.HasErrors() {
		out = append(out, template)
	}
	return out
}

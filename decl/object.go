package decl

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// objectEntries splits { name = expr, ... } without evaluating the values.
func (b *Block) objectEntries(a *attribute) []NamedExpr {
	l := b.loader
	pairs, diags := hcl.ExprMap(a.hcl.Expr)
	if diags.HasErrors() {
		d := b.Errorf(l.exprRange(a.hcl.Expr), "wrong_type", "%s must be an object", a.spec.Name)
		d.Detail = "Write " + a.spec.Name + " = { name = value }."
		return nil
	}
	var out []NamedExpr
	seen := map[string]Range{}
	for _, p := range pairs {
		name := hcl.ExprAsKeyword(p.Key)
		if name == "" {
			v, ok := l.evalStatic(keyExpr(p.Key), NotTemplate)
			if !ok {
				continue
			}
			if v, _ = unmark(v); v.IsNull() || !v.IsKnown() || v.Type() != cty.String {
				b.Errorf(l.exprRange(p.Key), "wrong_type", "a name in %s must be a string", a.spec.Name).Detail = "Write it as a plain word or in quotes."
				continue
			}
			name = v.AsString()
		}
		at := l.exprRange(p.Key)
		if first, ok := seen[name]; ok {
			d := b.Errorf(at, "duplicate_name", "%s has %q twice", a.spec.Name, name)
			d.Detail = "Remove one of them."
			d.Related = []Related{{first, "first here"}}
			continue
		}
		seen[name] = at
		out = append(out, NamedExpr{Name: name, Expr: l.newExpr(p.Value), Range: at})
	}
	return out
}

// keyExpr unwraps an object key, so that a quoted one is read as a string.
func keyExpr(e hcl.Expression) hcl.Expression {
	if k, ok := e.(*hclsyntax.ObjectConsKeyExpr); ok && !k.ForceNonLiteral {
		return k
	}
	return e
}

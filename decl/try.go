package decl

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/customdecode"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// keepSecret makes a secret of what can or try says of an expression with a
// secret in it: whether something fails tells about it too.
func keepSecret(f function.Function) function.Function {
	return function.New(&function.Spec{
		Description: f.Description(),
		VarParam:    &function.Parameter{Name: "expressions", Type: customdecode.ExpressionClosureType},
		Type:        f.ReturnTypeForValues,
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			v, err := f.Call(args)
			if err != nil {
				return v, err
			}
			for _, a := range args {
				if c := customdecode.ExpressionClosureFromVal(a); namesSecret(c.Expression, c.EvalContext) || hasEnvCall(c.Expression) {
					return v.Mark(secretMark{}), nil
				}
			}
			return v, nil
		},
	})
}

// namesSecret reports whether a secret is in a value that an expression names.
func namesSecret(e hcl.Expression, ctx *hcl.EvalContext) bool {
	for _, t := range e.Variables() {
		if v, diags := t.TraverseAbs(ctx); !diags.HasErrors() {
			if _, secret := unmark(v); secret {
				return true
			}
		}
	}
	return false
}

// hasEnvCall reports whether env is called in an expression, which is in native
// syntax as all arguments of functions are.
func hasEnvCall(e hcl.Expression) bool {
	node, ok := e.(hclsyntax.Node)
	found := !ok
	if ok {
		_ = hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics {
			call, ok := n.(*hclsyntax.FunctionCallExpr)
			found = found || ok && call.Name == "env"
			return nil
		})
	}
	return found
}

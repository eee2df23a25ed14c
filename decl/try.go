package decl

import (
	"github.com/hashicorp/hcl/v2/ext/customdecode"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// keepSecret makes a secret of what can or try says of an expression with a
// secret in it: whether something fails tells about it too.
func (l *loader) keepSecret(f function.Function) function.Function {
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
				if c := customdecode.ExpressionClosureFromVal(a); l.seesSecret(c.Expression, c.EvalContext) {
					return v.Mark(secretMark{}), nil
				}
			}
			return v, nil
		},
	})
}

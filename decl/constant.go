package decl

import (
	"encoding/json"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// constantFunctions reach beyond the configuration. A request must not choose
// what they read.
var constantFunctions = []string{"env", "file", "filebase64"}

// checkConstantCalls reports calls in a request-time expression whose argument
// depends on more than variables and locals. It returns false when there are any.
func (l *loader) checkConstantCalls(e hcl.Expression) bool {
	ok := true
	for _, part := range l.syntaxOf(e) {
		_ = hclsyntax.VisitAll(part, func(n hclsyntax.Node) hcl.Diagnostics {
			call, isCall := n.(*hclsyntax.FunctionCallExpr)
			if isCall && slices.Contains(constantFunctions, call.Name) && slices.ContainsFunc(call.Args, isRequestTime) {
				l.reportRequestCall(e, call)
				ok = false
			}
			return nil
		})
	}
	return ok
}

// isRequestTime reports whether an expression names more than var and local.
func isRequestTime(e hclsyntax.Expression) bool {
	return slices.ContainsFunc(e.Variables(), func(t hcl.Traversal) bool { return t.RootName() != "var" && t.RootName() != "local" })
}

func (l *loader) reportRequestCall(e hcl.Expression, call *hclsyntax.FunctionCallExpr) {
	at := l.exprRange(e)
	if _, native := e.(hclsyntax.Expression); native {
		at = l.rng(call.Range())
	}
	d := l.add(Error, at, "request_argument", "the argument of %s must not depend on a request", call.Name)
	d.Detail = "A client could name any file of the machine. Write the path out, or build the value in locals; a file that a request names is read by source \"file\", below its root."
	if call.Name == "env" {
		d.Detail = "A client could name any variable of the environment. Write its name out, or build the value in locals."
	}
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

package decl

import (
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
	c := &constantCalls{loader: l, expr: e, ok: true}
	for _, part := range l.syntaxOf(e) {
		_ = hclsyntax.Walk(part, c)
	}
	return c.ok
}

// constantCalls walks an expression; the variables of loops over constants are
// constants too.
type constantCalls struct {
	loader *loader
	expr   hcl.Expression
	loops  []map[string]bool // by name: whether it is a constant
	ok     bool
}

func (c *constantCalls) Enter(n hclsyntax.Node) hcl.Diagnostics {
	switch n := n.(type) {
	case *hclsyntax.ForExpr:
		constant := !c.isRequestTime(n.CollExpr)
		c.loops = append(c.loops, map[string]bool{n.KeyVar: constant, n.ValVar: constant})
	case *hclsyntax.FunctionCallExpr:
		if slices.Contains(constantFunctions, n.Name) && slices.ContainsFunc(n.Args, c.isRequestTime) {
			c.loader.reportRequestCall(c.expr, n)
			c.ok = false
		}
	}
	return nil
}

func (c *constantCalls) Exit(n hclsyntax.Node) hcl.Diagnostics {
	if _, ok := n.(*hclsyntax.ForExpr); ok {
		c.loops = c.loops[:len(c.loops)-1]
	}
	return nil
}

// isRequestTime reports whether an expression names what is no constant.
func (c *constantCalls) isRequestTime(e hclsyntax.Expression) bool {
	return slices.ContainsFunc(e.Variables(), func(t hcl.Traversal) bool {
		for _, loop := range slices.Backward(c.loops) {
			if constant, ok := loop[t.RootName()]; ok {
				return !constant
			}
		}
		return t.RootName() != "var" && t.RootName() != "local"
	})
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

package decl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// localValues evaluates the locals blocks; one may refer to another in any
// order, and a circle is a mistake.
func (l *loader) localValues() {
	r := &localResolver{loader: l, exprs: map[string]*hcl.Attribute{}}
	l.each("locals", func(b *Block, body hcl.Body) {
		attrs, diags := body.JustAttributes()
		l.addHCL(diags)
		for _, name := range sortedAttrs(attrs) {
			a := attrs[name]
			if first := r.exprs[name]; first != nil {
				d := l.add(Error, l.rng(a.NameRange), "duplicate_name", "the local value %q is declared twice", name)
				d.Detail = fmt.Sprintf("The first one is at %s. Remove one of them.", l.rng(first.NameRange))
				d.Related = []Related{{l.rng(first.NameRange), "first here"}}
				continue
			}
			r.exprs[name] = a
			l.locals[name] = cty.DynamicVal
		}
	})
	for _, name := range sortedKeys(r.exprs) {
		r.resolve(name)
	}
}

type localResolver struct {
	*loader
	exprs map[string]*hcl.Attribute
	done  map[string]bool
	path  []string
}

func (r *localResolver) resolve(name string) {
	a := r.exprs[name]
	if a == nil || r.done[name] {
		return
	}
	if i := slices.Index(r.path, name); i >= 0 {
		circle := append(slices.Clone(r.path[i:]), name)
		d := r.add(Error, r.rng(a.NameRange), "circular_local", "the local value %q refers to itself", name)
		d.Detail = "The circle is local." + strings.Join(circle, " -> local.") + ". Break it."
		r.markDone(name)
		return
	}
	r.path = append(r.path, name)
	for _, t := range a.Expr.Variables() {
		if t.RootName() == "local" && len(t) > 1 {
			if n, ok := stepName(t[1]); ok {
				r.resolve(n)
			}
		}
	}
	r.path = r.path[:len(r.path)-1]
	if r.done[name] {
		return // part of a circle
	}
	r.markDone(name)
	if v, ok := r.evalStatic(a.Expr, NotTemplate); ok {
		r.locals[name] = v
	}
}

func (r *localResolver) markDone(name string) {
	if r.done == nil {
		r.done = map[string]bool{}
	}
	r.done[name] = true
}

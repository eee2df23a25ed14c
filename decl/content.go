package decl

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// source decodes the source block of b, if there is one.
func (l *loader) source(b *Block, s *checkScope, place string) *Source {
	sb := b.Block("source")
	if sb == nil {
		return nil
	}
	in := &SourceContext{
		Owner: s.owner, URI: s.uri, Params: s.params, Place: place,
		check: func(e *Expr, names map[string]cty.Type) (cty.Value, bool) {
			c := *s
			c.names = names
			return l.checkExpr(e, &c)
		},
	}
	if place == "resource" || place == "tool" {
		in.HasBody = b.Has("text") || b.Has("json") || b.Has("blob")
	}
	if place == "resource" {
		in.MIMEType = b.String("mime_type")
	}
	for _, k := range l.Kinds.Sources {
		if k.Spec == sb.Spec {
			src := k.Decode(sb, in)
			if src == nil {
				return nil
			}
			src.Kind, src.Range = k.Spec.Type, sb.Range
			for _, i := range src.Uses {
				s.use(s.params[i].Name)
			}
			return src
		}
	}
	panic("decl: source variant without a kind")
}

// body decodes and checks text, json and blob.
func (l *loader) body(b *Block, s *checkScope, src *Source) Body {
	body := Body{b.Expr("text"), b.Expr("json"), b.Expr("blob")}
	var names []string
	for _, n := range []string{"text", "json", "blob"} {
		if b.Has(n) {
			names = append(names, n)
		}
	}
	if len(names) == 0 && b.Block("source") == nil && !b.broken["source"] && !l.unfinished[b.Range.File] {
		d := b.Errorf(b.Range, "no_content", "%s has no content", b.title())
		d.Detail = "Add a source block, or one of text, json and blob."
		return Body{}
	}
	if len(names) > 1 {
		d := b.Errorf(b.NameRange(names[1]), "two_bodies", "%s has both %s", b.title(), list(names))
		d.Detail = "A content is one of text, json and blob. Remove the others."
		d.Related = []Related{{b.NameRange(names[0]), "first here"}}
		return Body{}
	}
	if len(names) == 0 {
		return Body{}
	}
	c := *s
	if src != nil {
		c.names = src.Scope
	}
	l.checkBody(b, names[0], body.Expr(), &c)
	return body
}

func (l *loader) checkBody(b *Block, name string, e *Expr, s *checkScope) {
	if b.Block("source") != nil && s.names == nil {
		return // the source could not be decoded, so its names are not known
	}
	v, ok := l.checkShown(b, name, e, s)
	if !ok || name == "json" {
		return
	}
	if v.IsNull() {
		d := b.Errorf(e.Range, "wrong_type", "%s is null", name)
		d.Detail = "Write a string, \"\" for an empty one, or remove " + name + "."
		return
	}
	if v.Type() != cty.DynamicPseudoType && v.Type() != cty.String && !(name == "text" && v.Type().IsPrimitiveType()) {
		d := b.Errorf(e.Range, "wrong_type", "%s must be a string", name)
		d.Detail = fmt.Sprintf("It is of type %s. Use json for a value, or jsonencode.", v.Type().FriendlyName())
		return
	}
	if name == "blob" && v.IsKnown() && v.Type() == cty.String {
		if _, err := base64.StdEncoding.DecodeString(v.AsString()); err != nil {
			d := b.Errorf(e.Range, "invalid_value", "blob must be base64")
			d.Detail = "Use filebase64(path) for a file."
		}
	}
}

// unusedParams warns of parameters that change nothing.
func (l *loader) unusedParams(params []*Param, s *checkScope, b *Block) {
	if b.Block("source") != nil && b.loader.brokenSource(b) {
		return
	}
	for _, p := range params {
		if s.used[p.Name] {
			continue
		}
		d := l.add(Warning, p.Range, "unused_parameter", "nothing uses the parameter %q", p.Name)
		d.Detail = fmt.Sprintf("Every value of %s gives the same answer. Use it in %s, or remove it from the uri.", p.Name, s.owner)
		if s.uri == "" {
			d.Detail = fmt.Sprintf("Every value of %s gives the same answer. Use it in %s, or remove it.", p.Name, s.owner)
		}
		if src := b.Block("source"); src != nil && src.Spec.attr("query") != nil && strings.Contains(src.String("query"), "{"+p.Name+"}") {
			d.Detail = fmt.Sprintf("{%s} has no meaning in a query. Write :%s, which is bound to the parameter.", p.Name, p.Name)
		}
	}
}

// brokenSource reports whether the source had mistakes, so that what it uses
// is not known for sure.
func (l *loader) brokenSource(b *Block) bool {
	r := b.Block("source")
	for _, d := range l.diags {
		if d.Severity == Error && d.Range.File == r.Range.File && d.Range.Start.Byte >= r.Range.Start.Byte && d.Range.Start.Byte <= r.end {
			return true
		}
	}
	return false
}

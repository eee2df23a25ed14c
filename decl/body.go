package decl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// decodeBody checks the body of b against its spec: unknown, missing and
// repeated parts become diagnostics, static attributes are evaluated, inner
// blocks decoded.
func (b *Block) decodeBody(body hcl.Body) {
	l := b.loader
	b.end = body.MissingItemRange().End.Byte
	if n := nativeBody(body); n != nil {
		b.end = n.EndRange.End.Byte
	}
	content, remain, diags := body.PartialContent(l.schema(b.Spec))
	l.addHCL(diags)
	b.reportUnknown(body, remain)
	b.attrs = make(map[string]*attribute, len(content.Attributes))
	for name, a := range content.Attributes {
		b.attrs[name] = &attribute{spec: b.Spec.attr(name), hcl: a}
	}
	for _, name := range sortedAttrs(content.Attributes) {
		b.decodeAttr(b.attrs[name])
	}
	for _, a := range b.Spec.Attrs {
		switch {
		case a.Required && !b.stands(a.Name):
			b.reportMissing(body, a.Name)
		case a.Required && b.isNull(a.Name):
			d := b.Errorf(b.ValueRange(a.Name), "missing_attribute", "%q is required and null", a.Name)
			d.Detail = "Null stands for an attribute that is absent. Give it a value."
		}
	}
	for _, hb := range content.Blocks {
		b.decodeInner(hb)
	}
	for _, c := range b.Spec.Blocks {
		if c.Required && b.Block(c.Type) == nil && !b.loader.unfinished[b.Range.File] {
			d := b.Errorf(b.Range, "missing_block", "%s has no %s block", b.title(), c.Type)
			d.Detail = "Add " + c.Type + " { ... } inside it."
		}
	}
}

// schema is a spec in the words of the HCL library, made once for all blocks.
func (l *loader) schema(s *BlockSpec) *hcl.BodySchema {
	if known, ok := l.schemas[s]; ok {
		return known
	}
	out := &hcl.BodySchema{}
	for _, a := range s.Attrs {
		out.Attributes = append(out.Attributes, hcl.AttributeSchema{Name: a.Name})
	}
	for _, c := range s.Blocks {
		out.Blocks = append(out.Blocks, hcl.BlockHeaderSchema{Type: c.Type, LabelNames: c.Labels})
	}
	l.schemas[s] = out
	return out
}

// isNull reports whether an attribute stands in the block with the value null.
func (b *Block) isNull(name string) bool {
	a := b.attrs[name]
	return a.null || a.expr != nil && isNullLiteral(a.hcl.Expr)
}

func (b *Block) markBroken(typ string) {
	if b.broken == nil {
		b.broken = map[string]bool{}
	}
	b.broken[typ] = true
}

func (b *Block) reportMissing(body hcl.Body, name string) {
	// An attribute that could not be told from a typing mistake is reported
	// once, as the mistake.
	if b.loader.unfinished[b.Range.File] {
		return
	}
	for _, other := range b.loader.unknownNames(body, b.Spec) {
		if suggest(other, []string{name}) != "" {
			return
		}
	}
	d := b.Errorf(b.Range, "missing_attribute", "%s has no %q", b.title(), name)
	spec := b.Spec.attr(name)
	d.Detail = "The attribute is required."
	if spec.Doc != "" {
		d.Detail = fmt.Sprintf("%s is required: %s", name, lowerFirst(spec.Doc))
	}
}

func (b *Block) decodeInner(hb *hcl.Block) {
	spec := b.Spec.block(hb.Type)
	c := b.loader.newBlock(spec, hb)
	c.secrets = b.secrets
	if spec.Open {
		if c.Spec = b.loader.variant(c, spec); c.Spec == nil {
			b.markBroken(spec.Type)
			return
		}
	}
	if first := b.Block(spec.Type); first != nil && !spec.Repeats {
		d := b.Errorf(c.Range, "duplicate_block", "%s has a second %s block", b.title(), spec.Type)
		d.Detail = "At most one is allowed. Remove one of them."
		d.Related = []Related{{first.Range, "first here"}}
		return
	}
	c.decodeBody(hb.Body)
	b.blocks = append(b.blocks, c)
}

func sortedAttrs(attrs hcl.Attributes) []string {
	names := make([]string, 0, len(attrs))
	for n := range attrs {
		names = append(names, n)
	}
	slices.SortFunc(names, func(x, y string) int {
		return attrs[x].NameRange.Start.Byte - attrs[y].NameRange.Start.Byte
	})
	return names
}

func nativeBody(b hcl.Body) *hclsyntax.Body {
	n, _ := b.(*hclsyntax.Body)
	return n
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

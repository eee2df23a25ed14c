package decl

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// unknownNames returns the attribute names in a body that its spec lacks.
func (l *loader) unknownNames(body hcl.Body, spec *BlockSpec) []string {
	var names []string
	if n := nativeBody(body); n != nil {
		for name := range n.Attributes {
			if spec.attr(name) == nil {
				names = append(names, name)
			}
		}
	}
	return names
}

// reportUnknown reports every attribute and block in a body that its spec
// lacks. remain is what a partial decoding left over.
func (b *Block) reportUnknown(body, remain hcl.Body) {
	if n := nativeBody(body); n != nil {
		for _, a := range n.Attributes {
			if b.Spec.attr(a.Name) == nil {
				b.unknownAttr(a.Name, b.loader.rng(a.NameRange))
			}
		}
		for _, c := range n.Blocks {
			if b.Spec.block(c.Type) == nil {
				b.unknownBlock(c.Type, b.loader.rng(c.TypeRange))
			}
		}
		return
	}
	attrs, _ := remain.JustAttributes() // JSON: blocks look like attributes
	for _, a := range attrs {
		if a.Name != "//" {
			b.unknownAttr(a.Name, b.loader.rng(a.NameRange))
		}
	}
}

func (b *Block) unknownAttr(name string, at Range) {
	if b.Spec.block(name) != nil {
		d := b.Errorf(at, "not_an_attribute", "%q is a block, not an attribute", name)
		d.Detail = fmt.Sprintf("Write %s { ... } without the equals sign.", name)
		return
	}
	var allowed []string
	for _, a := range b.Spec.Attrs {
		allowed = append(allowed, a.Name)
	}
	d := b.Errorf(at, "unknown_attribute", "%s has no attribute %q", b.title(), name)
	d.Detail, d.Suggestion = b.whereElse("attribute", name, allowed)
	if d.Suggestion == "text" || d.Suggestion == "json" || d.Suggestion == "blob" {
		b.markBroken("source") // the content is there, under a mistyped name
	}
}

func (b *Block) unknownBlock(name string, at Range) {
	if b.Spec.attr(name) != nil {
		d := b.Errorf(at, "not_a_block", "%q is an attribute, not a block", name)
		d.Detail = fmt.Sprintf("Write %s = ... with an equals sign.", name)
		return
	}
	d := b.Errorf(at, "unknown_block", "%s has no block %q", b.title(), name)
	d.Detail, d.Suggestion = b.whereElse("block", name, b.blockNames())
	b.markBroken(d.Suggestion)
}

func (b *Block) blockNames() []string {
	var names []string
	for _, c := range b.Spec.Blocks {
		names = append(names, c.Type)
	}
	return names
}

// whereElse says what was meant by a name that cannot stand here: another name,
// or the same one in another block.
func (b *Block) whereElse(what, name string, allowed []string) (detail, suggestion string) {
	mean, suggestion := DidYouMean(name, allowed)
	if suggestion == "" {
		asAttr := b.homes(func(s *BlockSpec) bool { return s.attr(name) != nil })
		asBlock := b.homes(func(s *BlockSpec) bool { return s.block(name) != nil })
		same, other, form := asAttr, asBlock, name+" { ... }"
		if what == "block" {
			same, other, form = asBlock, asAttr, name+" = ..."
		}
		if strings.Contains(asAttr, "source") {
			b.markBroken("source") // its content is here, so it is not missing
		}
		switch {
		case same != "":
			return fmt.Sprintf("The %s %q belongs %s. Move it there.", what, name, same), ""
		case other != "":
			return fmt.Sprintf("It belongs %s, where it is written %s", other, form), ""
		}
	}
	switch {
	case len(allowed) > 0:
		detail = fmt.Sprintf("The %ss here are %s. %s", what, list(allowed), mean)
	case what == "attribute" && len(b.Spec.Blocks) > 0:
		detail = "Only blocks can stand here: " + list(b.blockNames()) + "."
	default:
		detail = fmt.Sprintf("No %s can stand here.", what)
	}
	return strings.TrimSpace(detail), suggestion
}

// homes says where in the language something belongs that stands in the wrong
// block: "inside source \"sql\"". Blocks within b come first, then the rest.
func (b *Block) homes(has func(*BlockSpec) bool) string {
	for _, within := range []*BlockSpec{b.Spec, b.loader.root.Spec} {
		var found []string
		seen := map[*BlockSpec]bool{}
		within.walk(func(path string, s *BlockSpec) {
			if s != b.Spec && !seen[s] && has(s) {
				seen[s] = true
				found = append(found, path)
			}
		})
		if len(found) > 3 {
			found = found[:3]
		}
		if len(found) > 0 {
			return "inside " + strings.Join(found, " or ")
		}
	}
	return ""
}

// walk visits every block spec below s with the way to name it.
func (s *BlockSpec) walk(visit func(path string, s *BlockSpec)) {
	for _, c := range s.Blocks {
		if c.Open {
			visit(c.Type, c)
			for _, v := range c.Variants {
				visit(fmt.Sprintf("%s %q", c.Type, v.Type), v)
				v.walk(visit)
			}
			continue
		}
		visit(c.Type, c)
		c.walk(visit)
	}
}

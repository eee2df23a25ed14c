package decl

import (
	"strings"

	"github.com/mcpdecl/mcpdecl/uritmpl"
)

// Template parses an attribute of a source that is an RFC 6570 template over
// the parameters. It returns the template, nil after a syntax mistake, and the
// indices of the parameters that it uses.
func (c *SourceContext) Template(b *Block, attr string) (*uritmpl.Template, []int) {
	t, err := uritmpl.Parse(b.String(attr))
	if err != nil {
		b.loader.templateError(b, attr, err)
		return nil, nil
	}
	var uses []int
	for _, v := range t.Variables() {
		if i, ok := c.Variable(b, v.Name, b.At(attr, v.Offset, v.Length)); ok {
			uses = append(uses, i)
		}
	}
	return t, uses
}

// Variable finds the parameter that a template names; an unknown one is
// reported at the place.
func (c *SourceContext) Variable(b *Block, name string, at Range) (int, bool) {
	if i := c.Param(name); i >= 0 {
		return i, true
	}
	var names []string
	for _, p := range c.Params {
		names = append(names, p.Name)
	}
	d := b.Errorf(at, "unknown_parameter", "no parameter named %q", name)
	mean, candidate := DidYouMean(name, names)
	d.Detail = strings.TrimSpace(DescribeParams(c.Owner, c.URI, names) + " " + mean)
	d.Suggestion = candidate
	return 0, false
}

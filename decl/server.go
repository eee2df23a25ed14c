package decl

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// server decodes the server block, or fills in its defaults.
func (l *loader) server() {
	s := &l.config.Server
	s.PageSize = 100
	s.Name = cmp.Or(l.Name, "mcpdecl")
	var first *Block
	l.each("server", func(b *Block, body hcl.Body) {
		if first != nil {
			d := b.Errorf(b.Range, "duplicate_block", "the configuration has a second server block")
			d.Detail = fmt.Sprintf("The first one is at %s. Remove one of them.", first.Range)
			d.Related = []Related{{first.Range, "first here"}}
			return
		}
		first = b
		b.decodeBody(body)
		if b.Has("name") {
			s.Name = b.String("name")
		}
		s.Title, s.Version, s.Instructions = b.String("title"), b.String("version"), b.String("instructions")
		s.PageSize = int(b.Int("page_size"))
		s.ResourceTool = b.Bool("resource_tool")
		s.LegacyNotFound = b.Bool("legacy_not_found")
		s.Range = b.Range
	})
}

// connections decodes the connection blocks.
func (l *loader) connections() {
	seen := map[string]Range{}
	l.each("connection", func(b *Block, body hcl.Body) {
		spec := l.variant(b, b.Spec)
		if spec == nil || len(b.Labels) < 2 {
			return
		}
		b.Spec = spec
		named := l.checkName(b, b.Label(1), b.LabelRange(1), seen)
		b.decodeBody(body)
		c := &Connection{Kind: b.Label(0), Name: b.Label(1), Range: b.Range}
		for _, k := range l.Kinds.Connections {
			if k.Spec == spec {
				c.Settings = k.Decode(b)
			}
		}
		if named {
			l.config.Connections = append(l.config.Connections, c)
		}
	})
}

// reference finds the connection that an attribute names.
func (l *loader) reference(b *Block, a *attribute) *Connection {
	at := l.exprRange(a.hcl.Expr)
	t, diags := hcl.AbsTraversalForExpr(a.hcl.Expr)
	if diags.HasErrors() {
		if vars := a.hcl.Expr.Variables(); len(vars) == 1 {
			t = vars[0] // "${connection.sqlite.shop}", as JSON has it
		}
	}
	var ids []string
	for _, c := range l.config.Connections {
		ids = append(ids, "connection."+c.ID())
	}
	id := traversalText(t)
	for _, c := range l.config.Connections {
		if id == "connection."+c.ID() {
			return c
		}
	}
	if len(t) != 3 || t.RootName() != "connection" {
		d := b.Errorf(at, "not_a_reference", "connection must name a connection block")
		d.Detail = "Write connection.KIND.NAME without quotes. The configuration declares " + list(ids) + "."
		if name, ok := soleName(a.hcl.Expr, t); ok {
			d.Suggestion = l.connectionNamed(name)
		} else if len(ids) == 1 {
			d.Suggestion = ids[0]
		}
		return nil
	}
	d := b.Errorf(at, "unknown_connection", "no connection named %q", strings.TrimPrefix(id, "connection."))
	d.Detail = "The configuration declares " + list(ids) + "."
	if len(ids) == 0 {
		d.Detail = "The configuration declares no connection. Add a connection block."
	}
	candidate := l.connectionNamed(traversalText(t[2:]))
	if candidate == "" {
		_, candidate = DidYouMean(id, ids)
	}
	if candidate != "" {
		d.Suggestion = candidate
		d.Detail += "\nDid you mean " + candidate + "?"
	}
	return nil
}

// soleName is the name that was written alone: shop, or "shop".
func soleName(e hcl.Expression, t hcl.Traversal) (string, bool) {
	if len(t) == 1 {
		return t.RootName(), true
	}
	if v, diags := e.Value(nil); !diags.HasErrors() && v.Type().FriendlyName() == "string" && !v.IsNull() {
		return v.AsString(), true
	}
	return "", false
}

// connectionNamed returns the reference to the only connection of that name.
func (l *loader) connectionNamed(name string) string {
	found := ""
	for _, c := range l.config.Connections {
		if c.Name == name {
			if found != "" {
				return ""
			}
			found = "connection." + c.ID()
		}
	}
	return found
}

func traversalText(t hcl.Traversal) string {
	var parts []string
	for _, step := range t {
		switch step := step.(type) {
		case hcl.TraverseRoot:
			parts = append(parts, step.Name)
		default:
			if n, ok := stepName(step); ok {
				parts = append(parts, n)
			}
		}
	}
	return strings.Join(parts, ".")
}

package engine

import (
	"fmt"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
)

// Unavailable reports every part of a configuration that this version checks
// but cannot serve yet, as warnings; who is about to serve makes errors of
// them.
func Unavailable(c *decl.Config, kinds []sources.Kind) decl.Diagnostics {
	u := &unavailable{kinds: kinds}
	for _, conn := range c.Connections {
		u.connection(conn)
	}
	for _, r := range c.Resources {
		u.resource(r)
	}
	for _, t := range c.Tools {
		u.params(t.Params)
	}
	for _, p := range c.Prompts {
		u.add(p.Range, "prompt blocks are")
	}
	return u.found.Sort()
}

type unavailable struct {
	kinds []sources.Kind
	found decl.Diagnostics
}

// add reports a part once, however often it is used.
func (u *unavailable) add(at decl.Range, what string) {
	summary := what + " not available in this version"
	for _, d := range u.found {
		if d.Summary == summary {
			d.Related = append(d.Related, decl.Related{Range: at, Message: "also here"})
			return
		}
	}
	u.found = append(u.found, &decl.Diagnostic{
		Severity: decl.Warning, Code: "not_available", Range: at,
		Summary: summary,
		Detail:  "It is checked, but serve, read and explain refuse it. Remove it for now, or use a later version.",
	})
}

func (u *unavailable) resource(r *decl.Resource) {
	if r.Source != nil {
		u.source(r.Source)
	}
	if r.List != nil && r.List.Source != nil {
		u.source(r.List.Source)
	}
	if r.Subscribe != nil {
		u.add(r.Subscribe.Range, "subscribe blocks are")
	}
	u.params(r.Params)
}

func (u *unavailable) params(params []*decl.Param) {
	for _, p := range params {
		if p.Complete != nil {
			u.add(p.Complete.Range, "complete blocks are")
		}
	}
}

func (u *unavailable) source(s *decl.Source) {
	for _, k := range u.kinds {
		if k.Name == s.Kind && k.New == nil {
			u.add(s.Range, fmt.Sprintf("%q sources are", s.Kind))
		}
	}
}

func (u *unavailable) connection(c *decl.Connection) {
	for _, k := range u.kinds {
		for _, ck := range k.Connections {
			if ck.Spec.Type == c.Kind && !k.Serves(c.Kind) {
				u.add(c.Range, fmt.Sprintf("%q connections are", c.Kind))
			}
		}
	}
}

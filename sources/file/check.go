package file

import (
	"context"
	"fmt"
	"strings"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
)

// Check looks whether the root can be listed, and whether what does not depend
// on a request is there.
func (s *source) Check(ctx context.Context) (decl.Diagnostics, []string, error) {
	if err := s.conn.Ping(ctx); err != nil {
		return nil, nil, err
	}
	v, err := s.conn.view()
	if err != nil {
		return nil, nil, err
	}
	defer v.close()
	if t := s.settings.path; t != nil && len(t.vars) == 0 {
		name, ok := t.expand(nil)
		if ok {
			_, err = v.find(ctx, name)
		}
		if !ok || err == sources.ErrNotFound {
			return s.nothing("is named", name), nil, nil
		}
		return nil, nil, err
	}
	if g := s.settings.glob; g != nil && len(g.vars) == 0 {
		p, _ := g.expand(nil)
		found, _, err := v.glob(ctx, p, 1)
		if err == nil && len(found) == 0 {
			return s.nothing("matches", p.text), nil, nil
		}
		return nil, nil, err
	}
	return nil, nil, nil
}

// nothing warns that a read would find no file now.
func (s *source) nothing(verb, name string) decl.Diagnostics {
	d := &decl.Diagnostic{Severity: decl.Warning, Code: "no_match", Range: s.settings.at}
	d.Summary = fmt.Sprintf("no file %s %q", verb, name)
	d.Detail = fmt.Sprintf("Reads are answered with \"Resource not found\" until there is one below %q.", s.conn.settings.root)
	if !s.conn.settings.hidden && (strings.HasPrefix(name, ".") || strings.Contains(name, "/.")) {
		d.Detail += " Files below a name that begins with a dot are read with hidden = true only."
	}
	return decl.Diagnostics{d}
}

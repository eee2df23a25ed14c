package file

import (
	"context"
	"unicode/utf8"

	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/zclconf/go-cty/cty"
)

// listBudget bounds the names that one page of a list looks at.
const listBudget = 200_000

// List returns files in the order of a walk. Those that the path cannot name
// are left out, and so are those that the glob does not match. Positions are
// paths.
func (s *source) List(ctx context.Context, after string, limit int) ([]sources.ListEntry, string, error) {
	v, err := s.conn.view()
	if err != nil {
		return nil, "", err
	}
	defer v.close()
	l := &lister{source: s, view: v, ctx: ctx, limit: limit}
	w := &walker{view: v, ctx: ctx, visit: l.visit, budget: listBudget}
	if s.settings.path != nil {
		w.within = append(w.within, s.settings.path.pattern())
	}
	if g := s.settings.glob; g != nil {
		p := g.widest()
		w.within = append(w.within, p)
		w.matches = append(w.matches, p)
	}
	err = w.walk(after)
	w.report()
	switch {
	case err == errBudget:
		return l.entries, w.last, nil
	case err != nil:
		return nil, "", err
	}
	return l.entries, l.next, nil
}

// lister collects one page.
type lister struct {
	source  *source
	view    *view
	ctx     context.Context
	limit   int
	entries []sources.ListEntry
	last    string
	next    string
}

func (l *lister) visit(name string) error {
	if !utf8.ValidString(name) {
		l.source.skip(l.ctx, name)
		return nil
	}
	var params map[string]any
	if t := l.source.settings.path; t != nil {
		texts, values, ok := t.match(name)
		if !ok && l.otherForm(name) {
			texts, values, ok = t.match(composed(name))
		}
		if !ok || !l.source.matcher(values)(name) {
			return nil
		}
		params = texts
	}
	p, err := l.view.find(l.ctx, name)
	switch {
	case err == sources.ErrNotFound: // a link that leads nowhere, or a file that is gone
		return nil
	case err != nil:
		return err
	case len(l.entries) == l.limit:
		l.next = l.last
		return errStop
	}
	l.last = name
	l.entries = append(l.entries, l.entry(p, params))
	return nil
}

// otherForm reports whether a file is found by the composed form of its name,
// in which the path of a declaration is likely to be written.
func (l *lister) otherForm(name string) bool {
	other := composed(name)
	if other == name {
		return false
	}
	p, err := l.view.find(l.ctx, other)
	return err == nil && p.name == name
}

func (l *lister) entry(p place, params map[string]any) sources.ListEntry {
	s := l.source
	return sources.ListEntry{
		Name: p.name, MIMEType: mediaTypes[extension(p.name)], Size: p.info.Size(), Modified: p.info.ModTime(),
		Params: params,
		Scope:  map[string]cty.Value{contentName: cty.UnknownVal(cty.String), fileName: fileValue(p)},
		Load: func(ctx context.Context) (map[string]cty.Value, error) {
			return s.load(ctx, p.name)
		},
	}
}

// load reads the content of a listed file.
func (s *source) load(ctx context.Context, name string) (map[string]cty.Value, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	v, err := s.conn.view()
	if err != nil {
		return nil, err
	}
	defer v.close()
	c, p, err := v.read(ctx, name, func(string) bool { return true }, nil, "")
	if err != nil {
		return nil, err
	}
	return map[string]cty.Value{contentName: scopeOf(p, c)[contentName]}, nil
}

// skip logs the first name that no URI can carry.
func (s *source) skip(ctx context.Context, name string) {
	if !s.skipped.Swap(true) {
		s.conn.host.Log.WarnContext(ctx, "files whose names are not UTF-8 are not listed: no URI can name them",
			"connection", s.conn.title(), "first", name)
	}
}

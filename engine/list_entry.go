package engine

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/mcpdecl/mcpdecl/uritmpl"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// openList makes the list of a resource ready. Source is that of the list
// block, or nil for a list of the resource's own source.
func (e *Engine) openList(r *resource, source sources.Source) {
	l := &list{resource: r, decl: r.List, base: listedOf(r.Resource)}
	l.base.Title, l.base.Description = "", "" // of the template, not of each entry
	if source == nil {
		source = r.source
	}
	if lister, ok := source.(sources.Lister); ok {
		l.lister = lister
	} else {
		l.rows = source
	}
	l.matcher = r.Matcher.AllowDotSegments(dotParams(r.Params)...)
	for _, v := range r.Matcher.Template().Variables() {
		l.required = append(l.required, v.Required)
	}
	e.lists = append(e.lists, l)
}

// listEntry makes the resource of an entry. It is false for one that cannot
// be read under the URI that its values make: what is listed can be read.
func (e *Engine) listEntry(ctx context.Context, l *list, entry *sources.ListEntry) (Listed, bool) {
	scope := &entryScope{ctx: ctx, entry: entry, scope: decl.Scope{Names: entry.Scope}}
	uri, err := e.entryURI(l, scope)
	if err != nil {
		if !l.skipped.Swap(true) {
			e.host.Log.WarnContext(ctx, "entries that cannot be read are not listed", "resource", l.resource.Name,
				"first", entry.Name, "error", err)
		}
		return Listed{}, false
	}
	out := l.base
	out.URI, out.Size, out.LastModified = uri, entry.Size, entry.Modified
	scope.scope.URI = uri
	if entry.Name != "" {
		out.Name = entry.Name
	}
	if out.MIMEType == "" {
		out.MIMEType = entry.MIMEType
	}
	switch body := l.resource.Body; {
	case body.Expr() == nil:
	case body.JSON != nil:
		out.Size, out.MIMEType = -1, orElse(l.base.MIMEType, typeJSON)
	case body.Text != nil:
		out.Size, out.MIMEType = -1, orElse(l.base.MIMEType, typeText)
	default:
		out.Size, out.MIMEType = -1, orElse(l.base.MIMEType, typeBinary)
	}
	for _, x := range []struct {
		expr *decl.Expr
		to   *string
	}{
		{l.decl.Name, &out.Name}, {l.decl.Title, &out.Title},
		{l.decl.Description, &out.Description}, {l.decl.MIMEType, &out.MIMEType},
	} {
		if x.expr == nil {
			continue
		}
		if err := scope.text(x.expr, x.to); err != nil {
			e.host.Log.DebugContext(ctx, "list entry", "resource", l.resource.Name, "uri", uri, "error", err)
		}
	}
	return out, true
}

func orElse(s, other string) string {
	if s != "" {
		return s
	}
	return other
}

// entryURI makes the URI of an entry and holds it against the index.
func (e *Engine) entryURI(l *list, scope *entryScope) (string, error) {
	r := l.resource
	raw := make([]uritmpl.Value, len(r.Params))
	for i, p := range r.Params {
		v, err := scope.param(l.decl, p)
		if err != nil {
			return "", err
		}
		if v.IsList = p.Type.IsList(); !v.Present && l.required[i] {
			return "", fmt.Errorf("it has no value for the parameter %q: add params to the list block", p.Name)
		}
		raw[i] = v
	}
	want, err := convertParams(r.Params, raw)
	if err != nil {
		return "", err
	}
	uri, err := l.matcher.Expand(raw)
	if err != nil {
		return "", err
	}
	m, err := e.match(uri)
	if err != nil {
		return "", err
	}
	if m.resource != r {
		return "", fmt.Errorf("%q is answered by the resource %q", uri, m.resource.Name)
	}
	if !slices.EqualFunc(m.params, want, reflect.DeepEqual) {
		return "", fmt.Errorf("%q does not carry its values", uri)
	}
	return uri, nil
}

// entryScope evaluates the expressions of a list block over one entry.
type entryScope struct {
	ctx    context.Context
	entry  *sources.ListEntry
	scope  decl.Scope
	loaded bool
}

// param is the text of a parameter: from params, from the source, or from the
// column of the same name.
func (s *entryScope) param(l *decl.List, p *decl.Param) (uritmpl.Value, error) {
	for _, x := range l.Params {
		if x.Name == p.Name {
			v, err := s.value(x.Expr)
			if err != nil {
				return uritmpl.Value{}, err
			}
			return textValue(v)
		}
	}
	switch v := s.entry.Params[p.Name].(type) {
	case string:
		return uritmpl.Value{Present: true, Text: v}, nil
	case []string:
		return uritmpl.Value{Present: true, List: v}, nil
	}
	if row, ok := s.entry.Scope[rowName]; ok && row.Type().IsObjectType() && row.Type().HasAttribute(p.Name) {
		return textValue(row.GetAttr(p.Name))
	}
	return uritmpl.Value{}, nil
}

// value evaluates an expression; what is costly is loaded when the value
// depends on it.
func (s *entryScope) value(x *decl.Expr) (cty.Value, error) {
	v, err := x.Value(&s.scope)
	if err == nil && !v.IsWhollyKnown() && !s.loaded && s.entry.Load != nil {
		more, loadErr := s.entry.Load(s.ctx)
		if loadErr != nil {
			return cty.NilVal, loadErr
		}
		s.loaded, s.scope = true, *s.scope.With(more)
		return x.Value(&s.scope)
	}
	return v, err
}

// text stores the text of an expression; null leaves what is there.
func (s *entryScope) text(x *decl.Expr, to *string) error {
	v, err := s.value(x)
	if err != nil {
		return err
	}
	v, _ = v.UnmarkDeep()
	if v, err = convert.Convert(v, cty.String); err != nil {
		return err
	}
	if !v.IsNull() && v.IsKnown() && v.AsString() != "" {
		*to = v.AsString()
	}
	return nil
}

// textValue is how a value stands in a URI.
func textValue(v cty.Value) (uritmpl.Value, error) {
	plain, _ := v.UnmarkDeep()
	if plain.IsNull() {
		return uritmpl.Value{}, nil
	}
	if t := plain.Type(); t.IsTupleType() || t.IsListType() || t.IsSetType() {
		out := uritmpl.Value{Present: true, IsList: true}
		for it := v.ElementIterator(); it.Next(); {
			_, element := it.Element()
			one, err := textValue(element)
			if err != nil {
				return uritmpl.Value{}, err
			}
			out.List = append(out.List, one.Text)
		}
		return out, nil
	}
	if plain.Type() == cty.Number {
		digits, _ := decl.Digits(v)
		return uritmpl.Value{Present: true, Text: digits}, nil
	}
	s, err := convert.Convert(plain, cty.String)
	if err != nil || !s.IsKnown() {
		return uritmpl.Value{}, fmt.Errorf("a value of type %s cannot stand in a URI", plain.Type().FriendlyName())
	}
	return uritmpl.Value{Present: true, Text: s.AsString()}, nil
}

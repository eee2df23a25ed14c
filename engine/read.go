package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/mcpdecl/mcpdecl/uritmpl"
)

// Read answers one read of a client's URI. The error is always an *Error, and
// the result belongs to the caller.
func (e *Engine) Read(ctx context.Context, uri string) (*Result, error) {
	m, err := e.match(uri)
	if err != nil {
		return nil, err
	}
	var out *Result
	if m.resource.Cache == nil {
		out, _, err = m.answer(ctx, m.request())
	} else {
		out, err = e.cachedRead(ctx, m)
	}
	if err != nil {
		return nil, readError(uri, m.resource.Name, err)
	}
	return out, nil
}

// cachedRead answers from the cache, or asks the source and keeps the result.
func (e *Engine) cachedRead(ctx context.Context, m *match) (*Result, error) {
	block := m.resource.Cache
	hit, validator := e.cache.get(m.uri)
	if hit != nil {
		return hit, nil
	}
	req := m.request()
	req.Validator = validator
	out, res, err := m.answer(ctx, req)
	if errors.Is(err, sources.ErrNotModified) {
		if out = e.cache.refresh(m.uri); out != nil {
			return out, nil
		}
		out, res, err = m.answer(ctx, m.request()) // it left the cache meanwhile
	}
	if err != nil {
		return nil, err
	}
	if res.PerCaller {
		return out, nil // another caller may get another answer
	}
	out.TTL, out.Public = hints(block, res)
	e.cache.put(m.uri, out, res.Validator)
	return out, nil
}

// answer asks the source and renders what it returned.
func (m *match) answer(ctx context.Context, req *sources.Request) (*Result, *sources.Result, error) {
	res, err := m.run(ctx, req)
	if err != nil {
		return nil, nil, err
	}
	out, err := m.render(res)
	return out, res, err
}

// match is a URI with the declaration that answers it and its typed values.
type match struct {
	uri      string
	resource *resource
	params   []any
}

// match finds the declaration of a URI and converts its values.
func (e *Engine) match(uri string) (*match, error) {
	found, err := e.index.Find(uri)
	if err != nil {
		return nil, refused(uri, err)
	}
	if found.Entry < 0 {
		return nil, notFound(uri)
	}
	r := e.resources[found.Entry]
	raw, err := found.Values(nil)
	if err != nil {
		return nil, refused(uri, err)
	}
	params, err := convertParams(r.Params, raw)
	if err == nil {
		err = validate(r.Params, params, uri)
	}
	if err != nil {
		var broken *decl.Broken
		if errors.As(err, &broken) {
			return nil, invalidParameter(uri, broken)
		}
		return nil, readError(uri, r.Name, err)
	}
	return &match{uri, r, params}, nil
}

func (m *match) scope() *decl.Scope {
	return &decl.Scope{Params: m.resource.Params, Values: m.params, URI: m.uri}
}

func (m *match) request() *sources.Request {
	req := &sources.Request{
		URI: m.uri, Params: m.params, MIMEType: m.resource.MIMEType, Scope: m.scope(),
	}
	switch body := m.resource.Body; {
	case body.JSON != nil:
		req.Need = sources.JSONValues
	case body.Expr() != nil:
		req.Need = sources.TextValues
	}
	req.Over = m.resource.Body.Expr()
	return req
}

// run asks the source; a resource without one has an empty result.
func (m *match) run(ctx context.Context, req *sources.Request) (*sources.Result, error) {
	if m.resource.source == nil {
		return &sources.Result{}, nil
	}
	res, err := m.resource.source.Read(ctx, req)
	if err == nil && res == nil {
		return nil, fmt.Errorf("source returned no result")
	}
	return res, err
}

// convertParams makes the typed values of the parameters from the decoded texts of
// the URI; what is absent has its default, or is null.
func convertParams(params []*decl.Param, raw []uritmpl.Value) ([]any, error) {
	out := make([]any, len(params))
	for i, p := range params {
		v := raw[i]
		if !v.Present {
			out[i] = p.Default
			continue
		}
		var broken *decl.Broken
		if p.Type.IsList() {
			out[i], broken = p.ConvertStrings(v.List)
		} else {
			out[i], broken = p.ConvertString(v.Text)
		}
		if broken != nil {
			return nil, broken
		}
	}
	return out, nil
}

// validate runs the validation blocks of the parameters.
func validate(params []*decl.Param, values []any, uri string) error {
	var scope *decl.Scope
	for i, p := range params {
		for _, v := range p.Validations {
			if values[i] == nil {
				continue // absent: constraints apply to what is there
			}
			if scope == nil {
				scope = &decl.Scope{Params: params, Values: values, URI: uri}
			}
			ok, err := v.Holds(scope)
			if err != nil {
				return err
			}
			if !ok {
				return v.Broken(p.Name, scope)
			}
		}
	}
	return nil
}

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
	res, err := m.run(ctx)
	if err != nil {
		return nil, readError(uri, m.resource.Name, err)
	}
	out, err := m.render(res)
	if err != nil {
		return nil, readError(uri, m.resource.Name, err)
	}
	return out, nil
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
func (m *match) run(ctx context.Context) (*sources.Result, error) {
	if m.resource.source == nil {
		return &sources.Result{}, nil
	}
	res, err := m.resource.source.Read(ctx, m.request())
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

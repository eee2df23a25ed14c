package http

import (
	"context"
	"errors"
	"fmt"
	nethttp "net/http"
	"net/url"
	"slices"

	"github.com/hashicorp/go-retryablehttp"
	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// answer is what the backend sent, with its body read and decoded.
type answer struct {
	status int
	header nethttp.Header
	body   []byte
}

// url is the URL of a read.
func (s *source) url(req *sources.Request) (*url.URL, error) {
	if s.fixed != nil {
		return s.fixed, nil // nobody changes the URL of a request
	}
	u, broken := s.settings.target.url(s.conn.settings.base, req.Params)
	if broken != nil {
		return nil, broken
	}
	return u, nil
}

// ask sends the request, with retries, and reads the answer. Statuses that are
// no result have become errors.
func (s *source) ask(ctx context.Context, req *sources.Request) (*answer, error) {
	u, err := s.url(req)
	if err != nil {
		return nil, err
	}
	header, err := s.header(ctx, req)
	if err != nil {
		return nil, err
	}
	body, err := s.requestBody(req, header)
	if err != nil {
		return nil, err
	}
	a := &attempts{conn: s.conn, max: s.retries(), now: s.clock()}
	a.deadline, _ = ctx.Deadline()
	if s.conn.tokens != nil {
		if a.token, err = s.conn.tokens.get(ctx); err != nil {
			return nil, err
		}
		header.Set("Authorization", a.token.Type()+" "+a.token.AccessToken)
	}
	var raw any // an empty []byte would be a body of unknown length
	if len(body) > 0 {
		raw = body
	}
	out, err := retryablehttp.NewRequestWithContext(ctx, s.settings.method, "http://replaced/", raw)
	if err != nil {
		return nil, errors.New("make request: it is not valid")
	}
	out.URL, out.Host, out.Header = u, u.Host, header
	return s.send(a, out)
}

// send runs the attempts. The body is read within them, so that one that is cut
// short is asked for again.
func (s *source) send(a *attempts, out *retryablehttp.Request) (*answer, error) {
	result := &answer{}
	out.SetResponseHandler(func(resp *nethttp.Response) (err error) {
		if resp.StatusCode < 200 || resp.StatusCode > 299 || s.settings.method == nethttp.MethodHead {
			discard(resp)
			return nil
		}
		defer resp.Body.Close()
		result.body, err = readBody(resp, s.limits.maxBytes, s.sizeHint.Load()+64)
		return err
	})
	resp, err := a.client().Do(out)
	if resp != nil {
		resp.Body.Close()
	}
	if err != nil {
		return nil, plainCause(err)
	}
	result.status, result.header = resp.StatusCode, resp.Header
	if err := s.statusError(resp); err != nil {
		return nil, err
	}
	if len(result.body) == 0 && s.settings.method != nethttp.MethodHead {
		return nil, fmt.Errorf("%w: the body is empty", sources.ErrNotFound)
	}
	s.sizeHint.Store(int64(len(result.body)))
	return result, nil
}

func (s *source) retries() int {
	if s.settings.method == nethttp.MethodPost && !s.settings.idempotent {
		return 0
	}
	return s.conn.settings.retry.max
}

// statusError says what a status means.
func (s *source) statusError(resp *nethttp.Response) error {
	status := resp.StatusCode
	switch {
	case slices.Contains(s.settings.notFound, status):
		return fmt.Errorf("%w: status %d", sources.ErrNotFound, status)
	case status == nethttp.StatusNoContent || status == nethttp.StatusResetContent:
		return fmt.Errorf("%w: status %d", sources.ErrNotFound, status)
	case status == nethttp.StatusNotModified && resp.Request != nil && isConditional(resp.Request.Header):
		return sources.ErrNotModified
	case status >= 200 && status <= 299 && status != nethttp.StatusPartialContent:
		return nil
	case status == 401 || status == 403:
		return &CredentialsError{Status: status}
	case status == nethttp.StatusProxyAuthRequired:
		return &CredentialsError{Status: status, Detail: "those for the proxy"}
	case status == 429:
		asked, _ := retryAfter(resp, s.clock())
		return &RateLimitedError{Status: status, RetryAfter: asked}
	case status >= 500:
		return &UnavailableError{Status: status}
	}
	return &StatusError{Status: status}
}

// header is the header of the request: that of the connection, what the caller
// sent of the allowed names, and that of the source.
func (s *source) header(ctx context.Context, req *sources.Request) (nethttp.Header, error) {
	h := s.conn.header.Clone()
	if len(s.conn.settings.forward) > 0 {
		caller := sources.CallerHeader(ctx)
		for _, name := range s.conn.settings.forward {
			if values := caller[name]; len(values) > 0 {
				h[name] = slices.Clone(values)
			}
		}
	}
	for _, e := range s.settings.headers {
		value, ok, err := e.evaluate(req)
		if err != nil {
			return nil, err
		}
		if ok && !validHeaderValue(value) {
			return nil, e.broken(req)
		}
		if ok {
			h[e.name] = []string{value}
		}
	}
	if s.settings.method != nethttp.MethodPost {
		setConditions(h, req.Validator)
	}
	for name, values := range h {
		for _, v := range values {
			if !validHeaderValue(v) {
				return nil, &HeaderError{Name: name}
			}
		}
	}
	return h, nil
}

// broken blames the parameter that brings what a header cannot carry, or the
// configuration when none does. A value is not part of it.
func (e *headerExpr) broken(req *sources.Request) error {
	used := e.expr.Members("param")
	for i, p := range req.Scope.Params {
		if _, ok := used[p.Name]; !ok {
			continue
		}
		if text, ok := req.Scope.Values[i].(string); ok && !validHeaderValue(text) {
			return &decl.Broken{Parameter: p.Name, Rule: "headers",
				Message: "it has a line break or another control character, which the header " + e.name + " cannot carry"}
		}
	}
	return &HeaderError{Name: e.name}
}

// evaluate returns the value of a header; false when it is null.
func (e *headerExpr) evaluate(req *sources.Request) (string, bool, error) {
	if e.value != nil {
		return *e.value, true, nil
	}
	v, secret, err := e.expr.SecretValue(req.Scope)
	if err != nil {
		return "", false, fmt.Errorf("evaluate header %s: %w", e.name, err)
	}
	text, ok := headerText(v)
	if secret {
		text = trimNewline(text)
	}
	return text, ok, nil
}

// requestBody evaluates body or json_body; nil is none.
func (s *source) requestBody(req *sources.Request, header nethttp.Header) ([]byte, error) {
	b := s.settings.body
	if b == nil {
		return nil, nil
	}
	v, _, err := b.expr.SecretValue(req.Scope)
	if err != nil {
		return nil, fmt.Errorf("evaluate the request's body: %w", err)
	}
	contentType := "text/plain; charset=utf-8"
	var data []byte
	if b.json {
		contentType = "application/json"
		data, err = appendValue(nil, v, nil)
	} else {
		data, err = plainText(v)
	}
	if err != nil {
		return nil, fmt.Errorf("evaluate the request's body: %w", err)
	}
	if header.Get("Content-Type") == "" {
		header.Set("Content-Type", contentType)
	}
	return data, nil
}

func plainText(v cty.Value) ([]byte, error) {
	v, _ = v.UnmarkDeep()
	text, err := convert.Convert(v, cty.String)
	if err != nil {
		return nil, fmt.Errorf("it is of type %s, not a string", v.Type().FriendlyName())
	}
	if text.IsNull() {
		return nil, errors.New("it is null")
	}
	return []byte(text.AsString()), nil
}

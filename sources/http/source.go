package http

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
)

// source answers reads with the answer to one request.
type source struct {
	conn     *connection
	settings *sourceSettings
	limits   limits
	now      func() time.Time
	// sizeHint is the size of the last body: the next one is likely to be as
	// long, and then its buffer never grows.
	sizeHint atomic.Int64
	// fixed is the URL where it has no variables.
	fixed *url.URL
	// types is the media type of the last body, by the header that said it.
	types atomic.Pointer[mediaHeader]
}

func (s *source) clock() func() time.Time {
	if s.now == nil {
		return time.Now
	}
	return s.now
}

// Read sends the request once, or as often as its retries allow. A value that
// cannot stand in the URL is a *decl.Broken.
func (s *source) Read(ctx context.Context, req *sources.Request) (*sources.Result, error) {
	bounded, cancel := context.WithTimeout(ctx, s.limits.timeout)
	defer cancel()
	defer context.AfterFunc(s.conn.closing, cancel)()
	a, err := s.ask(bounded, req)
	if err == nil {
		var res *sources.Result
		if res, err = s.result(req, a); err == nil {
			res.TTL, res.Private, res.Validator = freshness(a.header), says(a.header, "private"), validator(a.header)
			res.PerCaller = len(s.conn.settings.forward) > 0
			return res, nil
		}
	}
	var broken *decl.Broken
	if errors.As(err, &broken) {
		return nil, broken
	}
	return nil, s.conn.failure(ctx, bounded, s.limits.timeout, err)
}

// result makes of an answer what the request needs.
func (s *source) result(req *sources.Request, a *answer) (*sources.Result, error) {
	switch {
	case req.Need != sources.Contents:
		return s.scope(req, a)
	case s.settings.picks():
		return s.itemContents(req, a)
	}
	c := s.passThrough(a, req.MIMEType)
	if int64(len(c.Data)) > s.limits.maxBytes { // it was transcoded
		return nil, &TooLargeError{Limit: s.limits.maxBytes}
	}
	return &sources.Result{Contents: []sources.Content{c}}, nil
}

const hidden = "(secret)"

// Explain says what would be sent.
func (s *source) Explain(req *sources.Request) (*sources.Plan, error) {
	u, err := s.url(req)
	if err != nil {
		return nil, fmt.Errorf("explain the request: %w", err)
	}
	base := s.conn.settings.base
	origin, rest := base.Scheme+"://"+base.Host+base.EscapedPath(), u.EscapedPath()
	rest = strings.TrimPrefix(rest, base.EscapedPath())
	if u.RawQuery != "" {
		rest += "?" + u.RawQuery
	}
	if s.conn.settings.baseSecret {
		origin = hidden
	}
	if s.settings.urlSecret {
		rest = "/" + hidden
	}
	plan := &sources.Plan{Kind: "http", Connection: s.conn.id, Method: s.settings.method, URL: origin + rest}
	for _, h := range s.settings.headers {
		value, ok, err := h.evaluate(req)
		switch {
		case err != nil:
			return nil, fmt.Errorf("explain the request: %w", err)
		case !ok:
			continue
		case h.expr.Secret:
			value = hidden
		case !validHeaderValue(value):
			return nil, fmt.Errorf("explain the request: %w", h.broken(req))
		}
		plan.Bound = append(plan.Bound, sources.Bound{Name: "header " + h.name, Value: value})
	}
	if b := s.settings.body; b != nil {
		value := hidden
		if !b.expr.Secret {
			data, err := s.requestBody(req, s.conn.header.Clone())
			if err != nil {
				return nil, fmt.Errorf("explain the request: %w", err)
			}
			value = string(data)
		}
		plan.Bound = append(plan.Bound, sources.Bound{Name: "body", Value: value})
	}
	return plan, nil
}

package http

import (
	"io"
	nethttp "net/http"
	"net/url"
	"strings"
)

const maxRedirects = 5

// follower is a round tripper that follows redirects by the rules of the
// connection, so that the client above it never sees one. It has no
// CloseIdleConnections on purpose: one failed read must not take away the
// connections of the others.
type follower struct {
	next       nethttp.RoundTripper
	sameOrigin bool // else none is followed
	// forward are the headers of the caller, which are for the first request
	// only.
	forward []string
}

// RoundTrip sends the request and those that its redirects ask for.
func (f *follower) RoundTrip(req *nethttp.Request) (*nethttp.Response, error) {
	for hops := 0; ; hops++ {
		resp, err := f.next.RoundTrip(req)
		if err != nil || !isRedirect(resp) {
			return resp, err
		}
		next, refused := f.redirected(req, resp, hops)
		discard(resp)
		if refused != nil {
			return nil, refused
		}
		req = next
	}
}

// discard closes a body that nobody wants. A short one is read to its end, so
// that the connection can be used again; others might take their time.
func discard(resp *nethttp.Response) {
	if resp.ContentLength > 0 && resp.ContentLength <= 16<<10 {
		_, _ = io.Copy(io.Discard, resp.Body)
	}
	resp.Body.Close()
}

func isRedirect(resp *nethttp.Response) bool {
	switch resp.StatusCode {
	case 301, 302, 303, 307, 308:
		return resp.Header.Get("Location") != ""
	}
	return false
}

// redirected makes the request that a redirect asks for, or says why not.
func (f *follower) redirected(req *nethttp.Request, resp *nethttp.Response, hops int) (*nethttp.Request, error) {
	refuse := func(host, reason string) error {
		return &RedirectError{Status: resp.StatusCode, Host: host, Reason: reason}
	}
	loc, err := url.Parse(resp.Header.Get("Location"))
	if err != nil {
		return nil, refuse("", "the location is not a URL")
	}
	to := req.URL.ResolveReference(loc)
	switch {
	case !f.sameOrigin:
		return nil, refuse(to.Host, "redirects are not followed")
	case !sameOrigin(req.URL, to) || to.User != nil:
		return nil, refuse(to.Host, "it leaves the origin of base_url")
	case hops == maxRedirects:
		return nil, refuse(to.Host, "there are too many")
	case req.Method == nethttp.MethodPost && resp.StatusCode < 307:
		return nil, refuse(to.Host, "a POST would become a GET")
	}
	to.Fragment, to.RawFragment = "", ""
	next := req.Clone(req.Context())
	next.URL = to
	for _, name := range f.forward {
		next.Header.Del(name)
	}
	if req.GetBody != nil {
		if next.Body, err = req.GetBody(); err != nil {
			return nil, err
		}
	}
	return next, nil
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}

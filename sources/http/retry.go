package http

import (
	"context"
	"crypto/tls"
	"errors"
	"math/rand/v2"
	nethttp "net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"golang.org/x/oauth2"
)

const (
	defaultMinWait = 100 * time.Millisecond
	defaultMaxWait = 2 * time.Second
)

// attempts is the policy for the attempts of one read. It decides in check
// whether there is a next one, and then how long the wait before it is: never
// beyond max_wait, and never for a time that the deadline does not leave.
type attempts struct {
	conn     *connection
	max      int
	deadline time.Time
	now      func() time.Time

	done  int // retries that were decided
	wait  time.Duration
	token *oauth2.Token // that of the next attempt; nil without oauth2
	fresh bool          // the token was asked for after a 401
}

// client is a retrying client with this policy. Its own logger and its errors,
// which hold the URL, are not used.
func (a *attempts) client() *retryablehttp.Client {
	return &retryablehttp.Client{
		HTTPClient: a.conn.client,
		Logger:     nil,
		RetryMax:   a.max + 1, // the policy counts; one more is for a new token
		CheckRetry: a.check,
		Backoff:    func(_, _ time.Duration, _ int, _ *nethttp.Response) time.Duration { return a.wait },
		ErrorHandler: func(resp *nethttp.Response, err error, _ int) (*nethttp.Response, error) {
			return resp, err
		},
		PrepareRetry: a.prepare,
	}
}

func (a *attempts) check(ctx context.Context, resp *nethttp.Response, err error) (bool, error) {
	if ctx.Err() != nil {
		return false, nil
	}
	if err == nil && resp.StatusCode == nethttp.StatusUnauthorized && a.token != nil && !a.fresh {
		a.conn.tokens.drop(a.token)
		a.fresh, a.wait = true, 0
		a.note(ctx, resp, err)
		return true, nil
	}
	if a.done >= a.max || err != nil && !isTransient(err) || err == nil && !isRetried(resp.StatusCode) {
		return false, nil
	}
	r := a.conn.settings.retry
	wait := backoff(r, a.done)
	if asked, ok := retryAfter(resp, a.now); ok && err == nil {
		if asked > r.maxWait {
			return false, nil
		}
		wait = max(wait, asked)
	}
	if a.now().Add(wait).After(a.deadline) {
		return false, nil
	}
	a.done, a.wait = a.done+1, wait
	a.note(ctx, resp, err)
	return true, nil
}

// note logs why there is a next attempt. An error has no URL and nothing of an
// answer in it.
func (a *attempts) note(ctx context.Context, resp *nethttp.Response, err error) {
	attrs := []any{"connection", a.conn.id, "wait", a.wait}
	if err != nil {
		attrs = append(attrs, "error", a.conn.hidden(plainCause(err)))
	} else {
		attrs = append(attrs, "status", resp.StatusCode)
	}
	a.conn.log.DebugContext(ctx, "asking the backend again", attrs...)
}

// prepare gives a new attempt the new token.
func (a *attempts) prepare(req *nethttp.Request) error {
	if a.token == nil {
		return nil
	}
	var err error
	if a.token, err = a.conn.tokens.get(req.Context()); err != nil {
		return err
	}
	// The last attempt may still be writing the header that they share.
	req.Header = req.Header.Clone()
	a.token.SetAuthHeader(req)
	return nil
}

// backoff doubles the wait with each retry, up to a quarter less so that
// clients that failed together do not come back together.
func backoff(r retrySettings, retries int) time.Duration {
	wait := r.minWait << min(retries, 20)
	if wait > r.maxWait || wait < r.minWait {
		wait = r.maxWait
	}
	return wait - time.Duration(rand.Int64N(int64(wait/4)+1))
}

// retryAfter is what the backend asks to wait (RFC 9110, section 10.2.3).
func retryAfter(resp *nethttp.Response, now func() time.Time) (time.Duration, bool) {
	if resp == nil {
		return 0, false
	}
	text := strings.TrimSpace(resp.Header.Get("Retry-After"))
	if n, err := strconv.ParseInt(text, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		if n < 0 {
			return 0, false
		}
		return time.Duration(min(n, 1<<31)) * time.Second, true // n is the largest where it is too large
	}
	at, err := nethttp.ParseTime(text)
	if err != nil {
		return 0, false
	}
	return max(0, at.Sub(now())), true
}

func isRetried(status int) bool {
	switch status {
	case 429, 500, 502, 503, 504:
		return true
	}
	return false
}

// isTransient reports whether another attempt may go better: the backend could
// not be reached, or closed the connection on the way.
func isTransient(err error) bool {
	err = plainCause(err)
	var down *UnavailableError
	var cut *cutError
	if errors.As(err, &cut) {
		return true
	}
	if !errors.As(err, &down) {
		return false
	}
	var address *AddressError
	var verify *tls.CertificateVerificationError
	return !errors.As(err, &address) && !errors.As(err, &verify)
}

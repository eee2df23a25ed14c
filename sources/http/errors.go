package http

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcpdecl/mcpdecl/sources"
)

// ErrClosed says that the connection was closed, at a reload or at the end.
var ErrClosed = errors.New("connection is closed")

// publicReason is an error with a reason that a client may see: constant words
// and statuses, nothing that a backend wrote.
type publicReason interface {
	error
	public() string
}

// CredentialsError says that the backend, or the token endpoint, did not take
// the credentials of the connection.
type CredentialsError struct {
	Status int
	Detail string // for the log
}

func (e *CredentialsError) Error() string {
	return fmt.Sprintf("upstream refused our credentials (status %d)%s", e.Status, detail(e.Detail))
}

func (e *CredentialsError) public() string {
	return fmt.Sprintf("upstream refused our credentials (status %d)", e.Status)
}

// RateLimitedError says that the backend wants fewer requests.
type RateLimitedError struct {
	Status     int
	RetryAfter time.Duration // 0: it did not say
}

func (e *RateLimitedError) Error() string {
	if e.RetryAfter > 0 {
		return fmt.Sprintf("%s: it asks to wait for %s", e.public(), e.RetryAfter)
	}
	return e.public()
}

func (e *RateLimitedError) public() string {
	return fmt.Sprintf("upstream rate limited (status %d)", e.Status)
}

// UnavailableError says that the backend could not be reached (Status 0) or
// failed. Cause holds no URL and no secret.
type UnavailableError struct {
	Status int
	Cause  error
}

func (e *UnavailableError) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("%s: %v", e.public(), e.Cause)
	}
	return e.public()
}

// Unwrap returns the cause.
func (e *UnavailableError) Unwrap() error { return e.Cause }

func (e *UnavailableError) public() string {
	if e.Status == 0 {
		return "upstream unavailable"
	}
	return fmt.Sprintf("upstream unavailable (status %d)", e.Status)
}

// StatusError says that the backend answered with a status that is no result.
type StatusError struct {
	Status int
}

func (e *StatusError) Error() string { return e.public() }
func (e *StatusError) public() string {
	return fmt.Sprintf("upstream answered with status %d", e.Status)
}

// BodyError says that the body of an answer cannot be used. Reason is for the
// log and quotes nothing of it.
type BodyError struct {
	Reason string
}

func (e *BodyError) Error() string  { return e.public() + detail(e.Reason) }
func (e *BodyError) public() string { return "upstream sent a body that cannot be used" }

// TooLargeError says that a body outgrew max_bytes.
type TooLargeError struct {
	Limit int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s: it exceeds max_bytes (%d bytes)", e.public(), e.Limit)
}

func (e *TooLargeError) public() string { return "upstream sent a body that is too large" }

// RedirectError says that a redirect was not followed.
type RedirectError struct {
	Status int
	Host   string // where it leads, as the backend wrote it
	Reason string
}

func (e *RedirectError) Error() string {
	to := ""
	if e.Host != "" {
		to = fmt.Sprintf(" to host %q", shorten(e.Host))
	}
	return fmt.Sprintf("upstream redirected%s (status %d): %s", to, e.Status, e.Reason)
}

func (e *RedirectError) public() string {
	return fmt.Sprintf("upstream redirected (status %d), which is not followed", e.Status)
}

// TimeoutError says that a read did not end within its timeout.
type TimeoutError struct {
	After time.Duration
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("%s: the read exceeded its timeout %s", e.public(), e.After)
}

func (e *TimeoutError) public() string { return "upstream did not answer in time" }

// AddressError says that a name stands for an address that the connection may
// not reach.
type AddressError struct {
	Address string
}

func (e *AddressError) Error() string {
	return fmt.Sprintf("address %s is not public, and allow_private is not set", e.Address)
}

// HeaderError says that the value of a header has a control character. The
// value is not part of it.
type HeaderError struct {
	Name string
}

func (e *HeaderError) Error() string {
	return fmt.Sprintf("set header %s: the value has a line break or another control character", e.Name)
}

func detail(s string) string {
	if s == "" {
		return ""
	}
	return ": " + s
}

func shorten(s string) string {
	if len(s) > 100 {
		return s[:100] + "..."
	}
	return s
}

// failure gives the error of a read its final form.
func (c *connection) failure(caller, bounded context.Context, after time.Duration, err error) error {
	if errors.Is(err, sources.ErrNotFound) || errors.Is(err, sources.ErrNotModified) {
		return err
	}
	if cause := caller.Err(); cause != nil {
		return fmt.Errorf("request %s: %w", c.id, cause)
	}
	if c.closing.Err() != nil {
		return fmt.Errorf("request %s: %w", c.id, ErrClosed)
	}
	if bounded.Err() != nil && !isFinal(err) {
		err = &TimeoutError{After: after}
	}
	var reason publicReason
	if !errors.As(err, &reason) {
		return fmt.Errorf("request %s: %w", c.id, err)
	}
	return fmt.Errorf("request %s: %w", c.id, &sources.PublicError{Message: reason.public(), Err: c.hidden(err)})
}

// isFinal reports whether the error says more than that the time was over.
func isFinal(err error) bool {
	var reason publicReason
	if !errors.As(err, &reason) {
		return false
	}
	var down *UnavailableError
	return !errors.As(err, &down) || down.Status != 0
}

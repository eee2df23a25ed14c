package http

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"
)

// proxyError says that a proxy did not make a tunnel.
type proxyError struct{ status int }

func (e *proxyError) Error() string {
	return fmt.Sprintf("connect through the proxy: it answered with status %d", e.status)
}

// plainCause rewords an error of the HTTP library: without the URL that it
// puts into everything, and saying which step failed.
func plainCause(err error) error {
	var u *url.Error
	for errors.As(err, &u) {
		err = u.Err
	}
	var own publicReason
	var address *AddressError
	var header *HeaderError
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &address):
		return &UnavailableError{Cause: address}
	case errors.As(err, &header):
		return header
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return &UnavailableError{Cause: step(err)}
}

// step names the step of a request that failed.
func step(err error) error {
	var dns *net.DNSError
	var op *net.OpError
	var refused *proxyError
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return fmt.Errorf("connect to the proxy: %w", inner(op))
	case errors.As(err, &dns):
		return fmt.Errorf("resolve the host name: %w", errors.New(dns.Err))
	case isTLS(err):
		return fmt.Errorf("TLS handshake: %w", err)
	case errors.As(err, &op) && op.Op == "remote error":
		return fmt.Errorf("TLS handshake: the other side says: %w", op.Err)
	case errors.As(err, &op) && op.Op == "dial":
		return fmt.Errorf("connect: %w", inner(op))
	case errors.As(err, &op):
		return fmt.Errorf("%s: %w", op.Op, op.Err)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the connection was closed before the answer")
	}
	return known(err)
}

// knownFailures are phrases of the HTTP library. Its errors may quote what the
// backend sent, and that may repeat what we sent; so nothing else of them is
// shown.
var knownFailures = []string{
	"server gave HTTP response to HTTPS client", "TLS handshake timeout", "server closed idle connection", "server sent GOAWAY",
	"stream error", "malformed HTTP response", "malformed HTTP status code", "malformed HTTP version", "malformed MIME header",
	"malformed chunked encoding", "invalid byte in chunk length", "bad Content-Length", "unsupported transfer encoding",
	"server response headers exceeded", "header list too large", "too many 1xx informational responses", "unsupported protocol scheme",
}

func known(err error) error {
	text := err.Error()
	for _, phrase := range knownFailures {
		if strings.Contains(text, phrase) {
			return errors.New(phrase)
		}
	}
	return errors.New("the answer is not valid HTTP")
}

// inner is the cause of a failed dial without the address.
func inner(op *net.OpError) error {
	var number syscall.Errno
	if errors.As(op.Err, &number) {
		return number
	}
	var below *net.OpError
	if errors.As(op.Err, &below) {
		return inner(below)
	}
	return op.Err
}

func isTLS(err error) bool {
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var name x509.HostnameError
	var verify *tls.CertificateVerificationError
	var alert tls.AlertError
	var record tls.RecordHeaderError
	return errors.As(err, &unknown) || errors.As(err, &invalid) || errors.As(err, &name) || errors.As(err, &verify) ||
		errors.As(err, &alert) || errors.As(err, &record)
}

package http

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	nethttp "net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcpdecl/mcpdecl/sources"
)

// connection is one backend: how it is reached, and what every request to it
// carries.
type connection struct {
	id       string
	log      *slog.Logger
	settings *settings
	header   nethttp.Header // of every request; never changed
	wire     *wire
	client   *nethttp.Client
	tokens   *tokens // nil without oauth2
	tls      *tls.Config
	// closing is done when the connection is closed.
	closing context.Context
	end     context.CancelFunc
	wires   []*wire
}

func openConnection(host sources.Host, id string, s *settings) (*connection, error) {
	c := &connection{id: id, log: host.Log, settings: s, header: nethttp.Header{"User-Agent": {"mcpdecl"}}}
	for _, h := range s.headers {
		c.header[h.name] = []string{h.value}
	}
	if s.authorization != "" {
		c.header.Set("Authorization", s.authorization)
	}
	var err error
	if c.tls, err = newTLS(host, s); err != nil {
		return nil, err
	}
	if c.wire, err = c.newWire(host, s.base); err != nil {
		return nil, err
	}
	c.client = &nethttp.Client{Transport: &follower{next: c.wire.transport, sameOrigin: s.sameOrigin, forward: s.forward}}
	if s.oauth2 != nil {
		w, err := c.newWire(host, s.oauth2.tokenURL)
		if err != nil {
			return nil, err
		}
		c.tokens = newTokens(s.oauth2, w.transport)
	}
	c.closing, c.end = context.WithCancel(context.Background())
	return c, nil
}

func (c *connection) newWire(host sources.Host, u *url.URL) (*wire, error) {
	w, err := newWire(host, c.settings, u, c.tls.Clone())
	if err != nil {
		return nil, err
	}
	c.wires = append(c.wires, w)
	return w, nil
}

// Close ends running requests and closes what is kept open.
func (c *connection) Close() error {
	c.end()
	for _, w := range c.wires {
		w.transport.CloseIdleConnections()
	}
	return nil
}

// Ping reaches the backend: it resolves the name, connects and shakes hands,
// and asks for the health path where there is one.
func (c *connection) Ping(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, c.settings.limits.timeout)
	defer cancel()
	defer context.AfterFunc(c.closing, cancel)()
	var step string
	var err error
	if c.settings.health != "" || c.wire.proxy != nil {
		step, err = c.pingHealth(bounded)
	} else {
		step, err = c.pingSocket(bounded)
	}
	if err == nil && c.settings.health == "" && c.tokens != nil {
		step = "the request for a token"
		_, err = c.tokens.get(bounded)
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s failed: %w", step, c.failure(ctx, bounded, c.settings.limits.timeout, err))
}

func (c *connection) pingSocket(ctx context.Context) (step string, err error) {
	base := c.settings.base
	conn, err := c.wire.dialer.DialContext(ctx, "tcp", net.JoinHostPort(base.Hostname(), port(base)))
	if err != nil {
		return "connecting", plainCause(err)
	}
	defer conn.Close()
	if base.Scheme != "https" {
		return "", nil
	}
	config := c.tls.Clone()
	config.ServerName = base.Hostname()
	secure := tls.Client(conn, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		return "the TLS handshake", plainCause(err)
	}
	return "the TLS handshake", certificateWanted(secure)
}

// certificateWanted waits a moment for what a server of TLS 1.3 says after the
// handshake: only there it refuses a client without a certificate. A server
// that is content says nothing before it is asked something.
func certificateWanted(conn *tls.Conn) error {
	_ = conn.SetReadDeadline(time.Now().Add(certificateWait))
	var alert *net.OpError
	if _, err := conn.Read(make([]byte, 1)); errors.As(err, &alert) && alert.Op == "remote error" {
		return plainCause(err)
	}
	return nil
}

// certificateWait is longer than an answer takes from another continent.
const certificateWait = 500 * time.Millisecond

// pingHealth asks for the health path; without one any answer will do.
func (c *connection) pingHealth(ctx context.Context) (step string, err error) {
	base := c.settings.base
	method, text := nethttp.MethodGet, base.Scheme+"://"+base.Host+base.EscapedPath()+c.settings.health
	if c.settings.health == "" {
		method = nethttp.MethodHead
	}
	step = "the health request " + method + " " + cmp.Or(c.settings.health, "/")
	req, err := nethttp.NewRequestWithContext(ctx, method, text, nil)
	if err != nil || !within(base, req.URL) {
		return step, errors.New("it leaves the base URL")
	}
	req.Header = c.header.Clone()
	if c.tokens != nil {
		token, err := c.tokens.get(ctx)
		if err != nil {
			return "the request for a token", err
		}
		token.SetAuthHeader(req)
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return step, plainCause(err)
	}
	resp.Body.Close()
	if c.settings.health == "" || resp.StatusCode >= 200 && resp.StatusCode <= 299 {
		return "", nil
	}
	s := &source{conn: c, settings: &sourceSettings{}, now: time.Now}
	return step, s.statusError(resp)
}

// hidden takes the backend's name out of an error's text where the base URL is
// a secret.
func (c *connection) hidden(err error) error {
	if !c.settings.baseSecret {
		return err
	}
	text := strings.ReplaceAll(err.Error(), c.settings.base.Host, "(secret)")
	text = strings.ReplaceAll(text, c.settings.base.Hostname(), "(secret)")
	if text == err.Error() {
		return err
	}
	return &hiddenError{text, err}
}

// hiddenError is an error with another text.
type hiddenError struct {
	text string
	err  error
}

func (e *hiddenError) Error() string { return e.text }
func (e *hiddenError) Unwrap() error { return e.err }

package http

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	nethttp "net/http"
	"net/url"
	"time"

	"github.com/mcpdecl/mcpdecl/sources"
	"golang.org/x/net/http/httpproxy"
)

// maxHeaderBytes bounds the header of an answer.
const maxHeaderBytes = 1 << 20

// wire is how one origin is reached.
type wire struct {
	transport *nethttp.Transport
	dialer    *net.Dialer
	proxy     *url.URL // nil: directly
}

// newWire makes the transport for the origin of u. The origin of a request
// never changes, so neither does its proxy.
func newWire(host sources.Host, s *settings, u *url.URL, tlsConfig *tls.Config) (*wire, error) {
	w := &wire{dialer: &net.Dialer{KeepAlive: 30 * time.Second}, proxy: s.proxy}
	if w.proxy == nil {
		var err error
		if w.proxy, err = environmentProxy(host, u); err != nil {
			return nil, err
		}
	}
	if w.proxy == nil {
		w.dialer.ControlContext = policyFor(u, s.allowPrivate).control
	}
	w.transport = &nethttp.Transport{
		DialContext:            w.dialer.DialContext,
		TLSClientConfig:        tlsConfig,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           256,
		MaxIdleConnsPerHost:    64,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
	if w.proxy != nil {
		w.transport.Proxy = nethttp.ProxyURL(w.proxy)
		w.transport.OnProxyConnectResponse = func(_ context.Context, _ *url.URL, _ *nethttp.Request, resp *nethttp.Response) error {
			if resp.StatusCode != nethttp.StatusOK {
				return &proxyError{resp.StatusCode}
			}
			return nil
		}
	}
	return w, nil
}

// environmentProxy reads the usual variables: HTTP_PROXY, HTTPS_PROXY,
// NO_PROXY, and their lower-case forms.
func environmentProxy(host sources.Host, u *url.URL) (*url.URL, error) {
	if host.LookupEnv == nil {
		return nil, nil
	}
	env := func(upper, lower string) string {
		if v, ok := host.LookupEnv(upper); ok && v != "" {
			return v
		}
		v, _ := host.LookupEnv(lower)
		return v
	}
	_, cgi := host.LookupEnv("REQUEST_METHOD")
	config := httpproxy.Config{
		HTTPProxy: env("HTTP_PROXY", "http_proxy"), HTTPSProxy: env("HTTPS_PROXY", "https_proxy"),
		NoProxy: env("NO_PROXY", "no_proxy"), CGI: cgi,
	}
	p, err := config.ProxyFunc()(u)
	if err != nil {
		// The error would show the variable, and a password in it.
		return nil, fmt.Errorf("read the proxy of the environment: it is not a URL")
	}
	return p, nil
}

// newTLS reads the certificates of a connection.
func newTLS(host sources.Host, s *settings) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.caFile != "" {
		pem, err := host.ReadFile(s.caFile)
		if err != nil {
			return nil, fmt.Errorf("read ca_file: %w", err)
		}
		if c.RootCAs, err = x509.SystemCertPool(); err != nil {
			c.RootCAs = x509.NewCertPool()
		}
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("read ca_file %s: it has no certificate in PEM form", s.caFile)
		}
	}
	if s.certFile != "" {
		cert, err := host.ReadFile(s.certFile)
		if err != nil {
			return nil, fmt.Errorf("read cert_file: %w", err)
		}
		key, err := host.ReadFile(s.keyFile)
		if err != nil {
			return nil, fmt.Errorf("read key_file: %w", err)
		}
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("read client_cert: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

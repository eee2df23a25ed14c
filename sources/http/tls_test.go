package http

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func writePEM(t *testing.T, kind string, der []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x.pem")
	if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// clientCert makes a certificate with its key, signed by itself.
func clientCert(t *testing.T) (certFile, keyFile string, cert *x509.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "mcpdecl"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	cert, _ = x509.ParseCertificate(der)
	return writePEM(t, "CERTIFICATE", der), writePEM(t, "PRIVATE KEY", keyDER), cert
}

func tlsServer(t *testing.T, config *tls.Config) *httptest.Server {
	server := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		_, _ = io.WriteString(w, "hello")
	}))
	server.TLS = config
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func TestC11_PrivateAuthority(t *testing.T) {
	server := tlsServer(t, nil)
	f := open(t, server, one(quickRetry, `url = "/x"`))
	for name, err := range map[string]error{"read": second(f.read("r")), "ping": f.conns["api"].Ping(f.ctx)} {
		if err == nil || !strings.Contains(err.Error(), "TLS handshake: ") || !strings.Contains(err.Error(), "unknown authority") {
			t.Errorf("%s: %v", name, err)
		}
	}
	ca := writePEM(t, "CERTIFICATE", server.Certificate().Raw)
	f = open(t, server, one("ca_file = \""+ca+"\"", `url = "/x"`))
	if got := f.text("r"); got != "hello" {
		t.Errorf("got %q", got)
	}
	if err := f.conns["api"].Ping(f.ctx); err != nil {
		t.Error(err)
	}
	text := strings.Replace(one("ca_file = \""+ca+"\"", `url = "/x"`), "BASE", strings.Replace(server.URL, "127.0.0.1", "localhost", 1), 1)
	if _, err := openIn(t, t.TempDir(), text).read("r"); err == nil || !strings.Contains(err.Error(), "TLS handshake: ") {
		t.Errorf("another name: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestClientCertificates(t *testing.T) {
	certFile, keyFile, cert := clientCert(t)
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	server := tlsServer(t, &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool})
	ca := "ca_file = \"" + writePEM(t, "CERTIFICATE", server.Certificate().Raw) + "\"\n"
	f := open(t, server, one(ca+"client_cert {\n cert_file = \""+certFile+"\"\n key_file = \""+keyFile+"\"\n}", `url = "/x"`))
	if got := f.text("r"); got != "hello" {
		t.Errorf("got %q", got)
	}
	if err := f.conns["api"].Ping(f.ctx); err != nil {
		t.Error(err)
	}
	f = open(t, server, one(ca+quickRetry, `url = "/x"`))
	for name, err := range map[string]error{"read": second(f.read("r")), "ping": f.conns["api"].Ping(f.ctx)} {
		if err == nil || !strings.Contains(err.Error(), "TLS handshake: ") {
			t.Errorf("%s without a certificate: %v", name, err)
		}
	}
}

func TestC11_Proxies(t *testing.T) {
	var proxied atomic.Int64
	status := nethttp.StatusOK
	proxy := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		proxied.Add(1)
		if status != 200 {
			w.WriteHeader(status)
			return
		}
		if r.Method == nethttp.MethodConnect {
			tunnel(w, r)
			return
		}
		_, _ = io.WriteString(w, "proxy of "+r.URL.String()+" "+r.Header.Get("Proxy-Authorization"))
	})
	u, _ := url.Parse(proxy.URL)
	backend := "connection \"http\" \"api\" {\n base_url = \"http://backend.example/v2\"\n OPTIONS\n}\nresource \"r\" {\n uri = \"t://r\"\n source \"http\" {\n connection = connection.http.api\n url = \"/x\"\n }\n}\n"
	with := func(options string) string { return strings.Replace(backend, "OPTIONS", options+quickRetry, 1) }

	const want = "proxy of http://backend.example/v2/x "
	if got := openIn(t, t.TempDir(), with(""), "HTTP_PROXY="+proxy.URL).text("r"); got != want {
		t.Errorf("HTTP_PROXY: %q", got)
	}
	if got := openIn(t, t.TempDir(), with(""), "http_proxy="+u.Host).text("r"); got != want {
		t.Errorf("http_proxy: %q", got)
	}
	if got := openIn(t, t.TempDir(), with("proxy = \"http://u:s3cret-pass@"+u.Host+"\"")).text("r"); !strings.HasPrefix(got, want+"Basic ") {
		t.Errorf("proxy: %q", got)
	}
	if err := openIn(t, t.TempDir(), with(""), "HTTP_PROXY="+proxy.URL).conns["api"].Ping(t.Context()); err != nil {
		t.Errorf("ping: %v", err)
	}
	before := proxied.Load()
	_, err := openIn(t, t.TempDir(), with("timeout = \"5s\""), "HTTP_PROXY="+proxy.URL, "NO_PROXY=backend.example").read("r")
	if err == nil || proxied.Load() != before || !strings.Contains(err.Error(), "resolve the host name") {
		t.Errorf("NO_PROXY: %v", err)
	}

	server := tlsServer(t, nil)
	ca := "ca_file = \"" + writePEM(t, "CERTIFICATE", server.Certificate().Raw) + "\"\nproxy = \"" + proxy.URL + "\"" + quickRetry
	if got := open(t, server, one(ca, `url = "/x"`)).text("r"); got != "hello" {
		t.Errorf("tunnel: %q", got)
	}
	status = nethttp.StatusProxyAuthRequired
	if _, err := open(t, server, one(ca, `url = "/x"`)).read("r"); err == nil || !strings.Contains(err.Error(), "connect through the proxy: it answered with status 407") {
		t.Errorf("a proxy that refuses: %v", err)
	}
	if _, err := openIn(t, t.TempDir(), with("proxy = \"http://u:s3cret-pass@127.0.0.1:1\"")).read("r"); err == nil ||
		!strings.Contains(err.Error(), "connect to the proxy: ") || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("no proxy: %v", err)
	}
}

// tunnel joins a client with the host that it asks for.
func tunnel(w nethttp.ResponseWriter, r *nethttp.Request) {
	to, err := net.Dial("tcp", r.Host)
	if err != nil {
		w.WriteHeader(502)
		return
	}
	from, _, err := w.(nethttp.Hijacker).Hijack()
	if err != nil {
		return
	}
	_, _ = io.WriteString(from, "HTTP/1.1 200 OK\r\n\r\n")
	go func() { _, _ = io.Copy(to, from); to.Close() }()
	_, _ = io.Copy(from, to)
	from.Close()
}

func TestAddressesAreCheckedWhenDialed(t *testing.T) {
	server := reply(t, 200, "text/plain", "inside")
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	conf := func(host, more string) string {
		return strings.Replace(one(more+quickRetry, `url = "/x"`), "BASE", "http://"+net.JoinHostPort(host, port), 1)
	}
	for host, want := range map[string]string{"127.0.0.1": "inside", "localhost": "inside"} {
		if got := openIn(t, t.TempDir(), conf(host, "")).text("r"); got != want {
			t.Errorf("%s: %q", host, got)
		}
	}
	// Names that a resolver turns into this machine. What a resolver does not
	// know is refused by it.
	for _, host := range []string{"127.1", "2130706433", "0x7f000001", "0177.0.0.1"} {
		_, err := openIn(t, t.TempDir(), conf(host, "timeout = \"5s\"")).read("r")
		if err == nil || !strings.Contains(err.Error(), "allow_private") && !strings.Contains(err.Error(), "resolve the host name") {
			t.Errorf("%s: %v", host, err)
		}
	}
	// A name on the outside that points inside.
	f := openIn(t, t.TempDir(), conf("127.0.0.1", ""))
	c := f.conns["api"]
	outside, _ := url.Parse("http://rebound.example")
	c.wire.dialer.ControlContext = policyFor(outside, nil).control
	_, err := f.read("r")
	var address *AddressError
	if !errors.As(err, &address) || publicText(err) != "upstream unavailable" {
		t.Errorf("rebound: %v", err)
	}
	if err := c.Ping(t.Context()); !errors.As(err, &address) {
		t.Errorf("ping rebound: %v", err)
	}
	yes := true
	c.wire.dialer.ControlContext = policyFor(outside, &yes).control
	if got := f.text("r"); got != "inside" {
		t.Errorf("allow_private: %q", got)
	}
}

func TestIsPublic(t *testing.T) {
	for addr, want := range map[string]bool{
		"8.8.8.8": true, "93.184.216.34": true, "2606:4700::1111": true, "64:ff9b::808:808": true, "2002:808:808::1": true, "::ffff:8.8.8.8": true,
		"127.0.0.1": false, "127.255.255.254": false, "0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "172.16.0.1": false, "172.31.255.255": false,
		"192.168.1.1": false, "169.254.169.254": false, "100.64.0.1": false, "100.100.100.200": false, "192.0.0.192": false, "198.18.0.1": false,
		"224.0.0.1": false, "239.255.255.250": false, "240.0.0.1": false, "255.255.255.255": false,
		"::1": false, "::": false, "::127.0.0.1": false, "::ffff:127.0.0.1": false, "::ffff:169.254.169.254": false, "fe80::1": false, "fe80::1%lo": false, "fc00::1": false,
		"fd00:ec2::254": false, "fec0::1": false, "ff02::1": false, "64:ff9b::7f00:1": false, "64:ff9b::a9fe:a9fe": false, "64:ff9b:1::1": false,
		"2002:7f00:1::": false, "2002:a00:1::1": false, "2001::1": false, "2001:db8::1": false,
	} {
		if got := isPublic(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s: %t", addr, got)
		}
	}
}

func TestPing(t *testing.T) {
	healthy := 200
	server := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path != "/v2/status" || r.Header.Get("Authorization") != "Bearer tok" {
			healthy = 404
		}
		w.WriteHeader(healthy)
	})
	conf := strings.Replace(one("bearer = \"tok\"\nhealth = \"/status?q=1\"", `url = "/x"`), "BASE", "BASE/v2", 1)
	f := open(t, server, conf)
	if err := f.conns["api"].Ping(f.ctx); err != nil {
		t.Error(err)
	}
	healthy = 503
	if err := f.conns["api"].Ping(f.ctx); err == nil || !strings.Contains(err.Error(), "the health request GET /status?q=1 failed: ") || !strings.Contains(err.Error(), "status 503") {
		t.Errorf("got %v", err)
	}
	for base, want := range map[string]string{
		"http://127.0.0.1:1": "connect: ", "http://no-such-name.invalid": "resolve the host name: ", "https" + strings.TrimPrefix(server.URL, "http"): "TLS handshake: ",
	} {
		text := strings.Replace(one("timeout = \"10s\"", `url = "/x"`), "BASE", base, 1)
		if err := openIn(t, t.TempDir(), text).conns["api"].Ping(context.Background()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", base, err)
		}
	}
}

// TestPingNamesTheStepThatHangs asks a server that accepts and says nothing.
func TestPingNamesTheStepThatHangs(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	for more, want := range map[string]string{"": "the TLS handshake failed: ", "health = \"/up\"\n": "the health request GET /up failed: "} {
		text := strings.Replace(one(more+"timeout = \"200ms\"", `url = "/x"`), "BASE", "https://"+ln.Addr().String(), 1)
		err := openIn(t, t.TempDir(), text).conns["api"].Ping(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "did not answer in time") {
			t.Errorf("%q: %v", more, err)
		}
	}
}

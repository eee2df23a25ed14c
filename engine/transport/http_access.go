package transport

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// hostList says which Host a request may have. A page of a foreign site can
// make a browser call a local server under the site's own name (DNS
// rebinding); the name gives it away.
type hostList struct {
	any   bool
	names []string // lower case; with a port it must be the port, too
}

func newHostList(listen string, allowed []string) (hostList, error) {
	var l hostList
	if host, _ := splitHost(listen); host != "" && !isUnspecified(host) {
		l.names = append(l.names, host)
	}
	for _, a := range allowed {
		host, port := splitHost(a)
		switch {
		case a == "*":
			l.any = true
		case host == "" || strings.ContainsAny(host+port, "/ ,*@"):
			return l, fmt.Errorf("allowed host %q: not a host name, with or without a port", a)
		case port != "":
			l.names = append(l.names, net.JoinHostPort(host, port))
		default:
			l.names = append(l.names, host)
		}
	}
	return l, nil
}

// refuse returns why the Host of a request is not good, "" if it is.
func (l hostList) refuse(r *http.Request) string {
	host, port := splitHost(r.Host)
	if l.any || isLoopback(host) || slices.Contains(l.names, host) ||
		port != "" && slices.Contains(l.names, net.JoinHostPort(host, port)) || isLocalAddr(r, host) {
		return ""
	}
	return fmt.Sprintf("Host %q is not allowed; --allowed-host %s lets it in", r.Host, host)
}

// isLocalAddr reports whether host is the very address that the connection
// came in on: with 0.0.0.0 that is the address listened on.
func isLocalAddr(r *http.Request, host string) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	at, err := netip.ParseAddrPort(local.String())
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap() == at.Addr().Unmap()
}

// splitHost takes the port and the brackets off a host and lowers its case.
func splitHost(hostport string) (host, port string) {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		host, port = strings.TrimSuffix(strings.TrimPrefix(hostport, "["), "]"), ""
	}
	return strings.TrimSuffix(strings.ToLower(host), "."), port
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func isUnspecified(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsUnspecified()
}

// originList says which pages may call. The protocol wants Origin checked on
// every request; http.CrossOriginProtection lets GET pass and looks at
// Sec-Fetch-Site, so both are asked.
type originList struct {
	any        bool
	names      []string
	protection *http.CrossOriginProtection
}

func newOriginList(allowed []string) (*originList, error) {
	l := &originList{protection: http.NewCrossOriginProtection()}
	for _, a := range allowed {
		if a == "*" {
			l.any = true
			continue
		}
		a = strings.ToLower(strings.TrimSuffix(a, "/"))
		if err := l.protection.AddTrustedOrigin(a); err != nil {
			return nil, fmt.Errorf("allowed origin: %w", err)
		}
		l.names = append(l.names, a)
	}
	return l, nil
}

// refuse returns why the origin of a request is not good, "" if it is.
func (l *originList) refuse(r *http.Request) string {
	if l.any {
		return ""
	}
	origin := r.Header.Get("Origin")
	if origin != "" && !l.listed(origin) && !sameOrigin(origin, r.Host) {
		return fmt.Sprintf("Origin %q is not allowed; --allowed-origin %s lets it in", origin, origin)
	}
	if err := l.protection.Check(r); err != nil {
		return "a cross-origin request of a browser; --allowed-origin with the origin of its page lets it in"
	}
	return ""
}

// setHeaders lets the page of a foreign origin read the answer.
func (l *originList) setHeaders(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if origin == "" || !l.any && !l.listed(origin) {
		return
	}
	w.Header().Set("Access-Control-Allow-Origin", origin)
	w.Header().Set("Access-Control-Expose-Headers", headerSession)
}

func (l *originList) listed(origin string) bool {
	return slices.Contains(l.names, strings.ToLower(origin))
}

// sameOrigin holds an origin against the Host of its request, which has been
// checked. The scheme is not compared: behind a proxy it is not known.
func sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, host)
}

// preflight answers OPTIONS, which a browser sends before a call.
func preflight(w http.ResponseWriter, r *http.Request) {
	const methods = "GET, POST, DELETE, OPTIONS"
	headers := []string{
		"Authorization", "Content-Type", "Accept", "Last-Event-ID",
		headerSession, headerVersion, "Mcp-Method", "Mcp-Name",
	}
	// A tool may name headers of its own for its arguments.
	for asked := range strings.SplitSeq(r.Header.Get("Access-Control-Request-Headers"), ",") {
		asked = strings.ToLower(strings.TrimSpace(asked))
		if strings.HasPrefix(asked, "mcp-param-") {
			headers = append(headers, asked)
		}
	}
	h := w.Header()
	h.Set("Allow", methods)
	if h.Get("Access-Control-Allow-Origin") != "" {
		h.Add("Vary", "Access-Control-Request-Headers")
		h.Set("Access-Control-Allow-Methods", methods)
		h.Set("Access-Control-Allow-Headers", strings.Join(headers, ", "))
		h.Set("Access-Control-Max-Age", "600")
	}
	w.WriteHeader(http.StatusNoContent)
}

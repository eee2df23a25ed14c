package http

import (
	"encoding/base64"
	"fmt"
	nethttp "net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/zclconf/go-cty/cty"
)

func decodeConnection(b *decl.Block) any {
	s := &settings{
		base: decodeBaseURL(b), baseSecret: b.IsSecret("base_url"),
		limits:     limits{b.Duration("timeout"), b.Size("max_bytes")},
		sameOrigin: b.String("redirects") != "none",
		headers:    decodeHeaders(b),
		forward:    decodeForward(b),
		caFile:     sources.CAFile(b, "ca_file"),
		retry:      retrySettings{2, defaultMinWait, defaultMaxWait},
		health:     decodeHealth(b),
	}
	decodeAuth(b, s)
	if c := b.Block("client_cert"); c != nil {
		s.certFile, s.keyFile = sources.KeyPair(c, "cert_file", "key_file")
	}
	if r := b.Block("retry"); r != nil {
		s.retry = retrySettings{int(r.Int("max")), r.Duration("min_wait"), r.Duration("max_wait")}
		if s.retry.minWait > s.retry.maxWait {
			r.Errorf(r.ValueRange("min_wait"), "invalid_value", "min_wait is above max_wait").Detail = "Exchange them, or correct one."
		}
	}
	if b.Value("allow_private") != cty.NilVal {
		allow := b.Bool("allow_private")
		s.allowPrivate = &allow
		if s.base != nil && !allow && isOwnHost(s.base.Hostname()) {
			d := b.Errorf(b.ValueRange("allow_private"), "invalid_value", "allow_private is false, and base_url names a private address")
			d.Detail = "No request could be made. Remove allow_private, or set it to true."
		}
	}
	if b.String("proxy") != "" {
		s.proxy = decodeProxy(b)
	}
	return s
}

func decodeBaseURL(b *decl.Block) *url.URL {
	text := b.String("base_url")
	if text == "" {
		return nil
	}
	at := b.ValueRange("base_url")
	fail := func(summary, remedy string) { b.Errorf(at, "invalid_url", "%s", summary).Detail = remedy }
	u, err := url.Parse(strings.TrimSuffix(text, "\n"))
	switch {
	case strings.ContainsAny(text, "{}"):
		fail("base_url cannot have variables", "Scheme, host and base path are fixed; variables go into the url of a source.")
	case err != nil || u.Hostname() == "" || u.Opaque != "":
		fail("base_url is not an absolute URL", "Write scheme, host and path, such as \"https://api.example.com/v2\".")
	case u.Scheme != "https" && u.Scheme != "http":
		fail("base_url must be http or https", fmt.Sprintf("Its scheme is %q.", u.Scheme))
	case !sources.GoodPort(u):
		fail("base_url has a port that is none", "A port is between 1 and 65535.")
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		fail("base_url cannot have a query or a fragment", "Write them in the url of each source.")
	case u.User != nil:
		fail("base_url cannot have a user or a password", "Use a basic_auth block, so that the password is kept secret.")
	case climbs(u.EscapedPath()) || strings.Contains(strings.TrimRight(u.Path, "/"), "//"):
		fail("base_url has a \".\", a \"..\" or an empty segment", "Write the path that is meant; the requests stay below it.")
	default:
		u.Host = strings.ToLower(u.Host)
		u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
		return u
	}
	return nil
}

// decodeAuth reads the credentials that become the Authorization header.
func decodeAuth(b *decl.Block, s *settings) {
	var methods []string
	if b.Value("bearer") != cty.NilVal {
		methods = append(methods, "bearer")
		s.authorization = "Bearer " + trimNewline(b.String("bearer"))
		checkHeaderValue(b, b.ValueRange("bearer"), "bearer", s.authorization)
	}
	if c := b.Block("basic_auth"); c != nil {
		methods = append(methods, "basic_auth")
		pair := c.String("user") + ":" + trimNewline(c.String("password"))
		s.authorization = "Basic " + base64.StdEncoding.EncodeToString([]byte(pair))
	}
	if c := b.Block("oauth2_client_credentials"); c != nil {
		methods = append(methods, "oauth2_client_credentials")
		s.oauth2 = &oauth2Settings{
			tokenURL: decodeTokenURL(c), clientID: c.String("client_id"),
			clientSecret: trimNewline(c.String("client_secret")), scopes: c.Strings("scopes"),
		}
		if s.oauth2.tokenURL == nil {
			s.oauth2 = nil
		}
	}
	for _, h := range s.headers {
		if h.name == "Authorization" {
			methods = append(methods, "an Authorization header")
		}
		if slices.Contains(s.forward, h.name) {
			d := b.Errorf(b.ValueRange("forward_headers"), "duplicate_name", "the header %s is both set and forwarded", h.name)
			d.Detail = "A caller could replace the value of the connection. Remove it from headers or from forward_headers."
		}
	}
	if len(methods) > 0 && slices.Contains(s.forward, "Authorization") {
		methods = append(methods, "a forwarded Authorization header")
	}
	if len(methods) > 1 {
		d := b.Errorf(b.Range, "two_credentials", "the connection has both %s", strings.Join(methods, " and "))
		d.Detail = "One request carries one Authorization header. Keep one of them."
	}
}

func decodeTokenURL(b *decl.Block) *url.URL {
	text := b.String("token_url")
	if text == "" {
		return nil
	}
	u, err := url.Parse(strings.TrimSuffix(text, "\n"))
	if err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && sources.GoodPort(u) && u.User == nil && u.Fragment == "" {
		return u
	}
	d := b.Errorf(b.ValueRange("token_url"), "invalid_url", "token_url is not an absolute URL")
	d.Detail = "Write scheme, host and path, such as \"https://login.example.com/oauth2/token\", without a user or a password."
	return nil
}

func decodeProxy(b *decl.Block) *url.URL {
	u, err := url.Parse(strings.TrimSuffix(b.String("proxy"), "\n"))
	if err == nil && u.Hostname() != "" && sources.GoodPort(u) {
		switch u.Scheme {
		case "http", "https", "socks5", "socks5h":
			return u
		}
	}
	d := b.Errorf(b.ValueRange("proxy"), "invalid_url", "proxy is not the URL of a proxy")
	d.Detail = "Write scheme, host and port, such as \"http://proxy.example.com:3128\". The scheme is http, https or socks5."
	return nil
}

func decodeHealth(b *decl.Block) string {
	text := b.String("health")
	if text == "" {
		return ""
	}
	route, _, _ := strings.Cut(text, "?")
	if strings.HasPrefix(text, "/") && !isAbsolute(text) && !climbs(route) && !strings.ContainsAny(text, "#{}") {
		return text
	}
	d := b.Errorf(b.ValueRange("health"), "invalid_value", "health must be a path below base_url")
	d.Detail = "It begins with a slash and has no variables, such as \"/status\"."
	return ""
}

// decodeForward reads the names of the caller's headers that are passed on.
func decodeForward(b *decl.Block) []string {
	var names []string
	for _, name := range b.Strings("forward_headers") {
		at := b.ValueRange("forward_headers")
		canonical, ok := checkHeaderName(b, at, name)
		if !ok {
			continue
		}
		if strings.HasPrefix(canonical, "Mcp-") {
			d := b.Errorf(at, "managed_header", "the header %s belongs to the protocol", canonical)
			d.Detail = "It means something between client and server only. Remove it from forward_headers."
			continue
		}
		if canonical == "Authorization" {
			d := b.Warnf(at, "forwarded_token", "the caller's token is passed on to the backend")
			d.Detail = "The protocol forbids a server to pass on tokens that were issued for itself. Use credentials of the connection, and forward a header that says who the caller is, such as X-User."
		}
		names = append(names, nethttp.CanonicalHeaderKey(canonical))
	}
	return names
}

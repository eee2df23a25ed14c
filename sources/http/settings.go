package http

import (
	"net/url"
	"time"

	"github.com/mcpdecl/mcpdecl/decl"
)

// limits bound one read; a zero means that the connection's apply.
type limits struct {
	timeout  time.Duration
	maxBytes int64
}

func (l limits) or(other limits) limits {
	if l.timeout == 0 {
		l.timeout = other.timeout
	}
	if l.maxBytes == 0 {
		l.maxBytes = other.maxBytes
	}
	return l
}

// settings are a decoded connection block.
type settings struct {
	base       *url.URL // scheme, host and a path without a slash at its end
	baseSecret bool     // the base URL came from a secret and is not shown
	limits     limits
	retry      retrySettings

	headers       []header
	forward       []string // canonical names
	authorization string   // the value of bearer or basic_auth
	oauth2        *oauth2Settings

	sameOrigin   bool // redirects within the origin are followed
	allowPrivate *bool
	caFile       string
	certFile     string
	keyFile      string
	proxy        *url.URL // nil: the environment says
	health       string
}

type retrySettings struct {
	max              int
	minWait, maxWait time.Duration
}

type oauth2Settings struct {
	tokenURL     *url.URL
	clientID     string
	clientSecret string
	scopes       []string
}

// header is a header with a constant value.
type header struct {
	name, value string
}

// sourceSettings are a decoded source block.
type sourceSettings struct {
	limits     limits
	target     *target
	urlSecret  bool
	method     string
	headers    []headerExpr
	body       *bodyExpr // nil: none
	notFound   []int
	items      *decl.Expr
	rows       rowsMode
	rowsSet    bool // the block says rows
	itemURI    *decl.Expr
	allowEmpty bool
	idempotent bool
}

// picks reports whether the answer is taken apart into items.
func (s *sourceSettings) picks() bool { return s.items != nil || s.rowsSet }

// headerExpr is a header whose value a request evaluates.
type headerExpr struct {
	name  string
	expr  *decl.Expr
	value *string // constant: already evaluated
}

type bodyExpr struct {
	expr *decl.Expr
	json bool
}

type rowsMode int

const (
	rowsList rowsMode = iota
	rowsOne
	rowsEach
)

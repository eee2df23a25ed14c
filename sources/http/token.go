package http

import (
	"context"
	"errors"
	"fmt"
	nethttp "net/http"
	"slices"
	"strings"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// tokens keeps the token of a connection. One request at a time asks for a new
// one, under the deadline of the read that needs it; the others wait.
type tokens struct {
	config *clientcredentials.Config
	client *nethttp.Client
	slot   chan struct{} // holds one value: the right to look at token
	token  *oauth2.Token
}

func newTokens(s *oauth2Settings, rt nethttp.RoundTripper) *tokens {
	return &tokens{
		config: &clientcredentials.Config{
			ClientID: s.clientID, ClientSecret: s.clientSecret, TokenURL: s.tokenURL.String(), Scopes: s.scopes,
		},
		client: &nethttp.Client{Transport: &follower{next: rt}},
		slot:   make(chan struct{}, 1),
	}
}

func (t *tokens) lock(ctx context.Context) error {
	select {
	case t.slot <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *tokens) unlock() { <-t.slot }

// get returns a token that is valid now.
func (t *tokens) get(ctx context.Context) (*oauth2.Token, error) {
	if err := t.lock(ctx); err != nil {
		return nil, err
	}
	defer t.unlock()
	if t.token.Valid() {
		return t.token, nil
	}
	token, err := t.config.Token(context.WithValue(ctx, oauth2.HTTPClient, t.client))
	if err != nil {
		return nil, tokenError(err)
	}
	if !validHeaderValue(token.AccessToken) {
		return nil, &UnavailableError{Cause: errors.New("ask for a token: the token has a character that no header carries")}
	}
	t.token = token
	return token, nil
}

// drop forgets a token that the backend did not take.
func (t *tokens) drop(token *oauth2.Token) {
	t.slot <- struct{}{}
	defer t.unlock()
	if t.token == token {
		t.token = nil
	}
}

// tokenErrors are the error codes of RFC 6749, sections 5.2 and 4.1.2.1. Any other
// text in that place may repeat what was sent, credentials included.
var tokenErrors = []string{
	"invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
	"access_denied", "server_error", "temporarily_unavailable",
}

// tokenError leaves the body of the token endpoint out, but for a known code.
func tokenError(err error) error {
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		var down *UnavailableError
		if strings.HasPrefix(err.Error(), "oauth2: cannot parse") || strings.Contains(err.Error(), "missing access_token") {
			return &UnavailableError{Cause: errors.New("ask for a token: the answer has no token")}
		}
		cause := plainCause(err)
		if errors.As(cause, &down) && down.Status == 0 {
			return &UnavailableError{Cause: fmt.Errorf("ask for a token: %w", down.Cause)}
		}
		return cause
	}
	status := 0
	if refused.Response != nil {
		status = refused.Response.StatusCode
	}
	switch {
	case status == 429:
		return &RateLimitedError{Status: status}
	case status >= 500:
		return &UnavailableError{Status: status, Cause: errors.New("ask for a token: the token endpoint failed")}
	}
	code := ""
	if slices.Contains(tokenErrors, refused.ErrorCode) {
		code = ", error " + refused.ErrorCode
	}
	return &CredentialsError{Status: status, Detail: "the token endpoint gave no token" + code}
}

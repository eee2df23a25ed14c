package http

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// issuer is a backend with a token endpoint.
type issuer struct {
	issued, requests atomic.Int64
	mode             atomic.Value // what the token endpoint does instead
}

func (s *issuer) ServeHTTP(w nethttp.ResponseWriter, r *nethttp.Request) {
	if r.URL.Path == "/token" {
		s.token(w, r)
		return
	}
	s.requests.Add(1)
	if want := fmt.Sprintf("Bearer tok-%d", s.issued.Load()); r.Header.Get("Authorization") != want {
		w.WriteHeader(401)
		return
	}
	_, _ = io.WriteString(w, "ok")
}

func (s *issuer) token(w nethttp.ResponseWriter, r *nethttp.Request) {
	_ = r.ParseForm()
	user, pass, ok := r.BasicAuth()
	if !ok {
		user, pass = r.Form.Get("client_id"), r.Form.Get("client_secret")
	}
	w.Header().Set("Content-Type", "application/json")
	if user+pass != "idclient-s3cret" || r.Form.Get("scope") != "a b" || r.Form.Get("grant_type") != "client_credentials" {
		w.WriteHeader(400)
		_, _ = io.WriteString(w, `{"error":"invalid_client","error_description":"client-s3cret is wrong"}`)
		return
	}
	switch s.mode.Load() {
	case "down":
		w.WriteHeader(503)
		return
	case "redirect":
		nethttp.Redirect(w, r, "http://169.254.169.254/", nethttp.StatusTemporaryRedirect)
		return
	case "garbage":
		_, _ = io.WriteString(w, "<html>client-s3cret")
		return
	case "line break":
		s.issued.Add(1)
		_, _ = io.WriteString(w, `{"access_token":"client-s3cret\nX-Evil: 1","token_type":"bearer"}`)
		return
	}
	time.Sleep(10 * time.Millisecond)
	_ = json.NewEncoder(w).Encode(map[string]any{"access_token": fmt.Sprintf("tok-%d", s.issued.Add(1)), "token_type": "bearer", "expires_in": 3600})
}

func oauthConfig(secret string) string {
	return one(quickRetry+"oauth2_client_credentials {\n token_url = \"BASE/token\"\n client_id = \"id\"\n client_secret = \""+secret+"\"\n scopes = [\"a\", \"b\"]\n}", `url = "/x"`)
}

func TestOAuth2(t *testing.T) {
	s := &issuer{}
	f := open(t, serve(t, s.ServeHTTP), oauthConfig("client-s3cret"))
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := f.read("r"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if s.issued.Load() != 1 {
		t.Errorf("%d tokens for 20 reads", s.issued.Load())
	}
	s.issued.Add(1) // the first one is no longer taken
	s.requests.Store(0)
	if got := f.text("r"); got != "ok" || s.issued.Load() != 3 || s.requests.Load() != 2 {
		t.Errorf("%q with %d tokens and %d requests", got, s.issued.Load(), s.requests.Load())
	}
}

func TestOAuth2Failures(t *testing.T) {
	s := &issuer{}
	server := serve(t, s.ServeHTTP)
	for m, want := range map[string]string{
		"down": "upstream unavailable (status 503)", "redirect": "upstream redirected (status 307), which is not followed", "garbage": "upstream unavailable",
		"line break": "upstream unavailable",
	} {
		s.mode.Store(m)
		_, err := open(t, server, oauthConfig("client-s3cret")).read("r")
		if publicText(err) != want || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", m, err)
		}
	}
	if s.issued.Load() != 1 || s.requests.Load() != 0 {
		t.Errorf("a token that no header carries: asked for %d times, %d requests", s.issued.Load(), s.requests.Load())
	}
	_, err := open(t, server, oauthConfig("other-s3cret")).read("r")
	var refused *CredentialsError
	if !errors.As(err, &refused) || strings.Contains(err.Error(), "s3cret") || !strings.Contains(err.Error(), "invalid_client") {
		t.Errorf("wrong secret: %v", err)
	}
	if err := open(t, server, oauthConfig("other-s3cret")).conns["api"].Ping(t.Context()); !errors.As(err, &refused) {
		t.Errorf("ping: %v", err)
	}
}

package decl

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/zclconf/go-cty/cty"
)

// secretMark travels with every value that came from env or from a sensitive
// variable, through interpolation and function calls.
type secretMark struct{}

// defaultMark is beside it on a value that a default of env had a part in: the
// default stands in the file for everyone to read, and may be an everyday word.
type defaultMark struct{}

// hidden is what stands in place of a secret.
const hidden = "(secret)"

// Secrets knows the secret values of a configuration, so that text that came
// from elsewhere (a driver's error, say) can be cleared of them before it is
// written anywhere.
type Secrets struct {
	hasAny atomic.Bool
	mu     sync.RWMutex
	values []string // longest first
}

// Add makes a value known as secret, in the spellings in which it may turn up:
// as it is, percent-encoded, and, for a URL, the password inside it.
func (s *Secrets) Add(value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hasAny.Store(true)
	for _, v := range spellings(value) {
		// Shorter values would blank out ordinary words; nobody's secret.
		if len(v) >= 3 && !slices.Contains(s.values, v) {
			s.values = append(s.values, v)
		}
	}
	slices.SortFunc(s.values, func(a, b string) int { return len(b) - len(a) })
}

func spellings(value string) []string {
	trimmed := strings.TrimSpace(value)
	out := []string{value, trimmed}
	for _, p := range urlPasswords(trimmed) {
		out = append(out, p, url.QueryEscape(p), url.PathEscape(p), strings.TrimPrefix(url.UserPassword("", p).String(), ":"))
	}
	quoted, _ := json.Marshal(trimmed)
	for _, q := range []string{strconv.Quote(trimmed), string(quoted)} { // as messages and files write them
		out = append(out, q[1:len(q)-1])
	}
	for _, line := range strings.Split(trimmed, "\n") {
		out = append(out, strings.TrimSpace(line))
	}
	return append(out, url.QueryEscape(trimmed), url.PathEscape(trimmed))
}

// Hide replaces every known secret in the text.
func (s *Secrets) Hide(text string) string {
	if s == nil || !s.hasAny.Load() {
		return text
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, v := range s.values {
		text = strings.ReplaceAll(text, v, hidden)
	}
	return text
}

// addAttr makes the credential in an attribute known.
func (s *Secrets) addAttr(kind SecretKind, v cty.Value) {
	_ = cty.Walk(v, func(_ cty.Path, e cty.Value) (bool, error) {
		if !e.IsKnown() || e.IsNull() || e.Type() != cty.String {
			return true, nil
		}
		if kind == SecretValue {
			s.Add(e.AsString())
		} else {
			for _, p := range urlPasswords(e.AsString()) {
				s.Add(p)
			}
		}
		return true, nil
	})
}

// urlPasswords are the passwords that a URL may have. It may be one that is
// not well-formed, as when a password is written without percent-encoding: then
// everything up to the last @ belongs to it.
func urlPasswords(text string) []string {
	var out []string
	if u, err := url.Parse(text); err == nil && u.User != nil {
		p, _ := u.User.Password()
		out = append(out, p)
	}
	_, rest, _ := strings.Cut(text, "://")
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		_, p, _ := strings.Cut(rest[:at], ":")
		out = append(out, p)
	}
	return out
}

// addValue makes every string inside a marked value known, but for defaults. What
// else a value with a default in it is made of is known by itself.
func (s *Secrets) addValue(v cty.Value) {
	plain, marked := v.UnmarkDeepWithPaths()
	isDefault := func(p cty.Path) bool {
		return slices.ContainsFunc(marked, func(m cty.PathValueMarks) bool {
			_, ok := m.Marks[defaultMark{}]
			return ok && p.HasPrefix(m.Path)
		})
	}
	_ = cty.Walk(plain, func(p cty.Path, e cty.Value) (bool, error) {
		if isDefault(p) {
			return false, nil
		}
		if e.IsKnown() && !e.IsNull() && e.Type() == cty.String {
			s.Add(e.AsString())
		}
		return true, nil
	})
}

// unmark removes the marks from a value and reports whether a secret was
// among them.
func unmark(v cty.Value) (cty.Value, bool) {
	plain, marks := v.UnmarkDeep()
	_, secret := marks[secretMark{}]
	return plain, secret
}

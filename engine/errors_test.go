package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
)

// TestErrorsThatClientsSee holds what a source failed with against what a
// client may see of it.
func TestErrorsThatClientsSee(t *testing.T) {
	cause := errors.New("connect to db.internal: refused")
	for name, c := range map[string]struct {
		err     error
		code    int
		message string
	}{
		"plain":        {cause, CodeInternal, "Internal error"},
		"public":       {fmt.Errorf("request: %w", &sources.PublicError{Message: "upstream rate limited (status 429)", Err: cause}), CodeInternal, "Upstream rate limited (status 429)"},
		"not found":    {fmt.Errorf("request: %w", sources.ErrNotFound), CodeInvalidParams, "Resource not found"},
		"bad value":    {&decl.Broken{Parameter: "id", Rule: "url", Message: "it is empty"}, CodeInvalidParams, `Invalid parameter "id": it is empty`},
		"not modified": {sources.ErrNotModified, CodeInternal, "Internal error"},
	} {
		t.Run(name, func(t *testing.T) {
			err := readError("x://y", "r", c.err)
			if err.Code != c.code || err.Message != c.message {
				t.Errorf("got %d %q", err.Code, err.Message)
			}
			if strings.Contains(err.Message+fmt.Sprint(err.Data), "db.internal") {
				t.Errorf("the cause is shown: %v", err)
			}
			if c.code == CodeInternal && !errors.Is(err.Cause, c.err) {
				t.Errorf("the cause is lost: %v", err.Cause)
			}
		})
	}
}

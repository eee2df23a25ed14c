package uritmpl

import (
	"fmt"
	"unicode/utf8"
)

// The codes of a Refusal.
const (
	RefusedTooLong     = "uri_too_long"
	RefusedControlChar = "control_char"
	RefusedBadPercent  = "bad_percent"
	RefusedInvalidUTF8 = "invalid_utf8"
	RefusedNUL         = "nul"
	RefusedUnexpanded  = "unexpanded_template"
	RefusedDotSegment  = "dot_segment"
	RefusedTraversal   = "traversal"
	maxURI             = 8192
	maxTemplate        = 4096
	maxVariables       = 64
	maxURIInRefusal    = 200
)

// A Refusal says why a URI is not answered by any template. It is final: a
// refused URI is never tried on another template.
type Refusal struct {
	Code      string // one of the Refused constants
	URI       string // as received; cut when it is long
	Offset    int    // first offending byte of the URI as received
	Parameter string // the variable whose value is refused, if it is one
	Reason    string // the fact, lower case, without a full stop
}

// Error returns one line without the URI, which callers
// report beside it.
func (r *Refusal) Error() string {
	if r.Parameter != "" {
		return fmt.Sprintf("URI refused: %s in %q", r.Reason, r.Parameter)
	}
	return "URI refused: " + r.Reason
}

func refuse(code, uri string, off int, reason string) *Refusal {
	return &Refusal{Code: code, URI: cut(uri, maxURIInRefusal), Offset: off, Reason: reason}
}

// cut shortens s to at most n bytes and three dots, between two runes.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..."
}

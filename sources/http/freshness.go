package http

import (
	"errors"
	"iter"
	"math"
	nethttp "net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mcpdecl/mcpdecl/sources"
)

// freshness is how long an answer stays fresh by its own word: max-age less the
// age that it has already (RFC 9111, section 4.2). We are a private cache: the
// answer is for the credentials of the connection.
func freshness(h nethttp.Header) time.Duration {
	if strings.Contains(strings.Join(h.Values("Vary"), ","), "*") {
		return 0
	}
	left := int64(math.MaxInt64)
	for name, value := range cacheControl(h) {
		switch name {
		case "no-store", "no-cache":
			return 0
		case "max-age":
			left = min(left, deltaSeconds(value))
		}
	}
	if left == math.MaxInt64 {
		return 0 // it does not say
	}
	left -= deltaSeconds(strings.TrimSpace(h.Get("Age")))
	return time.Duration(max(0, left)) * time.Second
}

// deltaSeconds reads a number of seconds (RFC 9111, section 1.2.2): one that is
// too large is a long time, and what is none is 0.
func deltaSeconds(s string) int64 {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0
	}
	return int64(min(n, 1<<31))
}

// cacheControl yields the directives of Cache-Control.
func cacheControl(h nethttp.Header) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for directive := range strings.SplitSeq(strings.Join(h.Values("Cache-Control"), ","), ",") {
			name, value, _ := strings.Cut(directive, "=")
			if !yield(strings.ToLower(strings.TrimSpace(name)), strings.Trim(strings.TrimSpace(value), `"`)) {
				return
			}
		}
	}
}

// says reports whether Cache-Control has a directive.
func says(h nethttp.Header, directive string) bool {
	for name := range cacheControl(h) {
		if name == directive {
			return true
		}
	}
	return false
}

// validator names the version of an answer, or is nil, as it is for one that
// must not be kept at all.
func validator(h nethttp.Header) *sources.Validator {
	if says(h, "no-store") {
		return nil
	}
	v := &sources.Validator{ETag: h.Get("ETag"), LastModified: h.Get("Last-Modified")}
	if *v == (sources.Validator{}) {
		return nil
	}
	return v
}

// setConditions makes a request conditional (RFC 9110, section 13.1).
func setConditions(h nethttp.Header, v *sources.Validator) {
	switch {
	case v == nil:
	case v.ETag != "":
		h.Set("If-None-Match", v.ETag)
	case v.LastModified != "":
		h.Set("If-Modified-Since", v.LastModified)
	}
}

func isConditional(h nethttp.Header) bool {
	return h.Get("If-None-Match") != "" || h.Get("If-Modified-Since") != ""
}

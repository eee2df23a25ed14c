package http

import (
	"iter"
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
	maxAge := int64(0)
	for name, value := range cacheControl(h) {
		switch name {
		case "no-store", "no-cache":
			return 0
		case "max-age":
			if n, err := strconv.ParseInt(value, 10, 64); err == nil && n > 0 {
				maxAge = min(n, 1<<31)
			}
		}
	}
	if age, err := strconv.ParseInt(strings.TrimSpace(h.Get("Age")), 10, 64); err == nil && age > 0 {
		maxAge -= min(age, 1<<31)
	}
	return time.Duration(max(0, maxAge)) * time.Second
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

// validator names the version of an answer, or is nil, as it is for one that
// must not be kept at all.
func validator(h nethttp.Header) *sources.Validator {
	for name := range cacheControl(h) {
		if name == "no-store" {
			return nil
		}
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

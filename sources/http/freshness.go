package http

import (
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
	for _, line := range h.Values("Cache-Control") {
		for directive := range strings.SplitSeq(line, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "no-store", "no-cache":
				return 0
			case "max-age":
				if n, err := strconv.ParseInt(strings.Trim(strings.TrimSpace(value), `"`), 10, 64); err == nil && n > 0 {
					maxAge = min(n, 1<<31)
				}
			}
		}
	}
	if age, err := strconv.ParseInt(strings.TrimSpace(h.Get("Age")), 10, 64); err == nil && age > 0 {
		maxAge -= min(age, 1<<31)
	}
	return time.Duration(max(0, maxAge)) * time.Second
}

// validator names the version of an answer, or is nil.
func validator(h nethttp.Header) *sources.Validator {
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

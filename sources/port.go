package sources

import (
	"net/url"
	"strconv"
)

// GoodPort reports whether the port of a URL, if it names one, can be one.
func GoodPort(u *url.URL) bool {
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	return u.Port() == "" || err == nil && n > 0
}

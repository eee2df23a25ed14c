package http

import (
	"compress/gzip"
	"errors"
	"io"
	nethttp "net/http"
	"strings"
)

// cutError says that a body ended before its end.
type cutError struct{ BodyError }

// Unwrap makes it a BodyError too.
func (e *cutError) Unwrap() error { return &e.BodyError }

// readBody reads the decoded body of an answer, at most limit bytes. hint is a
// guess at its size for an answer that does not say it.
func readBody(resp *nethttp.Response, limit, hint int64) ([]byte, error) {
	r := io.Reader(resp.Body)
	size := resp.ContentLength
	switch coding := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding"))); {
	case coding == "" || coding == "identity":
	case coding == "gzip" || coding == "x-gzip": // only where the library did not take it off
		z, err := gzip.NewReader(resp.Body)
		if err != nil {
			return nil, bodyFailure(err)
		}
		defer z.Close()
		r, size = z, -1
	default:
		return nil, &BodyError{Reason: "it is encoded in a way that was not asked for"}
	}
	if size > limit {
		return nil, &TooLargeError{Limit: limit}
	}
	if size < 0 {
		size = min(hint, limit)
	}
	return readAll(r, limit, size)
}

// readAll reads into one buffer that grows only where size was too small.
func readAll(r io.Reader, limit, size int64) ([]byte, error) {
	buf := make([]byte, 0, max(size, 511)+1) // one more byte meets the end
	for {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if int64(len(buf)) > limit {
			return nil, &TooLargeError{Limit: limit}
		}
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return nil, bodyFailure(err)
		}
		if len(buf) == cap(buf) {
			grown := make([]byte, len(buf), min(int64(2*cap(buf)), limit+1))
			copy(grown, buf)
			buf = grown
		}
	}
}

// bodyFailure tells a body that is wrong from one that could not be read.
func bodyFailure(err error) error {
	switch {
	case errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum):
		return &BodyError{Reason: "its gzip encoding is damaged"}
	case errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF:
		return &cutError{BodyError{Reason: "it ended too early"}}
	}
	return err
}

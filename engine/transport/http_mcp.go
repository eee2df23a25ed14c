package transport

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	headerVersion = "MCP-Protocol-Version"
	headerSession = "Mcp-Session-Id"
	headerName    = "Mcp-Name"
)

// mcp serves /mcp: who may call, is it a message, and then the handler of the
// SDK for its protocol.
func (h *HTTP) mcp(w http.ResponseWriter, r *http.Request) {
	if why := h.hosts.refuse(r); why != "" {
		writeError(w, http.StatusForbidden, invalidFault(nil, why))
		return
	}
	if why := h.origins.refuse(r); why != "" {
		writeError(w, http.StatusForbidden, invalidFault(nil, why))
		return
	}
	h.origins.setHeaders(w, r)
	if r.Method == http.MethodOptions {
		preflight(w, r)
		return
	}
	r = r.WithContext(h.bulks.in(h.stop.in(r.Context())))
	if r.Method == http.MethodPost && isJSON(r) {
		h.post(w, r)
		return
	}
	if h.running.closing() {
		refuseStopping(w, nil)
		return
	}
	h.handlerFor(r, nil).ServeHTTP(w, r)
}

func isJSON(r *http.Request) bool {
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && mediaType == "application/json"
}

// post looks at the message before the SDK does, which answers a bad one with
// plain text and a call outside of a session with code 0.
func (h *HTTP) post(w http.ResponseWriter, r *http.Request) {
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(h.pace.body))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.o.MaxBody))
	if err != nil {
		var tooLong *http.MaxBytesError
		if errors.As(err, &tooLong) {
			writeError(w, http.StatusRequestEntityTooLarge, invalidFault(nil, fmt.Sprintf("a message is at most %d bytes long", tooLong.Limit)))
			return
		}
		writeError(w, http.StatusBadRequest, parseFault("the body ends early"))
		return
	}
	_ = rc.SetReadDeadline(time.Time{})
	r.Body = io.NopCloser(bytes.NewReader(body))

	decodeName(r.Header)
	m, f := inspect(body)
	if f == nil {
		f = h.checkSession(r, m)
	}
	if f != nil {
		writeError(w, http.StatusBadRequest, f)
		return
	}
	if m.method == methodInitialize && !h.roomForSession() {
		h.log.Warn("refusing a session: there are too many", "sessions", h.o.MaxSessions)
		writeError(w, http.StatusServiceUnavailable, &fault{m.id(), &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "The server has too many sessions"}})
		return
	}
	if !m.call {
		h.handlerFor(r, m).ServeHTTP(w, r)
		return
	}
	if !h.running.enter() {
		refuseStopping(w, m)
		return
	}
	defer h.running.leave()
	b, done := h.bulks.open(r)
	defer done()
	rw := &refusalWriter{ResponseWriter: &bulkWriter{w, b}, call: m}
	h.handlerFor(r, m).ServeHTTP(rw, r)
	rw.finish()
}

// decodeName undoes the base64 in which a name that is not plain ASCII comes in
// its header. The SDK decodes the other headers of the protocol, but not this
// one, and so would refuse every read of such a URI.
func decodeName(h http.Header) {
	coded, ok := strings.CutPrefix(h.Get(headerName), "=?base64?")
	if !ok {
		return
	}
	if coded, ok = strings.CutSuffix(coded, "?="); !ok {
		return
	}
	if name, err := base64.StdEncoding.DecodeString(coded); err == nil {
		h.Set(headerName, string(name))
	}
}

// inspect parses the message of a body. A batch, which only old sessions may
// send, is left to the SDK and counts as one call without a method.
func inspect(body []byte) (*message, *fault) {
	if f := checkText(body); f != nil {
		return nil, f
	}
	if body = bytes.TrimSpace(body); body[0] == '[' {
		return &message{call: true}, nil
	}
	return parseMessage(body)
}

// checkSession refuses calls of older protocols that need a session and name
// none.
func (h *HTTP) checkSession(r *http.Request, m *message) *fault {
	switch {
	case !m.call || isModern(r, m) || r.Header.Get(headerSession) != "":
		return nil
	case m.method == methodInitialize || m.method == methodPing || m.method == methodDiscover:
		return nil
	}
	return invalidFault(m.id(), "no session: send initialize first and its "+headerSession+" with each call, or speak "+firstModern)
}

// roomForSession keeps clients that only ever open sessions from filling the
// memory until the sessions time out.
func (h *HTTP) roomForSession() bool {
	n := 0
	for range h.server.Sessions() {
		n++
	}
	return n < h.o.MaxSessions
}

// isModern reports whether a request is for the handler without sessions. A
// message that says so and has no header goes there to be told.
func isModern(r *http.Request, m *message) bool {
	if v := r.Header.Get(headerVersion); v != "" {
		return v >= firstModern
	}
	return m != nil && m.call && modernCall(m)
}

func (h *HTTP) handlerFor(r *http.Request, m *message) http.Handler {
	if isModern(r, m) {
		return h.stateless
	}
	return h.stateful
}

func refuseStopping(w http.ResponseWriter, m *message) {
	f := &fault{err: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "The server is shutting down"}}
	if m != nil {
		f.id = m.id()
	}
	w.Header().Set("Connection", "close")
	w.Header().Set("Retry-After", "1")
	writeError(w, http.StatusServiceUnavailable, f)
}

func writeError(w http.ResponseWriter, status int, f *fault) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encodeError(f))
}

// stallWriter gives every write its own deadline.
type stallWriter struct {
	http.ResponseWriter
	rc    *http.ResponseController
	limit time.Duration
	begun bool // an answer is on its way
}

func newStallWriter(w http.ResponseWriter, limit time.Duration) *stallWriter {
	return &stallWriter{ResponseWriter: w, rc: http.NewResponseController(w), limit: limit}
}

func (w *stallWriter) WriteHeader(status int) {
	w.begun = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *stallWriter) Write(p []byte) (int, error) {
	w.begun = true
	_ = w.rc.SetWriteDeadline(time.Now().Add(w.limit))
	return w.ResponseWriter.Write(p)
}

// end takes the deadline of the last write off: it must meet neither the end
// of a stream that was quiet for long nor the connection's next request.
func (w *stallWriter) end() { _ = w.rc.SetWriteDeadline(time.Time{}) }

// Unwrap is how the SDK finds Flush.
func (w *stallWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

package transport

import (
	"bytes"
	"mime"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// refusalWriter turns what the SDK refuses in plain text into the answer of a
// call. An unknown method of an older session is such a case: its client would
// see a failure of the transport where the protocol has an error for it.
type refusalWriter struct {
	http.ResponseWriter
	call    *message
	status  int // of a plain refusal, 0 if it is none
	refused bytes.Buffer
}

func (w *refusalWriter) WriteHeader(status int) {
	mediaType, _, _ := mime.ParseMediaType(w.Header().Get("Content-Type"))
	if status >= http.StatusBadRequest && mediaType == "text/plain" {
		w.status = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *refusalWriter) Write(p []byte) (int, error) {
	if w.status != 0 {
		return w.refused.Write(p)
	}
	return w.ResponseWriter.Write(p)
}

// finish sends the refusal, if there is one.
func (w *refusalWriter) finish() {
	if w.status == 0 {
		return
	}
	text := strings.TrimSpace(w.refused.String())
	f := invalidFault(w.call.id(), text)
	status := w.status
	if strings.HasPrefix(text, "JSON RPC not handled") {
		f.err = &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "Method not found: " + w.call.method}
		status = http.StatusOK // the HTTP side of it went well; the newer revision gets its 404 from the SDK
	}
	w.Header().Del("Content-Length")
	writeError(w.ResponseWriter, status, f)
}

// Unwrap is how the SDK finds Flush.
func (w *refusalWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

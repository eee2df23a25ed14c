package transport

import (
	"bytes"
	"encoding/json"
	"math"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// message is one JSON-RPC message that keeps to the rules of its envelope.
type message struct {
	jsonrpc.Message
	call   bool            // a request that wants an answer
	method string          // of a request or a notification
	params json.RawMessage // of a request or a notification
}

// id is that of a call as it stands on the wire, nil for all else.
func (m *message) id() json.RawMessage {
	req, ok := m.Message.(*jsonrpc.Request)
	if !ok || !m.call {
		return nil
	}
	id, _ := json.Marshal(req.ID.Raw()) // a string or an integer
	return id
}

// fault is what is wrong with a message, and the id to answer it with: nil when
// it could not be read.
type fault struct {
	id  json.RawMessage
	err *jsonrpc.Error
}

func parseFault(text string) *fault {
	return &fault{err: &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "Parse error: " + text}}
}

func invalidFault(id json.RawMessage, text string) *fault {
	return &fault{id: id, err: &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Invalid Request: " + text}}
}

// checkText refuses what is not JSON in UTF-8.
func checkText(raw []byte) *fault {
	switch {
	case !utf8.Valid(raw):
		return parseFault("not UTF-8")
	case !json.Valid(raw):
		return parseFault("not JSON")
	}
	return nil
}

// parseMessage reads one message out of valid JSON.
//
// The SDK decodes an id through a float64, so ids that a float64 does not carry
// exactly would come back changed: they are refused.
func parseMessage(raw []byte) (*message, *fault) {
	var fields map[string]json.RawMessage // a map, since struct fields match in any case
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		return nil, invalidFault(nil, "a message is an object")
	}
	id, hasID := fields["id"]
	if hasID && !goodID(id) {
		return nil, invalidFault(nil, "an id is a string or an integer of at most 53 bits")
	}
	if stringOf(fields["jsonrpc"]) != "2.0" {
		return nil, invalidFault(id, `"jsonrpc" must be "2.0"`)
	}
	_, hasMethod := fields["method"]
	params := fields["params"]
	switch {
	case !hasMethod && (!hasID || fields["result"] == nil && fields["error"] == nil):
		return nil, invalidFault(id, "neither a request nor a response")
	case hasMethod && stringOf(fields["method"]) == "":
		return nil, invalidFault(id, `"method" must be a string`)
	case hasMethod && len(params) > 0 && params[0] != '{' && !bytes.Equal(params, []byte("null")):
		return nil, &fault{id: id, err: &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Invalid params: params must be an object"}}
	}
	method := stringOf(fields["method"])
	if method == methodInitialize && hasID && !goodInitialize(params) {
		return nil, &fault{id: id, err: &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Invalid params: not the params of initialize"}}
	}
	msg, err := jsonrpc.DecodeMessage(raw)
	if err != nil {
		return nil, invalidFault(id, "not a JSON-RPC message")
	}
	return &message{Message: msg, call: hasMethod && hasID, method: method, params: params}, nil
}

// goodInitialize is asked because the SDK answers bad params of this one method
// with code 0.
func goodInitialize(params json.RawMessage) bool {
	var p *mcp.InitializeParams
	return json.Unmarshal(params, &p) == nil && p != nil
}

func goodID(raw json.RawMessage) bool {
	if len(raw) > 0 && raw[0] == '"' {
		return true
	}
	var n float64
	if json.Unmarshal(raw, &n) != nil || bytes.Equal(raw, []byte("null")) {
		return false
	}
	return n == math.Trunc(n) && math.Abs(n) <= 1<<53-1
}

func stringOf(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s) // anything else is the empty string
	return s
}

// encodeError makes the answer to a message that was not given to the SDK.
func encodeError(f *fault) []byte {
	id := f.id
	if id == nil {
		id = json.RawMessage("null")
	}
	data, _ := json.Marshal(struct { // cannot fail: id comes out of valid JSON
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{"2.0", id, f.err})
	return data
}

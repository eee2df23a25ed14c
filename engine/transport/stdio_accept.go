package transport

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	methodInitialize = "initialize"
	methodPing       = "ping"
	methodDiscover   = "server/discover"
	methodRead       = "resources/read"
	methodCancelled  = "notifications/cancelled"

	// firstModern is the first revision whose calls need no session.
	firstModern = "2026-07-28"
	// firstWithoutBatch is the first revision that forbids batches.
	firstWithoutBatch = "2025-06-18"
)

// accept turns a frame into messages for the SDK; what must not reach the SDK
// is answered here.
func (c *stdioConn) accept(fr frame) []jsonrpc.Message {
	if fr.tooLong {
		c.refuse(invalidFault(nil, fmt.Sprintf("a message is at most %d bytes long", c.maxFrame)), nil)
		return nil
	}
	if f := checkText(fr.line); f != nil {
		c.refuse(f, nil)
		return nil
	}
	if fr.line[0] == '[' {
		return c.acceptBatch(fr.line)
	}
	if msg := c.acceptOne(fr.line, nil); msg != nil {
		return []jsonrpc.Message{msg}
	}
	return nil
}

func (c *stdioConn) acceptBatch(line []byte) []jsonrpc.Message {
	c.mu.Lock()
	version := c.version
	c.mu.Unlock()
	var parts []json.RawMessage
	_ = json.Unmarshal(line, &parts) // valid JSON that begins with [
	switch {
	case version == "" || version >= firstWithoutBatch:
		c.refuse(invalidFault(nil, "this session does not take batches"), nil)
		return nil
	case len(parts) == 0:
		c.refuse(invalidFault(nil, "an empty batch"), nil)
		return nil
	case len(parts) > c.maxPending:
		c.refuse(invalidFault(nil, fmt.Sprintf("a batch has at most %d messages", c.maxPending)), nil)
		return nil
	}
	b := &batch{open: 1} // held open until all parts are seen
	var msgs []jsonrpc.Message
	for _, part := range parts {
		if msg := c.acceptOne(part, b); msg != nil {
			msgs = append(msgs, msg)
		}
	}
	if answer := b.answer(nil); answer != nil {
		_ = c.writeLine(answer) // its failure shows at the next write
	}
	return msgs
}

// acceptOne returns the message for the SDK, or nil.
func (c *stdioConn) acceptOne(raw []byte, b *batch) jsonrpc.Message {
	m, f := parseMessage(raw)
	if f == nil && m.call {
		f = c.register(m, b)
	}
	if f != nil {
		c.refuse(f, b)
		return nil
	}
	if m.method == methodCancelled {
		c.noteCancelled(m)
	}
	return m.Message
}

// register makes a call pending, or says why it cannot be taken.
func (c *stdioConn) register(m *message, b *batch) *fault {
	req := m.Message.(*jsonrpc.Request)
	id := m.id()
	modern := modernCall(m)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.pending[req.ID] != nil:
		// Not answered under its id, which would look like the answer to the
		// first call.
		return invalidFault(nil, fmt.Sprintf("id %s is in use by a call that is not answered", id))
	case m.method == methodInitialize && b != nil:
		return invalidFault(id, "initialize must not be part of a batch")
	case m.method == methodInitialize || modern:
		c.ready = true
	case !c.ready && m.method != methodPing && m.method != methodDiscover:
		return invalidFault(id, fmt.Sprintf("%s before initialize", m.method))
	}
	if !c.running.enter() {
		return &fault{id: id, err: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "The server is shutting down"}}
	}
	if b != nil {
		b.expect()
		c.bulk.room.batch(1)
	}
	c.pending[req.ID] = &pendingCall{method: m.method, batch: b}
	return nil
}

// modernCall reports whether a call carries its protocol version and so
// belongs to no session.
func modernCall(m *message) bool {
	var params struct {
		Meta map[string]any `json:"_meta"`
	}
	if json.Unmarshal(m.params, &params) != nil {
		return false
	}
	version, _ := params.Meta[mcp.MetaKeyProtocolVersion].(string)
	return version >= firstModern
}

// noteCancelled remembers that a call's answer is not wanted; the SDK cancels
// the call itself.
func (c *stdioConn) noteCancelled(m *message) {
	var params struct {
		RequestID any `json:"requestId"`
	}
	_ = json.Unmarshal(m.params, &params) // the SDK looks at it again
	id, err := jsonrpc.MakeID(params.RequestID)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	// initialize must not be cancelled.
	if call := c.pending[id]; call != nil && call.method != methodInitialize {
		call.cancelled = true
	}
}

func (c *stdioConn) refuse(f *fault, b *batch) {
	line := encodeError(f)
	if b != nil {
		b.add(line)
		return
	}
	_ = c.writeLine(line) // its failure shows at the next write
}

// batch collects the answers to an array of messages, which go out as one.
type batch struct {
	mu      sync.Mutex
	open    int // answers to wait for
	answers []json.RawMessage
}

func (b *batch) expect() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open++
}

func (b *batch) add(answer []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answers = append(b.answers, answer)
}

// answer takes one answer, nil for none, and returns the array when it was the
// last that was waited for and there is anything to send.
func (b *batch) answer(one []byte) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if one != nil {
		b.answers = append(b.answers, one)
	}
	if b.open--; b.open > 0 || len(b.answers) == 0 {
		return nil
	}
	all, _ := json.Marshal(b.answers) // each is valid JSON
	return all
}

package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stdioConn is the SDK's view of a stdio session. Unlike the SDK's own it
// answers bad input itself and knows which calls are not answered yet.
type stdioConn struct {
	log        *slog.Logger
	maxFrame   int
	maxPending int

	frames  <-chan frame // closes at the end of the input
	queue   []jsonrpc.Message
	eof     chan struct{} // closed when everything before the end was handed on
	eofOnce sync.Once
	running *running

	mu      sync.Mutex
	pending map[jsonrpc.ID]*pendingCall
	freed   chan struct{} // closed and renewed when a call is answered
	version string        // negotiated by initialize, "" before
	ready   bool          // initialize or a call without a session came

	bulk      *bulk
	out       *movingWriter
	outMu     sync.Mutex
	outErr    error
	closed    chan struct{}
	closeOnce sync.Once
}

// pendingCall is a call that the SDK works on.
type pendingCall struct {
	method    string
	batch     *batch // nil when it came alone
	cancelled bool   // its client does not want an answer
}

func newStdioConn(in io.Reader, out io.Writer, o StdioOptions) *stdioConn {
	frames := make(chan frame)
	c := &stdioConn{
		log:        o.Log,
		maxFrame:   o.MaxFrame,
		maxPending: o.MaxPending,
		frames:     frames,
		eof:        make(chan struct{}),
		running:    newRunning(),
		pending:    map[jsonrpc.ID]*pendingCall{},
		freed:      make(chan struct{}),
		bulk:       newBulk(newRoom(o.MaxUnread, true)),
		out:        &movingWriter{w: out},
		closed:     make(chan struct{}),
	}
	go c.readFrames(newFrames(in, o.MaxFrame), frames)
	return c
}

// in returns ctx for a session whose large contents c writes itself.
func (c *stdioConn) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, bulkKey{}, func(http.Header) *bulk { return c.bulk })
}

// readFrames is on a goroutine of its own because a read of a terminal or a
// pipe cannot be interrupted; at the end it may stay behind in one.
func (c *stdioConn) readFrames(f *frames, to chan<- frame) {
	defer close(to)
	for {
		fr, err := f.next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				c.log.Warn("standard input failed", "error", err)
			}
			return
		}
		select {
		case to <- fr:
		case <-c.closed:
			return
		}
	}
}

// SessionID is part of the SDK's interface; stdio has no session ids.
func (c *stdioConn) SessionID() string { return "" }

// Read returns the next message for the SDK. It does not report the end of the
// input before the connection is closed: the SDK would cancel all that runs and
// drop its answers.
func (c *stdioConn) Read(context.Context) (jsonrpc.Message, error) {
	for len(c.queue) == 0 {
		if !c.awaitRoom() {
			return nil, io.EOF
		}
		select {
		case fr, ok := <-c.frames:
			if !ok {
				c.eofOnce.Do(func() { close(c.eof) })
				<-c.closed
				return nil, io.EOF
			}
			c.queue = c.accept(fr)
		case <-c.closed:
			return nil, io.EOF
		}
	}
	msg := c.queue[0]
	c.queue = c.queue[1:]
	return msg, nil
}

// awaitRoom waits while too many calls are pending; false when closed.
func (c *stdioConn) awaitRoom() bool {
	for {
		c.mu.Lock()
		room, freed := len(c.pending) < c.maxPending, c.freed
		c.mu.Unlock()
		if room {
			return true
		}
		select {
		case <-freed:
		case <-c.closed:
			return false
		}
	}
}

// Write sends a message of the SDK as one line. A response to a cancelled call
// is dropped, as the protocol wants it.
func (c *stdioConn) Write(_ context.Context, msg jsonrpc.Message) error {
	resp, ok := msg.(*jsonrpc.Response)
	if !ok {
		line, err := jsonrpc.EncodeMessage(msg)
		if err != nil {
			return fmt.Errorf("encode message: %w", err)
		}
		return c.writeLine(line)
	}
	call := c.take(resp)
	if call == nil {
		c.log.Warn("response to no call", "id", resp.ID.Raw())
		return nil
	}
	defer c.running.leave()
	var line []byte
	if !call.cancelled || call.method == methodListen {
		resp.Error = c.visible(call.method, resp.Error)
		var err error
		if line, err = jsonrpc.EncodeMessage(resp); err != nil {
			return fmt.Errorf("encode response: %w", err)
		}
	} else {
		c.bulk.forget(resp.Result)
	}
	if call.batch != nil {
		c.bulk.room.batch(-1)
		line = call.batch.answer(line)
	}
	if line == nil {
		return nil
	}
	return c.writeLine(line)
}

// take removes the call that a response answers.
func (c *stdioConn) take(resp *jsonrpc.Response) *pendingCall {
	c.mu.Lock()
	defer c.mu.Unlock()
	call := c.pending[resp.ID]
	if call == nil {
		return nil
	}
	delete(c.pending, resp.ID)
	close(c.freed)
	c.freed = make(chan struct{})
	if call.method == methodInitialize {
		var result struct {
			ProtocolVersion string `json:"protocolVersion"`
		}
		if resp.Error == nil && json.Unmarshal(resp.Result, &result) == nil {
			c.version = result.ProtocolVersion
		}
	}
	return call
}

// visible keeps errors off the wire that never passed the server's own mapping:
// the SDK sends them with code 0 and all their text.
func (c *stdioConn) visible(method string, err error) error {
	var wire *jsonrpc.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wire) && wire.Code == jsonrpc.CodeInvalidParams && err != error(wire):
		// The SDK's text repeats all the params and names Go types.
		return &jsonrpc.Error{Code: wire.Code, Message: fmt.Sprintf("Invalid params: not the params of %s", method)}
	case wire != nil && wire.Code != 0:
		return err
	case errors.Is(err, context.Canceled):
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Request cancelled"}
	}
	c.log.Error("request failed outside of its handler", "error", err)
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Internal error"}
}

// writeLine writes a whole line or breaks the session.
func (c *stdioConn) writeLine(line []byte) error {
	c.outMu.Lock()
	defer c.outMu.Unlock()
	select {
	case <-c.closed:
		return mcp.ErrConnectionClosed
	default:
	}
	if err := c.bulk.write(c.out, append(line, '\n')); err != nil {
		c.outErr = err
		c.Close()
	}
	return c.outErr
}

// broken returns why the output ended, if it did.
func (c *stdioConn) broken() error {
	// Not under a lock that a stuck write holds.
	if !c.outMu.TryLock() {
		return errors.New("write standard output: it is not read, and ends within a line")
	}
	defer c.outMu.Unlock()
	if c.outErr != nil {
		return fmt.Errorf("write standard output: %w", c.outErr)
	}
	return nil
}

// Close ends the connection. A line that is being written is not cut.
func (c *stdioConn) Close() error {
	c.closeOnce.Do(func() { close(c.closed) })
	return nil
}

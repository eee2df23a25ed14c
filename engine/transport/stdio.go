package transport

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// StdioOptions are the settings of [Stdio]; a zero value means the default.
type StdioOptions struct {
	// Log gets what is worth an operator's attention; nil discards.
	Log *slog.Logger
	// MaxFrame bounds one line of input in bytes. Default 4 MiB.
	MaxFrame int
	// MaxPending bounds the calls that were read and are not answered; at the
	// bound, reading pauses. Default 1024.
	MaxPending int
	// MaxUnread bounds the bytes of large contents that wait for the client to
	// read them; at the bound, further reads of resources wait. Default 256 MiB.
	MaxUnread int
	// EOFGrace is how long calls may run on after the end of the input and after
	// the output last moved, before they are cancelled. Default 1 s, so that the
	// whole end takes less than 2 unless a client still reads its answers.
	EOFGrace time.Duration
	// Grace is the same for the end of the context. Default 5 s.
	Grace time.Duration
}

// cancelGrace is how long a cancelled call has for its answer.
const cancelGrace = 300 * time.Millisecond

// Stdio serves one session of newline-delimited JSON until the input ends, the
// output breaks or ctx is done. It returns nil but for a broken output, or one
// that ends within a line because nobody reads it.
//
// A bad line is answered and the session goes on. After the end of the input
// every call that was read is answered, however slowly the answers are read.
// After the end of ctx new calls are refused and the running ones finish; both
// have a grace period, after which calls are cancelled. Stdio does not wait for a handler that ignores its
// cancellation, nor for a read of in that never returns: its caller is expected
// to end the process.
func Stdio(ctx context.Context, server *mcp.Server, in io.Reader, out io.Writer, o StdioOptions) error {
	o = o.withDefaults()
	server.AddReceivingMiddleware(stoppable, leavingOut(o.Log))
	s := newStop()
	c := newStdioConn(in, out, o)
	defer c.Close()
	session, err := server.Connect(c.in(s.in(context.WithoutCancel(ctx))), stdioTransport{c}, nil)
	if err != nil {
		return err
	}
	over := make(chan struct{})
	go func() { defer close(over); _ = session.Wait() }()

	select {
	case <-c.eof:
		c.finish(s, func(idle <-chan struct{}) bool { return c.read(ctx, idle, o.EOFGrace) })
	case <-ctx.Done():
		c.finish(s, func(idle <-chan struct{}) bool { return within(idle, o.Grace) })
	case <-c.closed: // the output is broken
		c.finish(s, func(idle <-chan struct{}) bool { return within(idle, 0) })
	}
	c.Close()
	within(over, cancelGrace)
	return c.broken()
}

func (o StdioOptions) withDefaults() StdioOptions {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.MaxFrame <= 0 {
		o.MaxFrame = 4 << 20
	}
	if o.MaxPending <= 0 {
		o.MaxPending = 1024
	}
	if o.MaxUnread <= 0 {
		o.MaxUnread = maxUnread
	}
	if o.EOFGrace <= 0 {
		o.EOFGrace = time.Second
	}
	if o.Grace <= 0 {
		o.Grace = 5 * time.Second
	}
	return o
}

// finish lets the running calls end, first by themselves for as long as wait
// waits, then by force.
func (c *stdioConn) finish(s *stop, wait func(idle <-chan struct{}) bool) {
	idle := c.running.close()
	s.cancelStreams()
	defer s.cancelRequests()
	if wait(idle) {
		return
	}
	c.log.Warn("cancelling requests at the end of the grace period", "requests", c.running.count())
	s.cancelRequests()
	within(idle, cancelGrace)
}

// read waits for the calls to end while a client reads their answers: until the
// output has not moved for the grace period, or ctx is done.
func (c *stdioConn) read(ctx context.Context, idle <-chan struct{}, grace time.Duration) bool {
	for left := grace; left > 0; left = grace - c.out.still() {
		t := time.NewTimer(left)
		select {
		case <-idle:
			t.Stop()
			return true
		case <-ctx.Done():
			t.Stop()
			return false
		case <-t.C:
		}
	}
	return false
}

// within reports whether done closes in time.
func within(done <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}

// stdioTransport hands a connection that exists to the SDK.
type stdioTransport struct{ conn *stdioConn }

func (t stdioTransport) Connect(context.Context) (mcp.Connection, error) { return t.conn, nil }

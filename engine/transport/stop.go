package transport

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// methodListen is the one request that ends only when it is cancelled.
const methodListen = "subscriptions/listen"

// stop ends the requests of a transport from outside. The SDK passes neither
// the end of a connection's context nor the closing of a session on to its
// handlers, only the context's values; so it travels as one.
type stop struct {
	streams, requests             context.Context
	cancelStreams, cancelRequests context.CancelFunc
}

type stopKey struct{}

func newStop() *stop {
	s := &stop{}
	s.streams, s.cancelStreams = context.WithCancel(context.Background())
	s.requests, s.cancelRequests = context.WithCancel(context.Background())
	return s
}

// in returns ctx for a connection whose requests s can end.
func (s *stop) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, stopKey{}, s)
}

// stoppable is the middleware that links a request to the stop of its
// connection. Adding it twice does no harm.
func stoppable(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		s, ok := ctx.Value(stopKey{}).(*stop)
		if !ok {
			return next(ctx, method, req)
		}
		by := s.requests
		if method == methodListen {
			by = s.streams
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(by, cancel)()
		return next(ctx, method, req)
	}
}

// running counts calls from the moment they are taken until their answer is
// written.
type running struct {
	mu     sync.Mutex
	n      int
	closed bool
	idle   chan struct{} // closed when closed and n is 0
}

func newRunning() *running { return &running{idle: make(chan struct{})} }

// enter takes a call, or refuses it because the transport stops.
func (r *running) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.n++
	return true
}

func (r *running) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n--
	r.signal()
}

// close refuses all calls from now on; the channel closes when none runs.
func (r *running) close() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed = true
		r.signal()
	}
	return r.idle
}

func (r *running) closing() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

func (r *running) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n
}

func (r *running) signal() {
	if r.closed && r.n == 0 {
		close(r.idle)
	}
}

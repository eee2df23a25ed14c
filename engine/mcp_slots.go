package engine

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// defaultInFlight is how many requests work at once when nothing is said.
const defaultInFlight = 64

// slots bounds the work in flight: the SDK runs every request of a session at
// once, so that one client could open a thousand queries.
type slots chan struct{}

func newSlots(n int) slots {
	if n <= 0 {
		n = defaultInFlight
	}
	return make(slots, n)
}

// bound lets the methods that reach a source wait for a slot. All others,
// ping above all, are answered at once.
func (e *edge) bound(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch method {
		case methodRead, methodListResources, methodCallTool, methodGetPrompt, methodComplete:
		default:
			return next(ctx, method, req)
		}
		select {
		case e.slots <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		defer func() { <-e.slots }()
		return next(ctx, method, req)
	}
}

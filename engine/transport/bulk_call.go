package transport

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bulkKey is the context's key of a func(http.Header) *bulk, which finds the
// bulk of a request by its header, nil on stdio; it may return nil.
type bulkKey struct{}

// leavingOut is the middleware that takes large contents out of results. Adding
// it twice does no harm.
func leavingOut(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		large, ok := res.(leavesOut)
		find, found := ctx.Value(bulkKey{}).(func(http.Header) *bulk)
		if err != nil || !ok || !found {
			return res, err
		}
		var header http.Header
		if extra := req.GetExtra(); extra != nil {
			header = extra.Header
		}
		if b := find(header); b != nil {
			large.LeaveOut(bulkSize, b.hold)
		}
		return res, nil
	}
}

// bulks are those of the calls that an HTTP transport answers. A call carries
// the key of its own in a header, since the SDK hands a handler the context of
// its session, not that of its request.
type bulks struct{ m sync.Map }

const headerBulk = "Mcpdecl-Call"

func (s *bulks) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, bulkKey{}, s.find)
}

func (s *bulks) find(h http.Header) *bulk {
	b, _ := s.m.Load(h.Get(headerBulk))
	found, _ := b.(*bulk)
	return found
}

// open gives a call its bulk, until done.
func (s *bulks) open(r *http.Request) (b *bulk, done func()) {
	b = newBulk()
	key := rand.Text()
	r.Header.Set(headerBulk, key)
	s.m.Store(key, b)
	return b, func() { s.m.Delete(key) }
}

// bulkWriter puts the contents into the SDK's answer.
type bulkWriter struct {
	http.ResponseWriter
	bulk *bulk
}

func (w *bulkWriter) Write(p []byte) (int, error) {
	if err := w.bulk.write(w.ResponseWriter, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Unwrap is how the SDK finds Flush.
func (w *bulkWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

package transport

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bulkKey is the context's key of a func(http.Header) *bulk, which finds the
// bulk of a request by its header, nil on stdio; it may return nil.
type bulkKey struct{}

// noRoom answers a read whose contents would be too much beside those that other
// clients have not taken yet.
func noRoom(uri string) error {
	data, _ := json.Marshal(map[string]string{"uri": uri}) // cannot fail
	return &jsonrpc.Error{
		Code: jsonrpc.CodeInternalError, Message: "The server holds too many answers that are not read yet; ask again later", Data: data,
	}
}

// leavingOut is the middleware that takes large contents out of results. Adding
// it twice does no harm.
func leavingOut(log *slog.Logger) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler { return leaver{log, next}.handle }
}

type leaver struct {
	log  *slog.Logger
	next mcp.MethodHandler
}

func (l leaver) handle(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
	if b := bulkOf(ctx, req); b != nil && method == methodRead {
		if err := b.room.enter(ctx); err != nil {
			return nil, err
		}
		defer b.room.leave()
	}
	// The same middleware further in finds no bulk.
	res, err := l.next(context.WithValue(ctx, bulkKey{}, nil), method, req)
	large, ok := res.(leavesOut)
	if err != nil || !ok {
		return res, err
	}
	b := bulkOf(ctx, req) // not that of before: its call may have ended
	if b == nil {
		return res, nil
	}
	full := false
	large.LeaveOut(bulkSize, func(data []byte, base64 bool) string {
		mark, ok := b.hold(data, base64)
		full = full || !ok
		return mark
	})
	if full {
		uri := ""
		if read, ok := req.(*mcp.ReadResourceRequest); ok {
			uri = read.Params.URI
		}
		l.log.WarnContext(ctx, "refusing an answer: others that clients do not read fill the room", "uri", uri)
		return nil, noRoom(uri)
	}
	return res, nil
}

// bulkOf is the bulk of a request, nil where nobody writes its contents.
func bulkOf(ctx context.Context, req mcp.Request) *bulk {
	find, ok := ctx.Value(bulkKey{}).(func(http.Header) *bulk)
	if !ok {
		return nil
	}
	var header http.Header
	if extra := req.GetExtra(); extra != nil {
		header = extra.Header
	}
	return find(header)
}

// bulks are those of the calls that an HTTP transport answers. A call carries
// the key of its own in a header, since the SDK hands a handler the context of
// its session, not that of its request.
type bulks struct {
	room *room // of all calls together
	m    sync.Map
}

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
	b = newBulk(s.room)
	key := rand.Text()
	r.Header.Set(headerBulk, key)
	s.m.Store(key, b)
	return b, func() {
		s.m.Delete(key)
		b.close()
	}
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

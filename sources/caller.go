package sources

import "context"

type callerKey struct{}

// WithCaller returns a context that carries the header of the HTTP request
// that a client made, for sources that pass parts of it on. There is none where
// the client is not connected over HTTP.
func WithCaller(ctx context.Context, header map[string][]string) context.Context {
	return context.WithValue(ctx, callerKey{}, header)
}

// CallerHeader returns the header that WithCaller put into the context, or nil.
func CallerHeader(ctx context.Context) map[string][]string {
	h, _ := ctx.Value(callerKey{}).(map[string][]string)
	return h
}

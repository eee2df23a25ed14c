package engine

import (
	"context"
	"log/slog"
)

// quieter is the log of the SDK, one level lower: it calls every connection of
// a stateless request an event of interest and a client's mistake an error.
type quieter struct{ slog.Handler }

func (q quieter) Enabled(ctx context.Context, l slog.Level) bool {
	return q.Handler.Enabled(ctx, lower(l))
}

func (q quieter) Handle(ctx context.Context, r slog.Record) error {
	r.Level = lower(r.Level)
	return q.Handler.Handle(ctx, r)
}

func (q quieter) WithAttrs(attrs []slog.Attr) slog.Handler {
	return quieter{q.Handler.WithAttrs(attrs)}
}

func (q quieter) WithGroup(name string) slog.Handler { return quieter{q.Handler.WithGroup(name)} }

func lower(l slog.Level) slog.Level { return l - (slog.LevelInfo - slog.LevelDebug) }

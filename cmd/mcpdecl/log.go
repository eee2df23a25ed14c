package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/mcpdecl/mcpdecl/decl"
)

// newLogger writes structured lines to w.
func newLogger(w io.Writer, level, format string) (*slog.Logger, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return nil, usageError{fmt.Errorf("--log-level has no value %q: it is debug, info, warn or error", level)}
	}
	o := &slog.HandlerOptions{Level: l}
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, o)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, o)), nil
	}
	return nil, usageError{fmt.Errorf("--log-format has no value %q: it is text or json", format)}
}

// hideSecrets returns a logger that lets no secret of a configuration through,
// whoever wrote the text: drivers and clients put what they were given into
// their errors.
func hideSecrets(log *slog.Logger, s *decl.Secrets) *slog.Logger {
	return slog.New(redactor{log.Handler(), s})
}

type redactor struct {
	slog.Handler
	secrets *decl.Secrets
}

func (r redactor) Handle(ctx context.Context, rec slog.Record) error {
	clean := slog.NewRecord(rec.Time, rec.Level, r.secrets.Hide(rec.Message), rec.PC)
	rec.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(r.attr(a))
		return true
	})
	return r.Handler.Handle(ctx, clean)
}

func (r redactor) attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		return slog.String(a.Key, r.secrets.Hide(v.String()))
	case slog.KindGroup:
		var members []any
		for _, m := range v.Group() {
			members = append(members, r.attr(m))
		}
		return slog.Group(a.Key, members...)
	case slog.KindAny:
		return slog.String(a.Key, r.secrets.Hide(fmt.Sprint(v.Any())))
	}
	return a
}

func (r redactor) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = r.attr(a)
	}
	return redactor{r.Handler.WithAttrs(clean), r.secrets}
}

func (r redactor) WithGroup(name string) slog.Handler {
	return redactor{r.Handler.WithGroup(name), r.secrets}
}

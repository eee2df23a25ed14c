package sql

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
)

// source answers reads with the rows of one query.
type source struct {
	checked  []string // columns, after Check
	conn     *connection
	settings *sourceSettings
	limits   limits
	// sizeHint is the size of the last document: the next one is likely to be
	// as long, and then its buffer never grows.
	sizeHint atomic.Int64

	// cut says that the result was longer than max_rows before.
	cut atomic.Bool

	mu    sync.Mutex
	texts map[string]expansion // by the lengths of the lists
}

// expansion is a query's text for lists of certain lengths.
type expansion struct {
	text  string
	order []int
}

func newSource(_ sources.Host, conn sources.Connection, s *decl.Source) (sources.Source, error) {
	c, ok := conn.(*connection)
	settings, ok2 := s.Settings.(*sourceSettings)
	if !ok || !ok2 || settings.query == nil {
		return nil, errors.New("open sql source: it was not decoded without mistakes")
	}
	return &source{conn: c, settings: settings, limits: settings.limits.or(c.settings.limits)}, nil
}

// Read runs the query once.
func (s *source) Read(ctx context.Context, req *sources.Request) (*sources.Result, error) {
	st, err := s.bind(req)
	if err != nil {
		return nil, err
	}
	// A read that waits for others does not lose the time of its own query.
	done, err := s.conn.turn(ctx, s.limits.timeout)
	if err != nil {
		return nil, s.failure(ctx, ctx, err)
	}
	defer done()
	bounded, cancel := context.WithTimeout(ctx, s.limits.timeout)
	defer cancel()
	defer context.AfterFunc(s.conn.closing, cancel)()
	var result *sources.Result
	err = s.conn.run(bounded, st, func(c cursor) (err error) {
		result, err = s.collect(c, req)
		return err
	})
	if err == nil {
		return result, nil
	}
	return nil, s.failure(ctx, bounded, err)
}

// failure says whether the caller gave up, the query took too long, or what
// else went wrong, with what of it a client may see.
func (s *source) failure(caller, bounded context.Context, err error) error {
	if errors.Is(err, sources.ErrNotFound) {
		return err
	}
	if cause := caller.Err(); cause != nil {
		return fmt.Errorf("query %s: %w", s.conn.id, cause)
	}
	if s.conn.closing.Err() != nil {
		return fmt.Errorf("query %s: %w", s.conn.id, ErrClosed)
	}
	var down *UnavailableError
	var timeout *TimeoutError
	if !errors.As(err, &down) {
		if bounded.Err() != nil && !errors.As(err, &timeout) {
			err = &TimeoutError{After: s.limits.timeout}
		}
		err = fmt.Errorf("query %s: %w", s.conn.id, err)
	}
	var reason publicReason
	if errors.As(err, &reason) {
		return &sources.PublicError{Message: reason.public(), Err: err}
	}
	return err
}

// Explain says what would be sent.
func (s *source) Explain(req *sources.Request) (*sources.Plan, error) {
	st, err := s.bind(req)
	if err != nil {
		return nil, err
	}
	plan := &sources.Plan{Kind: "sql", Connection: s.conn.id, Statement: st.text, Bound: []sources.Bound{}}
	for i, v := range st.args {
		if d, ok := v.(decimal); ok {
			v = string(d)
		}
		if st.secret != nil && st.secret[i] {
			v = "(secret)"
		}
		plan.Bound = append(plan.Bound, sources.Bound{Name: st.name(i), Value: v})
	}
	return plan, nil
}

// expanded returns the text for lists of these lengths; recent ones are kept,
// so that the same string finds its prepared statement again.
func (s *source) expanded(counts []int) (string, []int) {
	key := fmt.Sprint(counts)
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.texts[key]; ok {
		return e.text, e.order
	}
	text, order := s.settings.query.expand(counts, nil)
	if s.texts == nil || len(s.texts) >= 64 {
		s.texts = map[string]expansion{}
	}
	s.texts[key] = expansion{text, order}
	return text, order
}

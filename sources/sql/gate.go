package sql

import (
	"context"
	"database/sql/driver"
	"errors"
	"sync"
	"time"
)

// gate opens sessions for the pool of database/sql. Until a database has been
// reached, only one attempt is under way at a time, and after a failed one the
// database is left alone for the cooldown: reads fail at once with the last
// error instead of queueing up behind a dead server.
type gate struct {
	opener   opener
	cooldown time.Duration
	timeout  time.Duration // of an attempt
	now      func() time.Time

	mu         sync.Mutex
	reached    bool      // the last attempt succeeded
	failed     error     // of the last attempt, when there was one and it did not
	failedAt   time.Time // when it failed
	trying     chan struct{}
	generation int // sessions of an older one are not used again
}

// dialError is the failure to open a session.
type dialError struct{ cause error }

func (e *dialError) Error() string { return e.cause.Error() }
func (e *dialError) Unwrap() error { return e.cause }

func newGate(o opener, s *settings, now func() time.Time) *gate {
	if now == nil {
		now = time.Now
	}
	return &gate{opener: o, cooldown: s.cooldown, timeout: s.limits.timeout, now: now}
}

// Driver is part of driver.Connector; nothing asks for it.
func (g *gate) Driver() driver.Driver { return nil }

// Connect opens a session.
func (g *gate) Connect(ctx context.Context) (driver.Conn, error) {
	release, err := g.enter(ctx)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	generation := g.generation
	g.mu.Unlock()
	began := g.now()
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	s, err := g.opener.open(ctx)
	// An attempt that its caller cut short says nothing about the database.
	// Neither does a lock that a writer of the same file holds.
	cut := isBusy(err) || errors.Is(ctx.Err(), context.Canceled) || ctx.Err() != nil && g.now().Sub(began) < time.Second && g.timeout > time.Second
	release(err, err != nil && cut)
	if err != nil {
		return nil, &dialError{err}
	}
	return &pooled{session: s, gate: g, generation: generation}, nil
}

// enter waits until an attempt may be made. Once the database has been reached,
// attempts do not wait for one another.
func (g *gate) enter(ctx context.Context) (release func(err error, cut bool), err error) {
	for {
		g.mu.Lock()
		if g.reached {
			g.mu.Unlock()
			return g.leave, nil
		}
		if g.failed != nil && g.now().Sub(g.failedAt) < g.cooldown {
			err := g.failed
			g.mu.Unlock()
			return nil, &dialError{err}
		}
		trying := g.trying
		if trying == nil {
			trying = make(chan struct{})
			g.trying = trying
			g.mu.Unlock()
			return func(err error, cut bool) {
				g.leave(err, cut)
				g.mu.Lock()
				g.trying = nil
				g.mu.Unlock()
				close(trying)
			}, nil
		}
		g.mu.Unlock()
		select {
		case <-trying:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// leave records how an attempt ended, unless it was cut short.
func (g *gate) leave(err error, cut bool) {
	if cut {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.reached, g.failed, g.failedAt = err == nil, err, g.now()
}

// renew keeps the sessions that are open now from being used again: where one
// has died, the others have as well.
func (g *gate) renew() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.generation++
}

// pooled is a session as database/sql sees it.
type pooled struct {
	session
	gate       *gate
	generation int
}

// IsValid reports whether the session may be used again.
func (p *pooled) IsValid() bool {
	p.gate.mu.Lock()
	current := p.generation == p.gate.generation
	p.gate.mu.Unlock()
	return current && p.session.IsValid()
}

// ResetSession is called before a session is used again.
func (p *pooled) ResetSession(context.Context) error {
	if !p.IsValid() {
		return driver.ErrBadConn
	}
	return nil
}

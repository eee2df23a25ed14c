package sql

import (
	"context"
	stdsql "database/sql"
	"database/sql/driver"
	"errors"
	"time"

	"github.com/mcpdecl/mcpdecl/sources"
)

// connection is a pool of sessions with one database. database/sql keeps the
// pool; the sessions speak to the drivers at their own level, where values
// have not passed through a lossy type.
type connection struct {
	id       string
	settings *settings
	host     sources.Host
	db       *stdsql.DB
	gate     *gate
	// turns holds one entry for each read that has a session or is about to get
	// one. Who waits for a turn is served in the order of arrival, which the
	// pool itself does not do.
	turns chan struct{}
	// closing is done when the connection is closed.
	closing context.Context
	end     context.CancelFunc
}

// session is one open connection to a database.
type session interface {
	driver.Conn
	driver.Validator
	// query sends the statement. When ctx ends, the work ends in the database
	// too, and not only the wait for it. The cursor belongs to the caller.
	query(ctx context.Context, st *statement) (cursor, error)
	// check prepares the statement without running it.
	check(ctx context.Context, st *statement) (*prepared, error)
}

// opener opens sessions; what it opens on the way is closed by close.
type opener interface {
	open(ctx context.Context) (session, error)
	// stale reports whether the error means that a session had died before it
	// was used, or that what it had prepared is no longer valid.
	stale(err error) bool
	// plain makes an error fit for the log: one of this package's where it
	// means the same, and without anything secret.
	plain(err error) error
}

func openConnection(host sources.Host, id string, s *settings) (*connection, error) {
	c := &connection{id: id, settings: s, host: host}
	o, err := c.opener()
	if err != nil {
		return nil, err
	}
	c.closing, c.end = context.WithCancel(context.Background())
	c.turns = make(chan struct{}, s.maxOpen)
	c.gate = newGate(o, s, host.Now)
	c.db = stdsql.OpenDB(c.gate)
	c.db.SetMaxOpenConns(s.maxOpen)
	c.db.SetMaxIdleConns(s.maxIdle)
	c.db.SetConnMaxLifetime(s.maxLifetime)
	return c, nil
}

func (c *connection) opener() (opener, error) {
	switch c.settings.dialect.name {
	case "sqlite":
		return newSQLite(c.host, c.id, c.settings)
	case "postgres":
		return newPostgres(c.host, c.settings)
	default:
		return newMySQL(c.host, c.settings)
	}
}

// Close ends running work and releases everything.
func (c *connection) Close() error {
	c.end()
	return c.db.Close()
}

// Ping opens a session or says why it cannot.
func (c *connection) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.settings.limits.timeout)
	defer cancel()
	return c.session(ctx, func(session) error { return nil })
}

// turn waits until one of max_open sessions is free for the caller, at most for
// the time of a query; done gives it back.
func (c *connection) turn(ctx context.Context, most time.Duration) (done func(), err error) {
	done = func() { <-c.turns }
	select {
	case c.turns <- struct{}{}:
		return done, nil
	default:
	}
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case c.turns <- struct{}{}:
		return done, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.closing.Done():
		return nil, ErrClosed
	case <-timer.C:
		return nil, &WaitError{After: most, MaxOpen: cap(c.turns)}
	}
}

// run executes the statement and hands its rows to read. A session that had
// died in the pool is replaced once, if nothing can have been written.
func (c *connection) run(ctx context.Context, st *statement, read func(cursor) error) error {
	for attempt := 0; ; attempt++ {
		started := false
		err := c.session(ctx, func(s session) error {
			cur, err := s.query(ctx, st)
			if err != nil {
				return err
			}
			started = true
			err = read(cur)
			return errors.Join(err, cur.close(err == nil || errors.Is(err, sources.ErrNotFound)))
		})
		safe := c.settings.readOnly || errors.Is(err, errReplaced)
		again := attempt == 0 && !started && safe && ctx.Err() == nil
		if err == nil || !again || !c.gate.opener.stale(err) {
			return c.plain(err)
		}
		c.gate.renew()
	}
}

// session borrows a session from the pool.
func (c *connection) session(ctx context.Context, use func(session) error) error {
	conn, err := c.db.Conn(ctx)
	if err != nil {
		return c.plain(err)
	}
	var used error
	err = conn.Raw(func(dc any) error {
		s := dc.(*pooled)
		used = use(s.session)
		if !s.IsValid() {
			return driver.ErrBadConn // takes it out of the pool
		}
		return nil
	})
	if closed := conn.Close(); used == nil && closed != nil && !errors.Is(closed, driver.ErrBadConn) && !errors.Is(closed, stdsql.ErrConnDone) {
		used = closed
	}
	if used == nil && err != nil && !errors.Is(err, driver.ErrBadConn) {
		used = err
	}
	return used
}

// plain gives an error its final form, unless it has it already.
func (c *connection) plain(err error) error {
	var down *UnavailableError
	switch {
	case err == nil || errors.Is(err, sources.ErrNotFound) || errors.As(err, &down):
		return err
	case err.Error() == "sql: database is closed":
		return ErrClosed
	}
	var dial *dialError
	if errors.As(err, &dial) && !isBusy(err) {
		return &UnavailableError{Connection: c.id, Cause: c.gate.opener.plain(dial.cause)}
	}
	return c.gate.opener.plain(err)
}

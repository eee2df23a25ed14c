package sql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/mattn/go-sqlite3"
)

// sqliteSession is one open file handle. It is used by one read at a time.
type sqliteSession struct {
	*sqlite3.SQLiteConn
	readOnly    bool
	busyTimeout time.Duration
	stmts       stmts[string, *sqliteStmt]
	nudge       *sqlite3.SQLiteStmt
	length      int // the limit on a single value
	broken      bool
	replaced    func() bool // whether the file's name stands for another file
}

// sqliteStmt is a prepared statement with what is known of its columns.
type sqliteStmt struct {
	*sqlite3.SQLiteStmt
	cols     []column
	json     []bool  // columns declared JSON
	declared *string // the driver's slice that cols and json were read from
}

func (s *sqliteSession) IsValid() bool { return !s.broken }

func (s *sqliteSession) Close() error {
	s.stmts.clear()
	return errors.Join(s.nudge.Close(), s.SQLiteConn.Close())
}

// minLength is the size up to which SQLite may make a single value whatever
// max_bytes is: a query may well compute with values that it does not return.
const minLength = 64 << 20

func (s *sqliteSession) query(ctx context.Context, st *statement) (cursor, error) {
	if s.replaced() {
		s.broken = true
		return nil, errReplaced
	}
	if n := int(min(max(st.limits.maxBytes, minLength), 1e9)); n != s.length {
		// Keeps a huge value from being copied only to be refused.
		s.SetLimit(sqlite3.SQLITE_LIMIT_LENGTH, n)
		s.length = n
	}
	var cur cursor
	err := untilFree(ctx, s.busyTimeout, func() (err error) {
		cur, err = s.start(ctx, st)
		return err
	})
	return cur, err
}

// busySlice is how long SQLite itself waits for a lock.
const busySlice = 100 * time.Millisecond

// untilFree tries again as long as a writer holds the lock, up to the
// connection's busy_timeout.
func untilFree(ctx context.Context, busyTimeout time.Duration, try func() error) error {
	deadline := time.Now().Add(busyTimeout)
	for {
		err := try()
		if !isBusy(err) || time.Now().After(deadline) {
			return err
		}
		select { // SQLite does not wait at all where it sees that waiting is no use
		case <-ctx.Done():
			return err
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func isBusy(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.Code == sqlite3.ErrBusy || e.Code == sqlite3.ErrLocked)
}

// start begins the statement, on a connection that may write in a transaction.
func (s *sqliteSession) start(ctx context.Context, st *statement) (cursor, error) {
	stmt, err := s.prepared(st.text)
	if err != nil {
		return nil, err
	}
	if s.readOnly {
		return s.run(ctx, stmt, st)
	}
	if _, err := s.Exec("BEGIN", nil); err != nil {
		return nil, err
	}
	cur, err := s.run(ctx, stmt, st)
	if err != nil {
		return nil, errors.Join(err, s.end(ctx, false))
	}
	return cur, nil
}

// end closes the transaction of a session that may write.
func (s *sqliteSession) end(ctx context.Context, ok bool) error {
	if s.readOnly || s.AutoCommit() {
		return nil // SQLite has rolled back by itself after some errors
	}
	verb := "ROLLBACK"
	if ok {
		verb = "COMMIT"
	}
	err := untilFree(ctx, s.busyTimeout, func() error {
		_, err := s.Exec(verb, nil)
		return err
	})
	if err != nil {
		s.broken = true // closing it rolls back
	}
	return err
}

func (s *sqliteSession) run(ctx context.Context, stmt *sqliteStmt, st *statement) (cursor, error) {
	args := make([]driver.NamedValue, len(st.args))
	for i, v := range st.args {
		if d, ok := v.(decimal); ok {
			f, err := strconv.ParseFloat(string(d), 64)
			if err != nil {
				return nil, fmt.Errorf("bind :%s: %w", st.name(i), err)
			}
			v = f
		}
		args[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	end := s.interruptAt(ctx)
	rows, err := stmt.QueryContext(context.Background(), args)
	if err != nil {
		end()
		return nil, err
	}
	return newSQLiteRows(ctx, s, stmt, rows.(*sqlite3.SQLiteRows), end), nil
}

func (s *sqliteSession) prepared(text string) (*sqliteStmt, error) {
	if stmt, ok := s.stmts.get(text); ok {
		return stmt, nil
	}
	p, err := s.Prepare(text)
	if err != nil {
		return nil, err
	}
	stmt := &sqliteStmt{SQLiteStmt: p.(*sqlite3.SQLiteStmt)}
	if s.readOnly && !stmt.Readonly() {
		return nil, errors.Join(ErrReadOnly, stmt.Close())
	}
	s.stmts.put(text, stmt)
	return stmt, nil
}

package sql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

// mysqlSession prepares every statement, with and without values, so that all
// results come in the binary protocol and one column gives one form. Prepared
// statements hold one statement only.
type mysqlSession struct {
	opener  *mysqlOpener
	conn    driver.Conn
	wire    *budgetConn
	stmts   stmts[string, *mysqlStmt]
	id      uint64 // of the connection in the server
	mariaDB bool
	timeout time.Duration // the server's own limit of a statement
	most    int           // sql_select_limit
	limits  limits
	broken  bool

	stopWatch func() bool
	killed    chan struct{}
}

// mysqlStmt is a prepared statement.
type mysqlStmt struct{ driver.Stmt }

// Prepare and Begin make the session a driver.Conn; neither is used.
func (s *mysqlSession) Prepare(string) (driver.Stmt, error) { return nil, errors.ErrUnsupported }
func (s *mysqlSession) Begin() (driver.Tx, error)           { return nil, errors.ErrUnsupported }

func (s *mysqlSession) Close() error {
	if s.wire != nil {
		// What is left of a result is not worth waiting for.
		_ = s.wire.SetDeadline(time.Now().Add(grace))
	}
	_ = s.conn.Close() // that it is gone already is no fault
	return nil
}

func (s *mysqlSession) IsValid() bool {
	v, ok := s.conn.(driver.Validator)
	return !s.broken && (!ok || v.IsValid())
}

// start sets what every statement of the session relies on. A read-only
// session begins every transaction as a read-only one, also the one that each
// single statement is.
func (s *mysqlSession) start() error {
	row, err := s.ask("SELECT CONNECTION_ID(), VERSION()")
	if err != nil {
		return err
	}
	if s.id, err = strconv.ParseUint(row[0], 10, 64); err != nil {
		return fmt.Errorf("read connection id: %w", err)
	}
	s.mariaDB = strings.Contains(row[1], "MariaDB")
	access := "READ WRITE"
	if s.opener.settings.readOnly {
		access = "READ ONLY"
	}
	for _, text := range []string{
		"SET SESSION TRANSACTION " + access,
		// Times are UTC, and a backslash escapes, as the splitting of queries assumes.
		"SET time_zone = '+00:00', sql_mode = REPLACE(@@sql_mode, 'NO_BACKSLASH_ESCAPES', '')",
	} {
		if err := s.exec(text); err != nil {
			return err
		}
	}
	return nil
}

func (s *mysqlSession) exec(text string) error {
	_, err := s.conn.(driver.ExecerContext).ExecContext(context.Background(), text, nil)
	return err
}

// ask returns the one row of a query as texts.
func (s *mysqlSession) ask(text string) ([]string, error) {
	rows, err := s.conn.(driver.QueryerContext).QueryContext(context.Background(), text, nil)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	dest := make([]driver.Value, len(rows.Columns()))
	if err := rows.Next(dest); err != nil {
		return nil, err
	}
	out := make([]string, len(dest))
	for i, v := range dest {
		if b, ok := v.([]byte); ok {
			out[i] = string(b)
			continue
		}
		out[i] = fmt.Sprint(v)
	}
	return out, nil
}

// readVerbs begin the statements that a read-only session runs. Others could
// leave the read-only transaction, or change the session for the next read:
// SET, COMMIT, and CALL of a procedure that does so.
var readVerbs = []string{"SELECT", "WITH", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "TABLE", "VALUES"}

func (s *mysqlSession) query(ctx context.Context, st *statement) (cur cursor, err error) {
	readOnly := s.opener.settings.readOnly
	if verb := st.source.settings.query.verb; readOnly && !slices.Contains(readVerbs, verb) {
		return nil, fmt.Errorf("%w: %s is not a query", ErrReadOnly, verb)
	}
	s.limits = st.limits
	s.wire.left, s.wire.spent = 2*st.limits.maxBytes+1<<20, false
	s.watch(ctx)
	defer func() {
		if err != nil {
			err = s.failed(err)
			s.unwatch()
		}
	}()
	if err := s.limit(st); err != nil {
		return nil, err
	}
	stmt, err := s.prepared(st.text)
	if err != nil {
		return nil, err
	}
	if !readOnly {
		if err := s.exec("START TRANSACTION"); err != nil {
			return nil, err
		}
	}
	rows, err := stmt.Stmt.(driver.StmtQueryContext).QueryContext(context.Background(), mysqlArgs(st))
	if err != nil {
		if !readOnly && s.IsValid() {
			err = errors.Join(err, s.exec("ROLLBACK"))
		}
		s.leave(st.source.settings.query)
		s.stmts.dropIf(st.text, s.opener.stale(err))
		return nil, err
	}
	return newMySQLRows(s, st.source.settings.query, rows), nil
}

// limit tells the server how long a statement may take and how many rows it
// may return, where that is not what the session has already.
func (s *mysqlSession) limit(st *statement) error {
	var set []string
	if st.limits.timeout > s.timeout {
		s.timeout = st.limits.timeout
		if s.mariaDB {
			set = append(set, fmt.Sprintf("max_statement_time = %g", s.timeout.Seconds()))
		} else {
			set = append(set, fmt.Sprintf("max_execution_time = %d", s.timeout.Milliseconds()))
		}
	}
	if most := max(st.mostRows(), s.opener.settings.limits.maxRows+1); s.opener.settings.readOnly && most > s.most {
		s.most = most
		set = append(set, fmt.Sprintf("sql_select_limit = %d", most))
	}
	if set == nil {
		return nil
	}
	return s.exec("SET SESSION " + strings.Join(set, ", "))
}

// leave takes back what the query may have left in the session, which stays in
// the pool: locks, and variables, which only the end of the connection clears.
func (s *mysqlSession) leave(q *query) {
	if q.assigns {
		s.broken = true
		return
	}
	if q.locks && s.IsValid() && s.exec("DO RELEASE_ALL_LOCKS()") != nil {
		s.broken = true // an old server does not know it; closing the connection releases them
	}
}

func (s *mysqlSession) prepared(text string) (*mysqlStmt, error) {
	if stmt, ok := s.stmts.get(text); ok {
		return stmt, nil
	}
	p, err := s.conn.(driver.ConnPrepareContext).PrepareContext(context.Background(), text)
	if err != nil {
		return nil, err
	}
	stmt := &mysqlStmt{p}
	s.stmts.put(text, stmt)
	return stmt, nil
}

func mysqlArgs(st *statement) []driver.NamedValue {
	args := make([]driver.NamedValue, len(st.args))
	for i, v := range st.args {
		if d, ok := v.(decimal); ok {
			v = string(d)
		}
		args[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return args
}

// failed says why a statement failed where the driver's error does not.
func (s *mysqlSession) failed(err error) error {
	if s.wire.spent {
		return &TooLargeError{Limit: s.limits.maxBytes}
	}
	var my *mysql.MySQLError
	if errors.As(err, &my) && (my.Number == 1969 || my.Number == 3024) {
		return &TimeoutError{After: s.limits.timeout}
	}
	return err
}

// watch ends the query in the server when ctx ends. A session whose query was
// killed is not used again: the kill could hit the next query.
func (s *mysqlSession) watch(ctx context.Context) {
	s.killed = make(chan struct{})
	s.stopWatch = context.AfterFunc(ctx, func() {
		defer close(s.killed)
		_ = s.wire.SetReadDeadline(time.Now().Add(grace))
		killing, cancel := context.WithTimeout(context.Background(), grace)
		defer cancel()
		_ = s.opener.kill(killing, s.id) // the deadline ends the wait if it fails
	})
}

// unwatch reports whether the query was ended. Some functions, SLEEP among
// them, return a value when they are: the result is not to be used then.
func (s *mysqlSession) unwatch() (ended bool) {
	if s.stopWatch != nil && !s.stopWatch() {
		<-s.killed
		s.broken, ended = true, true
	}
	s.stopWatch = nil
	return ended
}

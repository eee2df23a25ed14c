package sql

import (
	"errors"
	"io"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// pgRows hands out the rows of the query that the session has sent.
type pgRows struct {
	session *pgSession
	st      *statement
	cols    []column
	types   []pgType
	first   *pgproto3.DataRow // the row that begin met
	ended   bool              // no further row will come
	synced  bool              // the server is ready behind the query
}

// begin reads up to the first row, so that a statement which fails, or a
// session that had died, is known before anything was used.
func (s *pgSession) begin(st *statement, stmt *pgPrepared) (cursor, error) {
	r := &pgRows{session: s, st: st}
	if stmt.name != "" { // the server refuses the statement when they have changed
		r.describe(stmt.fields)
	}
	completed := 0
	before := 1 // commands in front of the query
	if s.settings(st) != "" {
		before++
	}
	for {
		msg, err := s.receive()
		if err != nil {
			s.stmts.dropIf(st.pgKey(), isStaleStatement(err))
			return nil, errors.Join(err, r.finish(false))
		}
		switch msg := msg.(type) {
		case *pgproto3.RowDescription:
			r.describe(msg.Fields)
		case *pgproto3.DataRow:
			if completed >= before {
				r.first = msg
				return r, nil
			}
		case *pgproto3.CommandComplete, *pgproto3.EmptyQueryResponse:
			if completed++; completed > before {
				r.ended = true
				return r, nil
			}
		}
	}
}

// describe takes over the columns.
func (r *pgRows) describe(fields []pgproto3.FieldDescription) {
	r.cols = make([]column, len(fields))
	r.types = make([]pgType, len(fields))
	for i, f := range fields {
		r.cols[i].name = string(f.Name)
		r.types[i], _ = r.session.opener.typeOf(f.DataTypeOID)
	}
}

func (r *pgRows) columns() []column { return r.cols }

func (r *pgRows) next(cells []cell) error {
	row := r.first
	r.first = nil
	for row == nil {
		if r.ended {
			return io.EOF
		}
		msg, err := r.session.receive()
		if err != nil {
			r.ended = true
			return err
		}
		switch msg := msg.(type) {
		case *pgproto3.DataRow:
			row = msg
		case *pgproto3.CommandComplete, *pgproto3.PortalSuspended:
			r.ended = true
		}
	}
	r.session.scratch = r.session.scratch[:0]
	for i, value := range row.Values {
		if i >= len(cells) {
			break
		}
		if err := r.session.cell(&cells[i], r.types[i], value); err != nil {
			return err
		}
	}
	return nil
}

func (r *pgRows) close(ok bool) error { return r.finish(ok) }

// mostSkipped is how many rows are read past the end rather than giving up the
// session.
const mostSkipped = 256

// finish leaves the session ready for the next query, or marks it broken. A
// statement that may write is committed only now, when everything went well.
func (r *pgRows) finish(ok bool) error {
	s := r.session
	defer s.unwatch()
	for skipped := 0; !r.ended && !s.broken; skipped++ {
		if skipped == mostSkipped {
			s.broken = true // closing the connection ends the query
			return nil
		}
		msg, err := s.receive()
		if err != nil {
			break
		}
		switch msg.(type) {
		case *pgproto3.CommandComplete, *pgproto3.PortalSuspended:
			r.ended = true
		case *pgproto3.ReadyForQuery:
			r.ended, r.synced = true, true
		}
	}
	if s.broken {
		return nil
	}
	if !r.synced {
		// An error of the query was reported where it was met, and a read-only
		// transaction has nothing to lose.
		_ = s.skip()
	}
	q := r.st.source.settings.query
	if ok && !s.opener.settings.readOnly {
		return s.endTransaction("COMMIT", q)
	}
	return s.endTransaction("ROLLBACK", q)
}

// endTransaction ends the transaction of a query that is still open: one that
// failed, or one of a connection that may write.
func (s *pgSession) endTransaction(verb string, q *query) error {
	if s.broken || s.status == 'I' {
		return nil
	}
	s.execute(verb)
	s.unlock(q)
	s.f.SendSync(&pgproto3.Sync{})
	if err := s.flush(); err != nil {
		return err
	}
	err := s.skip()
	if err != nil && q.locks {
		s.broken = true // closing the connection releases them
	}
	return err
}

// isStaleStatement reports that the prepared statement itself is what failed.
func isStaleStatement(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "0A000" || pg.Code == "26000")
}

package sql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// pgSession speaks the extended protocol itself, over a connection that pgconn
// has opened: a read is one round trip, BEGIN READ ONLY, the query and ROLLBACK
// together, and reading can stop at max_rows.
type pgSession struct {
	opener *postgresOpener
	conn   *pgconn.PgConn
	f      *pgproto3.Frontend
	stmts  stmts[pgKey, *pgPrepared]
	named  int       // statements that were ever prepared, for their names
	status byte      // of the transaction, when the server was last ready
	limits limits    // of the current statement
	began  time.Time // when it began
	broken bool

	stopWatch func() bool
	cancelled chan struct{} // closed when a cancel request has been sent
	scratch   []byte
	params    [][]byte
}

// pgPrepared is a statement that the session has prepared.
type pgPrepared struct {
	*pgStatement
	name string
}

// grace is how long an ended query has to say so before its session is given up.
const grace = time.Second

// Prepare, Begin and Close make the session a driver.Conn; only Close is used.
func (s *pgSession) Prepare(string) (driver.Stmt, error) { return nil, errors.ErrUnsupported }
func (s *pgSession) Begin() (driver.Tx, error)           { return nil, errors.ErrUnsupported }

func (s *pgSession) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	_ = s.conn.Close(ctx) // that it is gone already is no fault
	return nil
}

func (s *pgSession) IsValid() bool { return !s.broken && !s.conn.IsClosed() }

func (s *pgSession) query(ctx context.Context, st *statement) (cur cursor, err error) {
	s.limits, s.began = st.limits, time.Now()
	s.f.SetMaxBodyLen(int(min(2*st.limits.maxBytes+1<<16, 1<<30)))
	s.watch(ctx)
	defer func() {
		if err != nil {
			s.unwatch()
		}
	}()
	if st.counts != nil {
		if st, err = s.typeEmptyLists(st); err != nil {
			return nil, err
		}
	}
	stmt, err := s.prepared(st)
	if err != nil {
		return nil, err
	}
	if err := s.send(st, stmt); err != nil {
		return nil, err
	}
	return s.begin(st, stmt)
}

// send writes the whole read in one piece. When it fails on the way, the
// server skips the ROLLBACK too, and finish sends it.
func (s *pgSession) send(st *statement, stmt *pgPrepared) error {
	params, err := s.encode(st)
	if err != nil {
		return err
	}
	s.executeBegin(st)
	most := 0
	if st.source.cut.Load() {
		// Only where it is likely to be of use: a limit keeps the server from
		// working in parallel.
		most = st.mostRows()
	}
	if stmt.name == "" {
		s.f.SendParse(&pgproto3.Parse{Query: st.text, ParameterOIDs: stmt.params})
	}
	s.f.SendBind(&pgproto3.Bind{PreparedStatement: stmt.name, Parameters: params})
	if stmt.name == "" {
		s.f.SendDescribe(&pgproto3.Describe{ObjectType: 'P'})
	}
	s.f.SendExecute(&pgproto3.Execute{MaxRows: uint32(most)})
	if s.opener.settings.readOnly {
		// Not COMMIT: settings that the query made for the session would stay
		// for other reads, and so would large objects that it wrote, which a
		// read-only transaction allows before version 16.
		s.execute("ROLLBACK")
		s.unlock(st.source.settings.query)
	}
	s.f.SendSync(&pgproto3.Sync{})
	return s.flush()
}

// unlock queues, behind the end of the transaction, the release of the locks
// that the query may have taken for the session, which stays in the pool.
func (s *pgSession) unlock(q *query) {
	if q.locks {
		s.f.SendParse(&pgproto3.Parse{Query: "SELECT pg_catalog.pg_advisory_unlock_all()"})
		s.f.SendBind(&pgproto3.Bind{})
		s.f.SendExecute(&pgproto3.Execute{})
	}
}

// executeBegin queues the statements in front of the query.
func (s *pgSession) executeBegin(st *statement) {
	begin := "BEGIN"
	if s.opener.settings.readOnly {
		begin = "BEGIN READ ONLY"
	}
	s.execute(begin)
	if set := s.settings(st); set != "" {
		s.f.SendParse(&pgproto3.Parse{Query: set})
		s.f.SendBind(&pgproto3.Bind{})
		s.f.SendExecute(&pgproto3.Execute{})
	}
}

// execute queues BEGIN, COMMIT or ROLLBACK.
func (s *pgSession) execute(verb string) {
	name := s.verbName(verb)
	if name == "" {
		s.f.SendParse(&pgproto3.Parse{Query: verb})
	}
	s.f.SendBind(&pgproto3.Bind{PreparedStatement: name})
	s.f.SendExecute(&pgproto3.Execute{})
}

func (s *pgSession) verbName(verb string) string {
	if !s.opener.settings.server.statementCache {
		return ""
	}
	return "mcpdecl_" + verb
}

// prepareVerbs prepares what execute executes.
func (s *pgSession) prepareVerbs() error {
	for _, verb := range []string{"BEGIN", "BEGIN READ ONLY", "COMMIT", "ROLLBACK"} {
		s.f.SendParse(&pgproto3.Parse{Name: s.verbName(verb), Query: verb})
	}
	s.f.SendSync(&pgproto3.Sync{})
	if err := s.flush(); err != nil {
		return err
	}
	return s.skip()
}

// settings is the statement that sets what differs from the session's own
// parameters for one transaction, or "".
func (s *pgSession) settings(st *statement) string {
	own := s.opener.settings
	timeout := milliseconds(st.limits)
	if own.server.statementCache {
		if st.limits.timeout == own.limits.timeout {
			return "" // the session has it
		}
		return "SET LOCAL statement_timeout = " + timeout
	}
	params := sessionParams(own)
	params["statement_timeout"] = timeout
	delete(params, "default_transaction_read_only") // BEGIN READ ONLY says it
	var calls []string
	for _, name := range sortedNames(params) {
		calls = append(calls, fmt.Sprintf("set_config('%s', '%s', true)", name, strings.ReplaceAll(params[name], "'", "''")))
	}
	return "SELECT " + strings.Join(calls, ", ")
}

// encode writes the values in their text form; the server reads it as what the
// place in the query asks for.
func (s *pgSession) encode(st *statement) ([][]byte, error) {
	if cap(s.params) < len(st.args) {
		s.params = make([][]byte, len(st.args))
	}
	out := s.params[:len(st.args)]
	for i, v := range st.args {
		switch v := v.(type) {
		case nil:
			out[i] = nil
		case string:
			if strings.IndexByte(v, 0) >= 0 {
				return nil, fmt.Errorf("bind :%s: it contains a NUL character, which PostgreSQL cannot hold", st.name(i))
			}
			out[i] = append(make([]byte, 0, len(v)+1), v...)
		case int64:
			out[i] = strconv.AppendInt(nil, v, 10)
		case float64:
			out[i] = strconv.AppendFloat(nil, v, 'g', -1, 64)
		case bool:
			out[i] = strconv.AppendBool(nil, v)
		case decimal:
			out[i] = []byte(v)
		default:
			return nil, fmt.Errorf("bind :%s: unexpected %T", st.name(i), v)
		}
	}
	return out, nil
}

// flush sends what is queued.
func (s *pgSession) flush() error {
	if err := s.f.Flush(); err != nil {
		s.broken = true
		return err
	}
	return nil
}

// receive returns the next message that belongs to a request. An error of the
// server is returned as such; any other means that the session is unusable.
func (s *pgSession) receive() (pgproto3.BackendMessage, error) {
	for {
		msg, err := s.f.Receive()
		if err != nil {
			s.broken = true
			var large *pgproto3.ExceededMaxBodyLenErr
			if errors.As(err, &large) {
				return nil, &TooLargeError{Limit: s.limits.maxBytes}
			}
			return nil, err
		}
		switch msg := msg.(type) {
		case *pgproto3.ParameterStatus, *pgproto3.NoticeResponse, *pgproto3.NotificationResponse:
			continue
		case *pgproto3.ReadyForQuery:
			s.status = msg.TxStatus
		case *pgproto3.ErrorResponse:
			pg := pgconn.ErrorResponseToPgError(msg)
			if pg.Severity == "FATAL" || pg.Severity == "PANIC" {
				s.broken = true
			}
			// Ended by statement_timeout; the message may be in any language.
			if pg.Code == "57014" && time.Since(s.began) >= s.limits.timeout*9/10 {
				return nil, &TimeoutError{After: s.limits.timeout}
			}
			return nil, pg
		}
		return msg, nil
	}
}

// skip reads until the server is ready for the next request and returns the
// first error on the way.
func (s *pgSession) skip() error {
	var first error
	for {
		msg, err := s.receive()
		if err != nil && first == nil {
			first = err
		}
		if s.broken {
			return first
		}
		if _, ready := msg.(*pgproto3.ReadyForQuery); ready {
			return first
		}
	}
}

// watch ends the query in the server when ctx ends. A session whose query was
// cancelled is not used again: the cancellation could hit the next query.
func (s *pgSession) watch(ctx context.Context) {
	s.cancelled = make(chan struct{})
	s.stopWatch = context.AfterFunc(ctx, func() {
		defer close(s.cancelled)
		_ = s.conn.Conn().SetReadDeadline(time.Now().Add(grace))
		cancelling, cancel := context.WithTimeout(context.Background(), grace)
		defer cancel()
		_ = s.conn.CancelRequest(cancelling) // the deadline ends the wait if it fails
	})
}

func (s *pgSession) unwatch() {
	if s.stopWatch != nil && !s.stopWatch() {
		<-s.cancelled
		s.broken = true
	}
	s.stopWatch = nil
}

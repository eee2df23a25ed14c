package sql

import (
	"context"
	"database/sql/driver"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/mattn/go-sqlite3"
)

// isSelect reports whether the statement is a query that can stand inside
// another statement.
func isSelect(q *query) bool {
	return slices.Contains([]string{"SELECT", "WITH", "VALUES", "TABLE"}, q.verb)
}

// check prepares the statement. SQLite tells the columns only when a statement
// begins to run; with nulls bound it does so for a moment.
func (s *sqliteSession) check(ctx context.Context, st *statement) (*prepared, error) {
	stmt, err := s.prepared(st.text)
	if err != nil {
		return nil, sqliteError(err)
	}
	p := &prepared{writes: !stmt.Readonly()}
	if p.writes {
		return p, nil
	}
	p.texts = s.textsInDoubleQuotes(st.text)
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	cur, err := s.run(short, stmt, st)
	if err != nil {
		p.unchecked = append(p.unchecked, "The columns were not checked: the query does not run with nulls bound.")
		return p, nil
	}
	for _, c := range cur.columns() {
		p.columns = append(p.columns, c.name)
	}
	return p, cur.close(false)
}

// textsInDoubleQuotes finds the names in double quotes that are none: SQLite
// takes them for texts, but not in brackets.
func (s *sqliteSession) textsInDoubleQuotes(text string) (at []int) {
	l := lexer{rules: dialectOf("sqlite").lex, src: text}
	for t, ok := l.next(); ok; t, ok = l.next() {
		name := text[t.start:t.end]
		if name[0] != '"' || t.open || strings.Contains(name, "]") {
			continue
		}
		name = strings.ReplaceAll(name[1:len(name)-1], `""`, `"`)
		stmt, err := s.Prepare(text[:t.start] + "[" + name + "]" + text[t.end:])
		if err == nil {
			_ = stmt.Close()
		} else if strings.HasPrefix(err.Error(), "no such column: ") {
			at = append(at, t.start)
		}
	}
	return at
}

var sqliteName = regexp.MustCompile(`(?:no such (?:column|table|function|module): (?:\w+\.)?|near "|ambiguous column name: )(\w+)`)

func sqliteError(err error) error {
	var e sqlite3.Error
	if !errors.As(err, &e) {
		if errors.Is(err, ErrReadOnly) {
			return &queryError{cause: ErrReadOnly, offset: -1}
		}
		return err
	}
	switch e.Code {
	case sqlite3.ErrAuth, sqlite3.ErrReadonly:
		return &queryError{cause: ErrReadOnly, offset: -1}
	case sqlite3.ErrError:
		q := &queryError{cause: errors.New(e.Error()), offset: -1}
		if m := sqliteName.FindStringSubmatch(e.Error()); m != nil {
			q.name = m[1]
		}
		return q
	}
	return err
}

// check describes the statement, and looks at its plan for what writes.
func (s *pgSession) check(ctx context.Context, st *statement) (*prepared, error) {
	s.limits, s.began = st.limits, time.Now()
	s.watch(ctx)
	defer s.unwatch()
	stmt, err := s.prepared(st)
	if err != nil {
		return nil, pgQueryError(err, st.text)
	}
	p := &prepared{types: make([]string, len(st.source.settings.query.names))}
	for _, f := range stmt.fields {
		p.columns = append(p.columns, string(f.Name))
	}
	for i, oid := range stmt.got {
		row, err := s.lookUp("SELECT pg_catalog.format_type($1, NULL)", oid)
		if err != nil {
			return nil, err
		}
		p.types[st.order[i]] = row[0]
	}
	if !isSelect(st.source.settings.query) {
		p.unchecked = append(p.unchecked, "Whether the statement writes was not checked: PostgreSQL has no plan for it.")
		return p, nil
	}
	plan, err := s.plan(st, stmt)
	if err != nil {
		p.unchecked = append(p.unchecked, "Whether the statement writes was not checked: PostgreSQL does not plan it with nulls bound.")
		return p, nil
	}
	p.writes = strings.Contains(plan, `"ModifyTable"`) || strings.Contains(plan, `"LockRows"`) // FOR UPDATE
	return p, nil
}

// plan returns the plan of the statement with nulls bound, in JSON.
func (s *pgSession) plan(st *statement, stmt *pgPrepared) (string, error) {
	s.executeBegin(st)
	s.f.SendParse(&pgproto3.Parse{Query: "EXPLAIN (FORMAT JSON, COSTS OFF) " + st.text, ParameterOIDs: stmt.params})
	s.f.SendBind(&pgproto3.Bind{Parameters: make([][]byte, len(st.args))})
	s.f.SendExecute(&pgproto3.Execute{})
	s.f.SendSync(&pgproto3.Sync{})
	if err := s.flush(); err != nil {
		return "", err
	}
	var plan strings.Builder
	var first error
	for ready := false; !ready; {
		msg, err := s.receive()
		if err != nil && first == nil {
			first = err
		}
		if s.broken {
			return "", first
		}
		switch msg := msg.(type) {
		case *pgproto3.DataRow:
			if len(msg.Values) == 1 {
				plan.Write(msg.Values[0])
			}
		case *pgproto3.ReadyForQuery:
			ready = true
		}
	}
	return plan.String(), errors.Join(first, s.endTransaction("ROLLBACK", st.source.settings.query))
}

func pgQueryError(err error, text string) error {
	var pg *pgconn.PgError
	// Classes 42 (syntax, names, types) and 0A (features) are about the text.
	if !errors.As(err, &pg) || !strings.HasPrefix(pg.Code, "42") && !strings.HasPrefix(pg.Code, "0A") && pg.Code != "3F000" {
		return err
	}
	message := pg.Message
	for _, more := range []string{pg.Detail, pg.Hint} {
		if more != "" {
			message = strings.TrimRight(message, ".") + ". " + more
		}
	}
	q := &queryError{cause: errors.New(message), offset: -1}
	if pg.Position > 0 {
		q.offset = byteOffset(text, int(pg.Position)-1)
	}
	return q
}

// byteOffset turns a count of characters into one of bytes.
func byteOffset(text string, characters int) int {
	for i := range text {
		if characters == 0 {
			return i
		}
		characters--
	}
	return len(text)
}

// check prepares the statement, and once more as a derived table: there MySQL
// refuses columns of one name, in whatever case.
func (s *mysqlSession) check(ctx context.Context, st *statement) (*prepared, error) {
	s.limits = st.limits
	s.wire.left, s.wire.spent = 1<<24, false
	s.watch(ctx)
	defer s.unwatch()
	if _, err := s.prepared(st.text); err != nil {
		return nil, mysqlQueryError(err)
	}
	q := st.source.settings.query
	p := &prepared{writes: !slices.Contains(readVerbs, q.verb)}
	if !isSelect(q) {
		return p, nil
	}
	text := "SELECT * FROM (" + strings.TrimRight(strings.TrimSpace(st.text), ";") + "\n) AS q LIMIT 0"
	stmt, err := s.conn.(driver.ConnPrepareContext).PrepareContext(context.Background(), text)
	if err == nil {
		err = stmt.Close()
	}
	var my *mysql.MySQLError
	if err == nil || errors.As(err, &my) && my.Number == 1060 {
		return p, s.askColumns(p, st)
	}
	return p, nil
}

// askColumns has the server name the columns of the query without its rows. The
// keys of an object differ by case, and MySQL's message about two of one name
// does not say in which.
func (s *mysqlSession) askColumns(p *prepared, st *statement) error {
	const unchecked = "The columns were not checked: MySQL does not name them without running the query."
	text, values, ok := withoutRows(st)
	if !ok {
		p.unchecked = append(p.unchecked, unchecked)
		return nil
	}
	stmt, err := s.conn.(driver.ConnPrepareContext).PrepareContext(context.Background(), text)
	var rows driver.Rows
	if err == nil {
		defer stmt.Close()
		rows, err = stmt.(driver.StmtQueryContext).QueryContext(context.Background(), mysqlArgs(st)[:values])
	}
	if err != nil {
		p.unchecked = append(p.unchecked, unchecked)
		return nil
	}
	p.columns = rows.Columns()
	return rows.Close()
}

// withoutRows puts LIMIT 0 in the place of the query's own limit, and counts
// the values that are bound in what is left. It is false where the server may run
// a part of the query nevertheless, as MariaDB runs a SELECT inside another.
func withoutRows(st *statement) (text string, values int, ok bool) {
	l := lexer{rules: st.source.settings.query.dialect.lex, src: st.text}
	end, depth, placeholders, selects := len(st.text), 0, 0, 0
	values = len(st.args)
	for t, more := l.next(); more; t, more = l.next() {
		word := ""
		if t.kind == tokenWord {
			word = strings.ToUpper(st.text[t.start:t.end])
		}
		switch {
		case word == "SELECT":
			selects++
		case word == "LIMIT" && depth == 0:
			end, values = t.start, placeholders
		case t.kind == tokenNative:
			placeholders++
		case t.kind == tokenOpen:
			depth++
		case t.kind == tokenClose:
			depth--
		case t.kind == tokenSemicolon && end == len(st.text):
			end = t.start
		}
	}
	return st.text[:end] + "\nLIMIT 0", values, selects == 1
}

var mysqlName = regexp.MustCompile(`'(?:[^'.]*\.)*([^'.]*)'`)

func mysqlQueryError(err error) error {
	var my *mysql.MySQLError
	if !errors.As(err, &my) {
		return err
	}
	q := &queryError{cause: errors.New(my.Message), offset: -1}
	if m := mysqlName.FindStringSubmatch(my.Message); m != nil {
		q.name, _, _ = strings.Cut(m[1], " ")
	}
	return q
}

package sql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
)

// prepared is what a database says of a statement without running it.
type prepared struct {
	columns []string // nil when the database does not say
	// types are the database's types of the values, by query name; "" where it
	// does not say.
	types  []string
	writes bool
	// texts are the places in the text that was sent of names in double quotes
	// that are no column's, which SQLite takes for texts.
	texts []int
	// unchecked says what the database could not tell.
	unchecked []string
}

// queryError is what a database has against a statement.
type queryError struct {
	cause  error
	offset int    // in the text that was sent, in bytes; -1 when not known
	name   string // the name that the message speaks of, or ""
}

func (e *queryError) Error() string { return e.cause.Error() }
func (e *queryError) Unwrap() error { return e.cause }

// Check prepares the statement in the database.
func (s *source) Check(ctx context.Context) (decl.Diagnostics, []string, error) {
	st := s.nothing()
	bounded, cancel := context.WithTimeout(ctx, s.limits.timeout)
	defer cancel()
	var p *prepared
	err := s.conn.session(bounded, func(session session) (err error) {
		p, err = session.check(bounded, st)
		return err
	})
	var wrong *queryError
	if errors.As(err, &wrong) {
		return decl.Diagnostics{s.rejected(st, wrong)}, nil, nil
	}
	if err != nil {
		return nil, nil, s.failure(ctx, bounded, s.conn.plain(err))
	}
	s.checked = p.columns
	return s.judge(st, p), p.unchecked, nil
}

// CheckedColumns are the columns that the database named in Check.
func (s *source) CheckedColumns() []string { return s.checked }

// Unchecked says what the database tells of no statement.
func (c *connection) Unchecked() []string { return []string{c.settings.dialect.unchecked} }

// nothing binds a null to every placeholder, and one null for a list.
func (s *source) nothing() *statement {
	q := s.settings.query
	st := &statement{source: s, limits: s.limits, counts: noLists(len(q.names))}
	for i, b := range s.settings.bindings {
		if b.typ.IsList() {
			st.counts[i] = 1
		}
	}
	st.text, st.order = q.expand(st.counts, nil)
	st.args = make([]any, len(st.order))
	return st
}

// judge holds what the database said against what the block says.
func (s *source) judge(st *statement, p *prepared) decl.Diagnostics {
	var found decl.Diagnostics
	add := func(severity decl.Severity, at decl.Range, code, summary, detail string) {
		found = append(found, &decl.Diagnostic{Severity: severity, Code: code, Summary: summary, Detail: detail, Range: at})
	}
	q := s.settings.query
	whole := s.settings.at(0, len(q.text))
	cols := make([]column, len(p.columns))
	for i, name := range p.columns {
		cols[i].name = name
	}
	if names := duplicates(cols); len(names) > 0 {
		add(decl.Error, whole, "duplicate_column", "two columns of the query are named "+quoteNames(names),
			"Each column becomes a field of that name. Give each its own name with AS.")
	}
	if p.writes && s.conn.settings.readOnly {
		found = append(found, s.writes())
	}
	for _, offset := range p.texts {
		from := q.origin(st, offset)
		n := q.wordAt(from)
		name := strings.Trim(q.text[from:from+n], `"`)
		add(decl.Warning, s.settings.at(from, n), "double_quoted_text", fmt.Sprintf("no column is named %q, so SQLite takes it for a text", name),
			fmt.Sprintf("Double quotes are for names. Correct the name, or write '%s' if it is a text.", strings.ReplaceAll(name, "'", "''")))
	}
	for i, t := range p.types {
		b := s.settings.bindings[i]
		remedy := typeRemedy(b.decl, t)
		if remedy == "" {
			continue
		}
		m := q.marks[slices.IndexFunc(q.marks, func(m mark) bool { return m.name == i })]
		add(decl.Warning, s.settings.at(m.start, m.end-m.start), "parameter_type",
			fmt.Sprintf("the parameter %q is %s, and the database takes a value of type %s", b.decl.Name, withArticle(b.decl.Type), t),
			fmt.Sprintf("A value that is none fails in the database, as an internal error. Write %s in param %q, so that it is refused before.", remedy, b.decl.Name))
	}
	return found
}

// writes says that a query changes something and may not.
func (s *source) writes() *decl.Diagnostic {
	return &decl.Diagnostic{
		Severity: decl.Error, Code: "write_on_read_only", Range: s.settings.at(0, len(s.settings.query.text)),
		Summary: "the query writes or locks rows, and the connection is read-only",
		Detail:  readOnlyRemedy(s.conn.id),
	}
}

func readOnlyRemedy(connection string) string {
	return fmt.Sprintf("connection.%s is read-only, so the database refuses the statement. Write a query, or use a connection with read_only = false for a tool that changes data.", connection)
}

// rejected turns the database's own words into a diagnostic, at the place that
// they speak of.
func (s *source) rejected(st *statement, e *queryError) *decl.Diagnostic {
	q := s.settings.query
	at := s.settings.at(0, len(q.text))
	if e.offset >= 0 {
		from := q.origin(st, e.offset)
		at = s.settings.at(from, q.wordAt(from))
	} else if from, n := q.find(e.name); n > 0 {
		at = s.settings.at(from, n)
	}
	if errors.Is(e.cause, ErrReadOnly) {
		return s.writes()
	}
	message := strings.TrimRight(e.cause.Error(), ".")
	return &decl.Diagnostic{
		Severity: decl.Error, Code: "query_rejected", Range: at,
		Summary: fmt.Sprintf("%s does not accept the query", q.dialect.title),
		Detail:  fmt.Sprintf("It says: %s. Correct the query, or the connection (connection.%s) that it runs on.", message, s.conn.id),
	}
}

// origin maps an offset in the text that was sent to the text as written.
func (q *query) origin(st *statement, offset int) int {
	written, sent := 0, 0
	for i, m := range q.marks {
		before, _ := (&query{dialect: q.dialect, text: q.text[:m.end], marks: q.marks[:i+1], names: q.names}).expand(st.counts, nil)
		start := sent + m.start - written
		if offset < start {
			break
		}
		if offset < len(before) {
			return m.start
		}
		written, sent = m.end, len(before)
	}
	return min(written+offset-sent, len(q.text))
}

// wordAt returns the length of the token at the offset.
func (q *query) wordAt(offset int) int {
	if offset >= len(q.text) {
		return 0
	}
	l := lexer{rules: q.dialect.lex, src: q.text, pos: offset}
	t, _ := l.next()
	return t.end - t.start
}

// find returns the place of a name in the text, outside strings and comments.
func (q *query) find(name string) (offset, n int) {
	if name == "" {
		return 0, 0
	}
	l := lexer{rules: q.dialect.lex, src: q.text}
	for t, ok := l.next(); ok; t, ok = l.next() {
		if word := strings.Trim(q.text[t.start:t.end], "`\"[]"); strings.EqualFold(word, name) && (t.kind == tokenWord || t.kind == tokenQuoted) {
			return t.start, t.end - t.start
		}
	}
	return 0, 0
}

var (
	_ sources.SourceChecker  = (*source)(nil)
	_ sources.PartialChecker = (*connection)(nil)
)

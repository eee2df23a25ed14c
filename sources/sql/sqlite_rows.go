package sql

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mattn/go-sqlite3"
)

// sqliteRows hands out values in the class in which they are stored.
type sqliteRows struct {
	ctx     context.Context
	end     func() // stops interrupting
	session *sqliteSession
	rows    *sqlite3.SQLiteRows
	stmt    *sqliteStmt
	dest    []driver.Value
}

func newSQLiteRows(ctx context.Context, s *sqliteSession, stmt *sqliteStmt, rows *sqlite3.SQLiteRows, end func()) *sqliteRows {
	stmt.readTypes(rows)
	return &sqliteRows{ctx, end, s, rows, stmt, make([]driver.Value, len(stmt.cols))}
}

// readTypes takes the declared types away from the driver. It would turn a
// text in a DATE column into a time, or into the zero time when it is none,
// and any number in a BOOLEAN column into a bool. The slice that it returns is
// the very one that its conversion reads, before the first row; a test guards
// that. After a change of the schema the driver makes a new one.
func (s *sqliteStmt) readTypes(rows *sqlite3.SQLiteRows) {
	names := rows.Columns()
	declared := rows.DeclTypes()
	if len(declared) > 0 && s.declared == &declared[0] {
		return
	}
	s.cols = make([]column, len(names))
	s.json = make([]bool, len(names))
	for i, name := range names {
		s.cols[i] = column{name: name}
		s.json[i] = declared[i] == "json"
		declared[i] = ""
	}
	if len(declared) > 0 {
		s.declared = &declared[0]
	}
}

func (r *sqliteRows) columns() []column { return r.stmt.cols }

func (r *sqliteRows) next(cells []cell) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if err := r.rows.Next(r.dest); err != nil {
		return err
	}
	for i, v := range r.dest {
		c := &cells[i]
		switch v := v.(type) {
		case nil:
			*c = cell{}
		case int64:
			*c = cell{kind: cellInt, n: v}
		case float64:
			*c = cell{kind: cellFloat, f: v}
		case string:
			*c = cell{kind: cellText, text: v}
			if r.stmt.json[i] && json.Valid([]byte(v)) {
				c.kind, c.text = cellJSON, strings.TrimSpace(v)
			}
		case []byte:
			*c = cell{kind: cellBinary, bytes: v}
		default:
			return fmt.Errorf("read column %q: the driver returned a %T", r.stmt.cols[i].name, v)
		}
	}
	return nil
}

func (r *sqliteRows) close(ok bool) error {
	r.end()
	return errors.Join(r.rows.Close(), r.session.end(r.ctx, ok))
}

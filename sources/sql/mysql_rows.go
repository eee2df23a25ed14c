package sql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// mysqlRows turns the values of the binary protocol into cells by the type of
// their column.
type mysqlRows struct {
	session *mysqlSession
	query   *query
	rows    driver.Rows
	cols    []column
	forms   []mysqlForm
	dest    []driver.Value
	scratch []byte
	ended   bool
}

// mysqlForm is the family of a column type.
type mysqlForm uint8

const (
	myText mysqlForm = iota
	myNumber
	myDecimal
	myBinary
	myBits
	myJSON
	myDateTime
	myTimestamp
)

func mysqlFormOf(databaseType string) mysqlForm {
	switch databaseType {
	case "DECIMAL":
		return myDecimal
	case "BINARY", "VARBINARY", "TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB", "GEOMETRY", "VECTOR":
		return myBinary
	case "BIT":
		return myBits
	case "JSON":
		return myJSON
	case "DATETIME":
		return myDateTime
	case "TIMESTAMP":
		return myTimestamp
	}
	if strings.HasSuffix(databaseType, "INT") {
		return myNumber
	}
	return myText
}

func newMySQLRows(s *mysqlSession, q *query, rows driver.Rows) *mysqlRows {
	names := rows.Columns()
	r := &mysqlRows{
		session: s, query: q, rows: rows, cols: make([]column, len(names)),
		forms: make([]mysqlForm, len(names)), dest: make([]driver.Value, len(names)),
	}
	types, _ := rows.(driver.RowsColumnTypeDatabaseTypeName)
	for i, name := range names {
		r.cols[i].name = name
		r.forms[i] = mysqlFormOf(types.ColumnTypeDatabaseTypeName(i))
	}
	return r
}

func (r *mysqlRows) columns() []column { return r.cols }

func (r *mysqlRows) next(cells []cell) error {
	err := r.rows.Next(r.dest)
	if err == io.EOF {
		r.ended = true
		return err
	}
	if err != nil {
		return r.session.failed(err)
	}
	r.scratch = r.scratch[:0]
	for i, v := range r.dest {
		if err := r.cell(&cells[i], r.forms[i], v); err != nil {
			return fmt.Errorf("read column %q: %w", r.cols[i].name, err)
		}
	}
	return nil
}

func (r *mysqlRows) cell(c *cell, form mysqlForm, v driver.Value) error {
	switch v := v.(type) {
	case nil:
		*c = cell{}
	case int64:
		*c = cell{kind: cellInt, n: v}
	case float64:
		*c = cell{kind: cellFloat, f: v}
	case float32:
		// 0.1 as a FLOAT is 0.1 and not 0.10000000149011612.
		f, err := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', -1, 32), 64)
		*c = cell{kind: cellFloat, f: f}
		return err
	case []byte:
		return r.bytes(c, form, v)
	case string:
		return r.bytes(c, form, []byte(v))
	default:
		return fmt.Errorf("the driver returned a %T", v)
	}
	return nil
}

func (r *mysqlRows) bytes(c *cell, form mysqlForm, v []byte) error {
	text := view(v)
	switch form {
	case myNumber: // beyond the range of int64
		n, err := strconv.ParseUint(text, 10, 64)
		*c = cell{kind: cellUint, n: int64(n)}
		return err
	case myDecimal:
		*c = cell{kind: cellDigits, text: text}
	case myBinary:
		*c = cell{kind: cellBinary, bytes: v}
	case myBits:
		var n uint64
		for _, b := range v {
			n = n<<8 | uint64(b)
		}
		*c = cell{kind: cellUint, n: int64(n)}
	case myJSON:
		*c = cell{kind: cellJSON, text: text}
	case myDateTime, myTimestamp:
		*c = cell{kind: cellText, text: r.time(text, form == myTimestamp)}
	default:
		*c = cell{kind: cellText, text: text}
	}
	return nil
}

// time writes 2026-01-02 03:04:05 as RFC 3339 does; a TIMESTAMP is a moment,
// in UTC, a DATETIME is a clock on the wall. The zero date stays as it is.
func (r *mysqlRows) time(text string, moment bool) string {
	if len(text) < 19 || strings.HasPrefix(text, "0000-00-00") {
		return text
	}
	at := len(r.scratch)
	r.scratch = append(r.scratch, text...)
	r.scratch[at+10] = 'T'
	if moment {
		r.scratch = append(r.scratch, 'Z')
	}
	return view(r.scratch[at:len(r.scratch):len(r.scratch)])
}

// close leaves the session ready for the next query, or marks it broken.
func (r *mysqlRows) close(ok bool) error {
	s := r.session
	for skipped := 0; !r.ended; skipped++ {
		if skipped == mostSkipped {
			s.broken = true // closing the connection ends the query
			break
		}
		if err := r.rows.Next(r.dest); err != nil {
			r.ended = true
		}
	}
	if s.unwatch() {
		return context.Canceled // what came may be what an ended query leaves
	}
	if s.broken || !s.IsValid() {
		return nil
	}
	defer s.leave(r.query)
	err := r.rows.Close()
	if s.opener.settings.readOnly {
		return err
	}
	end := "ROLLBACK"
	if ok {
		end = "COMMIT"
	}
	return errors.Join(err, s.exec(end))
}

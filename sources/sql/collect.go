package sql

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mcpdecl/mcpdecl/sources"
)

// sink takes the rows of a result one by one.
type sink interface {
	begin(cols []column)
	row(cells []cell) error
	result(rows int) (*sources.Result, error)
}

// collect reads the rows into the result that the request needs.
func (s *source) collect(c cursor, req *sources.Request) (*sources.Result, error) {
	cols := c.columns()
	if len(cols) == 0 && s.conn.settings.readOnly {
		return nil, ErrNoColumns
	}
	if names := duplicates(cols); len(names) > 0 {
		return nil, &ColumnsError{Names: names}
	}
	out := s.sink(req, cols)
	out.begin(cols)
	rows, more, err := s.readRows(c, out, len(cols))
	if err != nil {
		return nil, err
	}
	// A statement without columns, on a connection that may write, has done
	// its work: that it returns no rows does not mean that something is missing.
	if rows == 0 && !s.settings.allowEmpty && len(cols) > 0 {
		return nil, sources.ErrNotFound
	}
	result, err := out.result(rows)
	if err != nil {
		return nil, err
	}
	if req.Need == sources.Contents {
		cols = nil // the contents are in order already
	}
	for _, c := range cols {
		result.Columns = append(result.Columns, c.name)
	}
	if more {
		s.cut.Store(true)
		result.Truncated = fmt.Sprintf("only the first %d rows; the result has more rows that are not shown", rows)
	}
	return result, nil
}

// readRows stops behind max_rows; the row after it is only looked at to know
// that it is there.
func (s *source) readRows(c cursor, out sink, columns int) (rows int, more bool, err error) {
	cells := make([]cell, columns)
	for {
		err := c.next(cells)
		if err == io.EOF {
			return rows, false, nil
		}
		if err != nil {
			return 0, false, err
		}
		if s.settings.rows == rowsOne && rows == 1 {
			return 0, false, ErrSecondRow
		}
		if rows == s.limits.maxRows {
			return rows, true, nil
		}
		if err := out.row(cells); err != nil {
			return 0, false, err
		}
		rows++
	}
}

func (s *source) sink(req *sources.Request, cols []column) sink {
	if req.Need != sources.Contents {
		return &valueSink{source: s, req: req, json: req.Need == sources.JSONValues}
	}
	raw := rawNever
	if len(cols) == 1 && !s.settings.formatSet {
		raw = rawOf(req.MIMEType)
	}
	list := s.settings.rows == rowsList
	hint := 0
	if s.settings.rows != rowsEach {
		hint = int(min(s.sizeHint.Load()+64, s.limits.maxBytes+64))
	}
	enc := newEncoder(s.settings.format, list, s.limits.maxBytes, hint)
	return &contentSink{source: s, req: req, raw: raw, enc: enc}
}

func duplicates(cols []column) []string {
	var names []string
	for i := range cols {
		for j := range i {
			if cols[i].name == cols[j].name {
				names = append(names, cols[i].name)
				break
			}
		}
	}
	return names
}

func quoteNames(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = strconv.Quote(n)
	}
	return strings.Join(quoted, ", ")
}

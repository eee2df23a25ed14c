package sql

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5/pgproto3"
)

// learnTypes asks the server about types that are not built in: enums, domains,
// and arrays of them.
func (s *pgSession) learnTypes(fields []pgproto3.FieldDescription) error {
	for _, f := range fields {
		if err := s.learn(f.DataTypeOID, 0); err != nil {
			return fmt.Errorf("look up the type of column %q: %w", f.Name, err)
		}
	}
	return nil
}

func (s *pgSession) learn(oid uint32, depth int) error {
	if _, ok := s.opener.typeOf(oid); ok || depth > 8 {
		return nil
	}
	row, err := s.lookUp("SELECT CASE WHEN typtype = 'd' THEN typbasetype ELSE 0 END, "+
		"CASE WHEN typcategory = 'A' THEN typelem ELSE 0 END, typdelim FROM pg_catalog.pg_type WHERE oid = $1", oid)
	if err != nil {
		return err
	}
	var base, elem uint32
	delim := byte(',')
	if len(row) == 3 {
		base, elem, delim = parseOID(row[0]), parseOID(row[1]), row[2][0]
	}
	for _, other := range []uint32{base, elem} {
		if other == 0 {
			continue
		}
		if err := s.learn(other, depth+1); err != nil {
			return err
		}
	}
	s.opener.learnt(oid, base, elem, delim)
	return nil
}

// lookUp asks the catalog about an OID; the row is nil when there is none.
func (s *pgSession) lookUp(query string, oid uint32) (row []string, err error) {
	s.f.SendParse(&pgproto3.Parse{Query: query, ParameterOIDs: []uint32{oidOID}})
	s.f.SendBind(&pgproto3.Bind{Parameters: [][]byte{strconv.AppendUint(nil, uint64(oid), 10)}})
	s.f.SendExecute(&pgproto3.Execute{})
	s.f.SendSync(&pgproto3.Sync{})
	if err := s.flush(); err != nil {
		return nil, err
	}
	for {
		msg, err := s.receive()
		if err != nil {
			if !s.broken {
				_ = s.skip()
			}
			return nil, err
		}
		switch msg := msg.(type) {
		case *pgproto3.DataRow:
			for _, v := range msg.Values {
				row = append(row, string(v))
			}
		case *pgproto3.ReadyForQuery:
			return row, nil
		}
	}
}

func parseOID(s string) uint32 {
	n, _ := strconv.ParseUint(s, 10, 32)
	return uint32(n)
}

// typeEmptyLists gives the statement the types of its empty NOT IN lists. They
// are those that the server finds for one value in the list's place.
func (s *pgSession) typeEmptyLists(st *statement) (*statement, error) {
	q := st.source.settings.query
	names := q.untypedEmpty(st.counts)
	if len(names) == 0 {
		return st, nil
	}
	one := *st
	one.counts = slices.Clone(st.counts)
	for _, n := range names {
		one.counts[n] = 1
	}
	one.text, one.order = q.expand(one.counts, nil)
	one.args = make([]any, len(one.order))
	p, err := s.prepared(&one)
	if err != nil {
		return nil, err
	}
	types := make([]string, len(q.names))
	for _, n := range names {
		i := slices.Index(one.order, n)
		row, err := s.lookUp("SELECT pg_catalog.format_type($1, NULL)", p.got[i])
		if err != nil {
			return nil, err
		}
		types[n] = row[0]
	}
	typed := *st
	typed.text, _ = q.expand(st.counts, types)
	return &typed, nil
}

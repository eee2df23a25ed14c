package sql

import (
	"errors"

	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/mcpdecl/mcpdecl/decl"
)

// pgStatement is what the server says of a statement.
type pgStatement struct {
	params []uint32 // the types that were asked for; 0 leaves it to the server
	got    []uint32 // the types that the server settled on
	fields []pgproto3.FieldDescription
}

const (
	oidBool    = 16
	oidInt8    = 20
	oidInt4    = 23
	oidText    = 25
	oidOID     = 26
	oidNumeric = 1700
)

// candidates are the types that a value may have in the server, the best
// first. An integer is an integer wherever that is possible, and a text
// whatever the place in the query asks for, as a quoted literal is.
func candidates(t decl.Type) []uint32 {
	switch t {
	case decl.TypeInteger:
		return []uint32{oidInt8, oidInt4, 0}
	case decl.TypeNumber:
		return []uint32{oidNumeric, 0}
	case decl.TypeBool:
		return []uint32{oidBool, 0}
	}
	return []uint32{0, oidText}
}

// pgKey is what a statement is prepared from: the same text is another statement
// for a resource whose parameters have other types.
type pgKey struct{ text, types string }

func (st *statement) pgKey() pgKey { return pgKey{st.text, st.source.settings.types} }

// prepared returns the statement as the session has prepared it. Behind a
// transaction pooler nothing is prepared: the statement is sent with every
// read, with the types that were found out once.
func (s *pgSession) prepared(st *statement) (*pgPrepared, error) {
	if p, ok := s.stmts.get(st.pgKey()); ok {
		return p, nil
	}
	p := &pgPrepared{}
	if s.opener.settings.server.statementCache {
		s.named++
		p.name = "mcpdecl_" + strconv.Itoa(s.named)
	}
	known := s.opener.known(st.pgKey())
	if known != nil && p.name == "" {
		p.pgStatement = known
		return p, nil
	}
	var err error
	if known != nil {
		p.pgStatement, err = s.describe(p.name, st, known.params)
	}
	if known == nil || err != nil && !s.broken {
		p.pgStatement, err = s.settle(p.name, st)
	}
	if err != nil {
		return nil, err
	}
	if err := s.learnTypes(p.fields); err != nil {
		return nil, err
	}
	s.opener.remember(st.pgKey(), p.pgStatement)
	if p.name != "" {
		s.stmts.put(st.pgKey(), p)
	}
	return p, nil
}

// settle finds types for the values with which the server takes the statement.
func (s *pgSession) settle(name string, st *statement) (*pgStatement, error) {
	vectors := typeVectors(st)
	var first error
	for _, v := range vectors {
		described, err := s.describe(name, st, v)
		if err == nil {
			return described, nil
		}
		if first == nil {
			first = err
		}
		if s.broken || !isTypeError(err) {
			return nil, err
		}
	}
	return nil, first
}

// isTypeError reports an error that other types of the values may mend.
func isTypeError(err error) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return false
	}
	switch pg.Code {
	case "42883", "42804", "42P18", "42725", "42P08", "42846", "42809":
		return true
	}
	return false
}

// typeVectors lists the ways to type the values: the best types first, then
// other types for all values of one declared type, then mixtures. Their number
// is bounded.
func typeVectors(st *statement) [][]uint32 {
	const most = 40
	bindings := st.source.settings.bindings
	options := make([][]uint32, len(bindings))
	for i, b := range bindings {
		options[i] = candidates(b.typ.Element())
	}
	var out [][]uint32
	add := func(level func(name int) int) {
		choice := make([]int, len(options))
		for i := range options {
			choice[i] = min(level(i), len(options[i])-1)
		}
		out = append(out, vector(st, options, choice))
	}
	add(func(int) int { return 0 })
	for _, t := range []decl.Type{decl.TypeInteger, decl.TypeNumber, decl.TypeBool, decl.TypeString} {
		for level := 1; level < len(candidates(t)); level++ {
			add(func(i int) int {
				if bindings[i].typ.Element() == t {
					return level
				}
				return 0
			})
		}
	}
	mix(options, func(choice []int) bool {
		out = append(out, vector(st, options, choice))
		return len(out) < most
	})
	// The last resort: every value as the server likes.
	return append(out, make([]uint32, len(st.args)))
}

// mix calls use with every choice among the options, until it returns false.
func mix(options [][]uint32, use func(choice []int) bool) {
	choice := make([]int, len(options))
	for {
		i := 0
		for i < len(options) && choice[i] == len(options[i])-1 {
			choice[i] = 0
			i++
		}
		if i == len(options) {
			return
		}
		choice[i]++
		if !use(choice) {
			return
		}
	}
}

func vector(st *statement, options [][]uint32, choice []int) []uint32 {
	out := make([]uint32, len(st.args))
	for i := range st.args {
		n := st.order[i]
		out[i] = options[n][choice[n]]
	}
	return out
}

// describe parses the statement in the server and asks what it takes and
// gives. Behind a transaction pooler it does so in a transaction, with the
// settings of a read.
func (s *pgSession) describe(name string, st *statement, types []uint32) (*pgStatement, error) {
	wrapped := !s.opener.settings.server.statementCache
	if wrapped {
		s.executeBegin(st)
	}
	s.f.SendParse(&pgproto3.Parse{Name: name, Query: st.text, ParameterOIDs: types})
	s.f.SendDescribe(&pgproto3.Describe{ObjectType: 'S', Name: name})
	s.f.SendSync(&pgproto3.Sync{})
	if err := s.flush(); err != nil {
		return nil, err
	}
	out := &pgStatement{params: types}
	err := s.readDescription(out)
	if s.broken {
		return nil, err
	}
	return out, errors.Join(err, s.endTransaction("ROLLBACK", st.source.settings.query))
}

func (s *pgSession) readDescription(out *pgStatement) error {
	var first error
	for {
		msg, err := s.receive()
		if err != nil && first == nil {
			first = err
		}
		if s.broken {
			return first
		}
		switch msg := msg.(type) {
		case *pgproto3.ParameterDescription:
			out.got = append([]uint32(nil), msg.ParameterOIDs...)
		case *pgproto3.RowDescription:
			out.fields = cloneFields(msg.Fields)
		case *pgproto3.ReadyForQuery:
			return first
		}
	}
}

// cloneFields copies what the next message overwrites.
func cloneFields(fields []pgproto3.FieldDescription) []pgproto3.FieldDescription {
	out := make([]pgproto3.FieldDescription, len(fields))
	for i, f := range fields {
		f.Name = append([]byte(nil), f.Name...)
		out[i] = f
	}
	return out
}

// forget closes a prepared statement in the server; the answer is read with
// that of the next request.
func (s *pgSession) forget(p *pgPrepared) {
	if p.name == "" || s.broken {
		return
	}
	s.f.SendClose(&pgproto3.Close{ObjectType: 'S', Name: p.name})
	s.f.SendSync(&pgproto3.Sync{})
	if s.flush() == nil {
		_ = s.skip()
	}
}

func (o *postgresOpener) known(key pgKey) *pgStatement {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.described[key]
}

func (o *postgresOpener) remember(key pgKey, st *pgStatement) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.described) >= 4*maxStmts {
		clear(o.described)
	}
	o.described[key] = st
}

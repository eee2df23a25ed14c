package sql

import "context"

// prepared is what a database says of a statement without running it.
type prepared struct {
	columns []string
}

func (s *sqliteSession) check(_ context.Context, st *statement) (*prepared, error) {
	_, err := s.prepared(st.text)
	return &prepared{}, err
}

func (s *pgSession) check(_ context.Context, st *statement) (*prepared, error) {
	_, err := s.prepared(st)
	return &prepared{}, err
}

func (s *mysqlSession) check(_ context.Context, st *statement) (*prepared, error) {
	_, err := s.prepared(st.text)
	return &prepared{}, err
}

package sql

import (
	"errors"

	"github.com/mcpdecl/mcpdecl/sources"
)

func newMySQL(host sources.Host, s *settings) (opener, error) { return nil, errors.New("not yet") }

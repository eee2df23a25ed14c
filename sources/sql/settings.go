package sql

import (
	"time"

	"github.com/mcpdecl/mcpdecl/decl"
)

// limits bound one query; a zero means that the connection's apply.
type limits struct {
	timeout  time.Duration
	maxRows  int
	maxBytes int64
}

func (l limits) or(other limits) limits {
	if l.timeout == 0 {
		l.timeout = other.timeout
	}
	if l.maxRows == 0 {
		l.maxRows = other.maxRows
	}
	if l.maxBytes == 0 {
		l.maxBytes = other.maxBytes
	}
	return l
}

// settings are a decoded connection block.
type settings struct {
	dialect     *dialect
	readOnly    bool
	limits      limits
	maxOpen     int
	maxIdle     int
	maxLifetime time.Duration
	cooldown    time.Duration
	// Exactly one of these is set.
	sqlite *sqliteSettings
	server *serverSettings
}

type sqliteSettings struct {
	path        string // absolute or relative to the working directory; empty with init
	init        []string
	immutable   bool
	cacheSize   int64 // bytes; 0: SQLite's default
	mmapSize    int64
	busyTimeout time.Duration
}

// serverSettings are what postgres and mysql connections have in common, and
// the few attributes of one of them.
type serverSettings struct {
	host, user, password, database string
	port                           int
	tls                            string // sslmode or tls
	caFile                         string
	options                        map[string]string // further parameters of the url
	searchPath                     []string
	statementCache                 bool
	charset                        string
}

// sourceSettings are a decoded source block.
type sourceSettings struct {
	query      *query
	bindings   []binding // by query name
	types      string    // those of the bindings, one byte each
	rows       rowsMode
	format     format
	formatSet  bool // the block says the format
	allowEmpty bool
	limits     limits
	itemURI    *decl.Expr
	at         func(offset, n int) decl.Range // a place inside the query
}

// binding is where the value of a placeholder comes from.
type binding struct {
	param int // index into Request.Params; -1 for arg
	typ   decl.Type
	arg   *decl.Expr
	decl  *decl.Param // nil for arg
}

type rowsMode int

const (
	rowsList rowsMode = iota
	rowsOne
	rowsEach
)

type format int

const (
	formatJSON format = iota
	formatNDJSON
	formatCSV
	formatMarkdown
)

func (f format) mimeType() string {
	return [...]string{"application/json", "application/x-ndjson", "text/csv", "text/markdown"}[f]
}

package sql

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/mcpdecl/mcpdecl/sources"
)

// postgresOpener opens sessions with a PostgreSQL server, and keeps what its
// sessions learnt that holds for all of them.
type postgresOpener struct {
	settings *settings
	config   *pgconn.Config

	mu        sync.Mutex
	described map[pgKey]*pgStatement
	types     map[uint32]pgType // of types that are not built in
}

func newPostgres(_ sources.Host, s *settings) (opener, error) {
	config, err := pgconn.ParseConfig(postgresDSN(s.server))
	if err != nil {
		// The error quotes the string, which holds the password.
		return nil, errors.New("the address, or an option in the url, is not valid")
	}
	for name, value := range sessionParams(s) {
		if s.server.statementCache {
			config.RuntimeParams[name] = value
		}
	}
	for name := range config.RuntimeParams {
		if strings.HasPrefix(name, "pool_") { // meant for another program's pool
			delete(config.RuntimeParams, name)
		}
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "mcpdecl"
	}
	config.RuntimeParams["client_encoding"] = "UTF8"
	return &postgresOpener{
		settings: s, config: config,
		described: map[pgKey]*pgStatement{}, types: map[uint32]pgType{},
	}, nil
}

// sessionParams make the server write values in one way everywhere, whatever
// the role or the database sets. Behind a transaction pooler they are set in
// every transaction instead of for the session.
func sessionParams(s *settings) map[string]string {
	p := map[string]string{
		"DateStyle":          "ISO, YMD",
		"TimeZone":           "UTC",
		"IntervalStyle":      "iso_8601",
		"extra_float_digits": "1",
		"bytea_output":       "hex",
		// The tokeniser reads a backslash in a plain string as itself.
		"standard_conforming_strings": "on",
		"statement_timeout":           milliseconds(s.limits),
	}
	if s.readOnly {
		p["default_transaction_read_only"] = "on"
	}
	if path := s.server.searchPath; len(path) > 0 {
		quoted := make([]string, len(path))
		for i, name := range path {
			quoted[i] = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
		p["search_path"] = strings.Join(quoted, ", ")
	}
	return p
}

func milliseconds(l limits) string { return strconv.FormatInt(max(1, l.timeout.Milliseconds()), 10) }

// postgresDSN builds the connection string from the parts; every value is
// quoted, so that no character of a password can end it.
func postgresDSN(s *serverSettings) string {
	params := map[string]string{
		"host": s.host, "port": strconv.Itoa(s.port), "user": s.user,
		"password": s.password, "dbname": s.database,
	}
	for k, v := range s.options {
		params[k] = v
	}
	if s.caFile != "" {
		params["sslrootcert"] = s.caFile
	}
	switch {
	case s.tls != "":
		params["sslmode"] = s.tls
	case params["sslmode"] != "":
	case s.caFile != "":
		params["sslmode"] = "verify-full"
	default:
		params["sslmode"] = "prefer"
	}
	var b strings.Builder
	for _, k := range sortedNames(params) {
		if params[k] == "" {
			continue
		}
		v := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(params[k])
		fmt.Fprintf(&b, "%s='%s' ", k, v)
	}
	return b.String()
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

func (o *postgresOpener) open(ctx context.Context) (session, error) {
	conn, err := pgconn.ConnectConfig(ctx, o.config)
	if err != nil {
		return nil, err
	}
	s := &pgSession{opener: o, conn: conn, f: conn.Frontend()}
	s.stmts.close = s.forget
	if o.settings.server.statementCache {
		s.watch(ctx)
		err := s.prepareVerbs()
		s.unwatch()
		if err != nil || s.broken {
			return nil, errors.Join(err, ctx.Err(), s.Close())
		}
	}
	return s, nil
}

// stale reports that a session had died in the pool, or that a statement it
// had prepared no longer fits the tables.
func (o *postgresOpener) stale(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch pg.Code {
		case "57P01", "57P02", "57P05", // the server shut down, crashed, ended an idle session
			"0A000", "26000": // the result type changed, the statement is unknown
			return true
		}
		return false
	}
	var network *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.As(err, &network) && !network.Timeout()
}

func (o *postgresOpener) plain(err error) error {
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) {
		return errors.New(strings.ReplaceAll(connect.Error(), "\n\t", " "))
	}
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return err
	}
	switch {
	case pg.Code == "25006":
		return fmt.Errorf("%w (%w)", ErrReadOnly, err)
	case pg.Code == "22P02" || pg.Code == "22007" || pg.Code == "22008" || pg.Code == "22003":
		return fmt.Errorf("a value does not fit the column that it is compared with; declare the parameter's type or format: %w", err)
	}
	if pg.Detail != "" || pg.Hint != "" {
		return fmt.Errorf("%w (%s)", err, strings.TrimSpace(pg.Detail+" "+pg.Hint))
	}
	return err
}

package sql

import (
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
)

// decodeCommon reads what every SQL connection has.
func decodeCommon(b *decl.Block, d *dialect) *settings {
	return &settings{
		dialect: d, readOnly: b.Bool("read_only"),
		limits:  limits{b.Duration("timeout"), int(b.Int("max_rows")), b.Size("max_bytes")},
		maxOpen: int(b.Int("max_open")), maxIdle: int(b.Int("max_idle")),
		maxLifetime: b.Duration("max_lifetime"), cooldown: b.Duration("cooldown"),
	}
}

func decodeSQLite(b *decl.Block) any {
	s := decodeCommon(b, sqliteDialect())
	q := &sqliteSettings{
		immutable: b.Bool("immutable"), cacheSize: b.Size("cache_size"),
		mmapSize: b.Size("mmap_size"), busyTimeout: b.Duration("busy_timeout"),
	}
	s.sqlite = q
	if q.immutable && !s.readOnly {
		d := b.Errorf(b.NameRange("immutable"), "immutable_not_read_only", "immutable and read_only = false exclude each other")
		d.Detail = "immutable says that nobody writes the file, so SQLite takes no locks. Remove one of them."
	}
	path := b.String("path")
	switch {
	case path == ":memory:":
		decodeInit(b, s)
	case b.Known("path"):
		q.path = b.ResolvePath(path)
		if b.Has("init") {
			d := b.Errorf(b.NameRange("init"), "init_without_memory", "init is for path = \":memory:\"")
			d.Detail = fmt.Sprintf("The scripts would change %q at every start. Remove init, or set path = \":memory:\" for a database that they fill anew.", path)
			break
		}
		if path == "" || b.IsDir(q.path) {
			d := b.Errorf(b.ValueRange("path"), "no_such_file", "path %q names no file", path)
			d.Detail = "Write the name of a database file. A relative path is relative to the configuration file."
			break
		}
		if !b.FileExists(q.path) {
			d := b.Errorf(b.ValueRange("path"), "no_such_file", "no database file %q", path)
			d.Detail = fmt.Sprintf("Looked for %s. A database is never created by being served; correct the path, or create the file first.", q.path)
			if strings.HasPrefix(path, "file:") || strings.Contains(path, "://") {
				d.Detail = "path is a plain file name, not a URI; further settings are attributes of the block."
			}
		}
	}
	return s
}

func decodeInit(b *decl.Block, s *settings) {
	scripts := b.Strings("init")
	if len(scripts) == 0 {
		d := b.Errorf(b.ValueRange("path"), "memory_without_init", "\":memory:\" needs init")
		d.Detail = "A database in memory is empty. Name the scripts that fill it, such as init = [\"shop.sql\"], or give path a file."
	}
	for _, script := range scripts {
		name := b.ResolvePath(script)
		if !b.FileExists(name) {
			d := b.Errorf(b.ValueRange("init"), "no_such_file", "no script %q", script)
			d.Detail = fmt.Sprintf("Looked for %s. Correct the path; it is relative to this configuration file.", name)
		}
		s.sqlite.init = append(s.sqlite.init, name)
	}
}

func decodePostgres(b *decl.Block) any {
	s := decodeCommon(b, postgresDialect())
	s.server = decodeServer(b, "postgres", "postgresql")
	s.server.tls = b.String("sslmode")
	s.server.searchPath = b.Strings("search_path")
	s.server.statementCache = b.Bool("statement_cache")
	if s.server.port == 0 {
		s.server.port = 5432
	}
	if b.Has("url") && s.server.host != "" {
		checkPostgresOptions(b, s.server)
	}
	return s
}

// checkPostgresOptions reads the options of a url as the driver will. What the
// driver says of them quotes the url with its password.
func checkPostgresOptions(b *decl.Block, s *serverSettings) {
	valid := func(s *serverSettings) bool {
		_, err := pgconn.ParseConfig(postgresDSN(s))
		return err == nil
	}
	if valid(s) {
		return
	}
	for _, name := range sortedNames(s.options) {
		without := *s
		without.options = maps.Clone(s.options)
		delete(without.options, name)
		if valid(&without) {
			d := b.Errorf(b.ValueRange("url"), "invalid_url", "the url has an option %q that cannot be used", name)
			d.Detail = "Its value is not one that PostgreSQL's clients know, or names a file that cannot be read. Correct it, or remove it."
			return
		}
	}
	d := b.Errorf(b.ValueRange("url"), "invalid_url", "the options of the url cannot be used")
	d.Detail = "Correct them one by one, and the variables of the environment whose names begin with PG, which stand for options that are not given."
}

func decodeMySQL(b *decl.Block) any {
	s := decodeCommon(b, mysqlDialect())
	s.server = decodeServer(b, "mysql", "mariadb")
	s.server.tls = b.String("tls")
	s.server.charset = b.String("charset")
	for _, name := range sortedNames(s.server.options) {
		d := b.Errorf(b.ValueRange("url"), "invalid_url", "the url has an option %q", name)
		d.Detail = "Options of a mysql url are attributes of the connection block: tls, ca_file, charset, timeout. Remove it from the url."
	}
	if s.server.port == 0 {
		s.server.port = 3306
	}
	return s
}

var addressParts = []string{"host", "port", "user", "password", "database"}

// decodeServer reads the address, from the url or from the parts.
func decodeServer(b *decl.Block, schemes ...string) *serverSettings {
	s := &serverSettings{
		host: b.String("host"), user: b.String("user"), password: b.String("password"),
		database: b.String("database"), port: int(b.Int("port")),
	}
	s.caFile = sources.CAFile(b, "ca_file")
	if s.port > 65535 {
		b.Errorf(b.ValueRange("port"), "invalid_value", "port is at most 65535")
	}
	if !b.Has("url") {
		if !b.Has("host") {
			d := b.Errorf(b.Range, "no_address", "the connection has neither \"url\" nor \"host\"")
			d.Detail = fmt.Sprintf("Write url = \"%s://user@host/database\", with the password from env(), or the parts host, port, user, password and database.", schemes[0])
		}
		return s
	}
	for _, part := range addressParts {
		if b.Has(part) {
			d := b.Errorf(b.NameRange(part), "url_with_parts", "%s stands beside url", part)
			d.Detail = "The address is either one url or its parts. Remove one of them."
			return s
		}
	}
	if b.String("url") != "" {
		readURL(b, s, schemes)
	}
	return s
}

// readURL takes the url apart. A url that came from a secret is never shown,
// and neither is the text of a parse error, which would hold the password.
func readURL(b *decl.Block, s *serverSettings, schemes []string) {
	bad := func(what string) {
		d := b.Errorf(b.ValueRange("url"), "invalid_url", "the url is not a %s url: %s", schemes[0], what)
		d.Detail = fmt.Sprintf("The form is %s://user:password@host:port/database. A password with one of the characters / ? # @ %% is easier to give as the attribute password, with host, user and database beside it.", schemes[0])
	}
	u, err := url.Parse(strings.TrimSpace(b.String("url")))
	switch {
	case err != nil:
		bad("it cannot be parsed")
		return
	case u.Scheme != schemes[0] && u.Scheme != schemes[1]:
		bad(fmt.Sprintf("it does not start with %s://", schemes[0]))
		return
	case u.Fragment != "":
		bad("it has a \"#\", which ends a url")
		return
	case strings.Contains(u.Host, ","):
		bad("it names more than one host")
		return
	case !sources.GoodPort(u):
		bad("its port is not between 1 and 65535")
		return
	}
	s.host, s.database = u.Hostname(), strings.TrimPrefix(u.Path, "/")
	s.user = u.User.Username()
	s.password, _ = u.User.Password()
	if p := u.Port(); p != "" {
		s.port, _ = strconv.Atoi(p)
	}
	s.options = map[string]string{}
	for k, v := range u.Query() {
		s.options[k] = v[len(v)-1]
	}
	if h := s.options["host"]; h != "" && s.host == "" { // a socket's folder
		s.host = h
	}
	delete(s.options, "host")
	if s.host == "" {
		bad("it names no host")
	}
}

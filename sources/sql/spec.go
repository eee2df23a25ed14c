package sql

import "github.com/mcpdecl/mcpdecl/decl"

// limitAttrs are the limits of a query, with their defaults for a connection.
func limitAttrs(timeout, maxRows, maxBytes string) []decl.AttrSpec {
	return []decl.AttrSpec{
		{Name: "timeout", Type: decl.Duration, Default: timeout, Min: "1ms",
			Doc: "The longest time that a query may take, and that a read waits for its turn before; a query is ended in the database."},
		{Name: "max_rows", Type: decl.Integer, Default: maxRows, Min: "1",
			Doc: "The most rows that a result may have; a longer one is cut and says so."},
		{Name: "max_bytes", Type: decl.Size, Default: maxBytes, Min: "1",
			Doc: "The largest size of a rendered result; a larger one is an error."},
	}
}

// poolAttrs are what every SQL connection has.
func poolAttrs(maxOpen string) []decl.AttrSpec {
	return append([]decl.AttrSpec{
		{Name: "read_only", Type: decl.Bool, Default: "true",
			Doc: "Whether the database engine refuses every write of this connection."},
	}, append(limitAttrs("10s", "1000", "8MiB"),
		decl.AttrSpec{Name: "max_open", Type: decl.Integer, Default: maxOpen, Min: "1",
			Doc: "The most connections that are open at once; further reads wait."},
		decl.AttrSpec{Name: "max_idle", Type: decl.Integer, Default: maxOpen, Min: "0",
			Doc: "The most connections that are kept open while nobody reads."},
		decl.AttrSpec{Name: "max_lifetime", Type: decl.Duration, Default: "1h", Min: "1s",
			Doc: "The age at which a connection is closed and opened anew."},
		decl.AttrSpec{Name: "cooldown", Type: decl.Duration, Default: "2s", Min: "0s",
			Doc: "How long a database that could not be reached is left alone before the next attempt."},
	)...)
}

var sqliteSpec = &decl.BlockSpec{
	Type: "sqlite",
	Doc:  "A SQLite database file.",
	Attrs: append([]decl.AttrSpec{
		{Name: "path", Type: decl.String, Required: true,
			Doc: "The database file, relative to this configuration file; it must exist. \":memory:\" goes with init."},
		{Name: "init", Type: decl.StringList,
			Doc: "SQL scripts that fill a \":memory:\" database when the server starts."},
		{Name: "immutable", Type: decl.Bool, Default: "false",
			Doc: "Read without any locking; only for a file that nobody writes while it is served."},
		{Name: "cache_size", Type: decl.Size, Min: "0",
			Doc: "The page cache of each connection, such as \"64MiB\"; SQLite's own default when absent."},
		{Name: "mmap_size", Type: decl.Size, Min: "0",
			Doc: "How much of the file is read through memory mapping, such as \"256MiB\"."},
		{Name: "busy_timeout", Type: decl.Duration, Default: "5s", Min: "0s",
			Doc: "How long a read waits for a writer that holds the lock."},
	}, poolAttrs("8")...),
}

var postgresSpec = &decl.BlockSpec{
	Type: "postgres",
	Doc:  "A PostgreSQL database.",
	Attrs: append(append([]decl.AttrSpec{
		{Name: "url", Type: decl.String, Secret: decl.SecretInURL,
			Doc: "The whole address, postgres://user:password@host:port/database, instead of the parts."},
	}, serverAttrs("5432")...), append([]decl.AttrSpec{
		{Name: "sslmode", Type: decl.String,
			Enum: []string{"disable", "allow", "prefer", "require", "verify-ca", "verify-full"},
			Doc:  "How TLS is used, in PostgreSQL's words; \"prefer\" when neither this nor the url says."},
		{Name: "ca_file", Type: decl.String,
			Doc: "A PEM file of the certificate authorities that sign the server's certificate."},
		{Name: "search_path", Type: decl.StringList,
			Doc: "The schemas in which names are looked up, in order."},
		{Name: "statement_cache", Type: decl.Bool, Default: "true",
			Doc: "Whether prepared statements are kept; false behind a transaction pooler such as PgBouncer."},
	}, poolAttrs("8")...)...),
}

var mysqlSpec = &decl.BlockSpec{
	Type: "mysql",
	Doc:  "A MySQL or MariaDB database.",
	Attrs: append(append([]decl.AttrSpec{
		{Name: "url", Type: decl.String, Secret: decl.SecretInURL,
			Doc: "The whole address, mysql://user:password@host:port/database, instead of the parts."},
	}, serverAttrs("3306")...), append([]decl.AttrSpec{
		{Name: "tls", Type: decl.String, Enum: []string{"disable", "prefer", "require", "verify"},
			Doc: "How TLS is used: not at all, when the server offers it, always, always with a checked certificate; \"prefer\" when absent, \"verify\" with ca_file."},
		{Name: "ca_file", Type: decl.String,
			Doc: "A PEM file of the certificate authorities that sign the server's certificate."},
		{Name: "charset", Type: decl.String, Default: "utf8mb4", Enum: []string{"utf8mb4", "utf8mb3", "utf8"},
			Doc: "The character set of the connection."},
	}, poolAttrs("8")...)...),
}

// serverAttrs are the parts of a server's address.
func serverAttrs(port string) []decl.AttrSpec {
	return []decl.AttrSpec{
		{Name: "host", Type: decl.String, Doc: "The server's name or address, or a folder that holds its socket."},
		{Name: "port", Type: decl.Integer, Min: "1", Doc: "The server's port; " + port + " when absent."},
		{Name: "user", Type: decl.String, Doc: "The role to connect as; give it no more rights than the queries need."},
		{Name: "password", Type: decl.String, Secret: decl.SecretValue, Doc: "The password, from env() rather than in the file."},
		{Name: "database", Type: decl.String, Doc: "The database to connect to."},
	}
}

var sourceSpec = &decl.BlockSpec{
	Type: "sql",
	Doc:  "The rows of one SQL statement.",
	Attrs: append([]decl.AttrSpec{
		{Name: "connection", Type: decl.Reference, Required: true,
			Doc: "The sqlite, postgres or mysql connection that runs the query."},
		{Name: "query", Type: decl.String, Required: true, Template: decl.TemplateSQL,
			Doc: "One statement; values stand in it as :name."},
		{Name: "args", Type: decl.Object,
			Doc: "Computed values to bind; every other :name is the parameter of that name."},
		{Name: "rows", Type: decl.String, Default: "list", Enum: []string{"list", "one", "each"},
			Doc: "One document of all rows, one object of the only row, or one content per row."},
		{Name: "format", Type: decl.String, Default: "json", Enum: []string{"json", "ndjson", "csv", "markdown"},
			Doc: "How rows are written."},
		{Name: "allow_empty", Type: decl.Bool, Default: "false",
			Doc: "Whether no rows is an empty list rather than a resource that does not exist."},
		{Name: "item_uri", Type: decl.Expression,
			Doc: "The URI of each row's content, an expression over row; only and always with rows = \"each\"."},
	}, limitAttrs("", "", "")...),
}

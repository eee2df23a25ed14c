package sql

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

const benchColumns = "SELECT id, name, email, price, note FROM bench"

// benchTables fills the same table that SQLite has.
func benchTables(b testing.TB, text string) (create, fill string) {
	b.Helper()
	return "CREATE TABLE bench (id INTEGER PRIMARY KEY, name VARCHAR(100), email VARCHAR(100), price DOUBLE PRECISION, note VARCHAR(100))",
		"INSERT INTO bench SELECT i, CONCAT('Customer ', i), CONCAT('customer', i, '@example.com'), i * 1.25, CASE WHEN i % 3 = 0 THEN CONCAT('a \"note\" of ', i) END FROM " + text
}

func benchServer(b *testing.B, config, kind string, one, all handQuery) {
	config = config[:strings.Index(config, "resource ")] + strings.NewReplacer("connection.sqlite.db", "connection."+kind+".db", "FROM t", "FROM bench").
		Replace(benchConfig[strings.Index(benchConfig, "resource"):])
	f := open(b, b.TempDir(), config)
	b.Run("one", func(b *testing.B) { benchPair(b, f, "one", one, true, int64(5000)) })
	b.Run("all", func(b *testing.B) { benchPair(b, f, "all", all, false) })
}

// The reader by hand uses pgx itself, with its cache of prepared statements
// and its binary format.
func BenchmarkPostgres(b *testing.B) {
	s := servers.Postgres(b)
	create, fill := benchTables(b, "generate_series(1, 10000) i")
	pgExec(b, s, "DROP TABLE IF EXISTS bench", create, fill, "ANALYZE bench")
	conn, err := pgx.Connect(context.Background(), postgresDSN(&serverSettings{host: s.Host, port: s.Port, user: s.User, password: s.Password, database: s.Database, tls: "disable"}))
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(context.Background())
	byHand := func(query string, args ...any) handQuery {
		return func(ctx context.Context) (handRows, func(), error) {
			rows, err := conn.Query(ctx, query, args...)
			if err != nil {
				return nil, nil, err
			}
			return rows, rows.Close, nil
		}
	}
	benchServer(b, pgConfig(s, "SELECT 1", "max_rows = 100000\nsslmode = \"disable\"", ""), "postgres",
		byHand(benchColumns+" WHERE id = $1", int64(5000)), byHand(benchColumns))
}

func BenchmarkMySQL(b *testing.B) {
	s := servers.MySQL(b)
	create, fill := benchTables(b, "(SELECT seq AS i FROM seq_1_to_10000) x")
	myExec(b, s, "DROP TABLE IF EXISTS bench", create, fill)
	db := myDB(b, s)
	b.Cleanup(func() { db.Close() })
	benchServer(b, myOne(s, "SELECT 1", "max_rows = 100000\ntls = \"disable\"", ""), "mysql",
		preparedByHand(b, db, benchColumns+" WHERE id = ?", int64(5000)), preparedByHand(b, db, benchColumns))
}

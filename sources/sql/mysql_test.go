package sql

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/mcpdecl/mcpdecl/sources/sql/sqltest"
)

func myDB(t testing.TB, s *sqltest.Server) *stdsql.DB {
	c := mysql.NewConfig()
	c.Net, c.Addr, c.User, c.Passwd, c.DBName = "tcp", s.Addr(), s.User, s.Password, s.Database
	connector, err := mysql.NewConnector(c)
	if err != nil {
		t.Fatal(err)
	}
	return stdsql.OpenDB(connector)
}

// myExec runs statements as the owner of the database and returns the first
// column of what the last returns.
func myExec(t testing.TB, s *sqltest.Server, statements ...string) []string {
	t.Helper()
	db := myDB(t, s)
	defer db.Close()
	var out []string
	for _, text := range statements {
		rows, err := db.Query(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		out = nil
		for rows.Next() {
			var v stdsql.NullString
			if err := rows.Scan(&v); err != nil {
				t.Fatal(err)
			}
			out = append(out, v.String)
		}
		rows.Close()
	}
	return out
}

// myConfig is a configuration with resources over the server; each is a name,
// a uri, and the inside of its resource.
func myConfig(s *sqltest.Server, connection string, resources ...[3]string) string {
	text := fmt.Sprintf("connection \"mysql\" \"db\" {\n host = %q\n port = %d\n user = %q\n password = %q\n database = %q\n%s\n}\n",
		s.Host, s.Port, s.User, s.Password, s.Database, connection)
	for _, r := range resources {
		text += fmt.Sprintf("resource %q {\n uri = %q\n%s\n}\n", r[0], r[1], strings.Replace(r[2], "source \"sql\" {", "source \"sql\" {\n connection = connection.mysql.db\n", 1))
	}
	return text
}

func myOne(s *sqltest.Server, query, connection, source string) string {
	return myConfig(s, connection, [3]string{"r", "t://r", fmt.Sprintf("source \"sql\" {\n query = %q\n%s\n}", query, source)})
}

func TestA5_A6_MySQLValues(t *testing.T) {
	s := servers.MySQL(t)
	myExec(t, s, "DROP TABLE IF EXISTS v", `CREATE TABLE v (id INT PRIMARY KEY, c CHAR(5), t TEXT, e ENUM('x','y'), st SET('p','q'), de DECIMAL(20,2), big DECIMAL(30,0), d DATE, dt DATETIME(3), ts TIMESTAMP NULL,
		ti TIME, y YEAR, b BLOB, vb VARBINARY(9), bi BINARY(2), bit1 BIT(1), bit9 BIT(9), t1 TINYINT(1), ub BIGINT UNSIGNED, sb BIGINT, f FLOAT, db DOUBLE, j JSON, n INT)`,
		"SET time_zone = '+00:00'",
		`INSERT INTO v VALUES (1, 'ab', 'x"y', 'y', 'p,q', 10.00, 123456789012345678901234567890, '2026-01-02', '2026-01-02 03:04:05.678', '2026-01-02 03:04:05',
		'-12:30:00', 2026, x'ff00', x'89', 'a', 1, 257, 2, 18446744073709551615, -9007199254740993, 0.1, 0.30000000000000004, '{"id": 9007199254740993}', NULL)`)
	want := `[{"c":"ab","t":"x\"y","e":"y","st":"p,q","de":10.00,"big":"123456789012345678901234567890","d":"2026-01-02","dt":"2026-01-02T03:04:05.678","ti":"-12:30:00","y":2026,"b":"/wA=","vb":"iQ==","bi":"YQA=","bit1":1,"bit9":257,"t1":2,"ub":"18446744073709551615","sb":"-9007199254740993","f":0.1,"db":0.30000000000000004,"n":null}]`
	const cols = "SELECT c, t, e, st, de, big, d, dt, ti, y, b, vb, bi, bit1, bit9, t1, ub, sb, f, db, n FROM v"
	f := open(t, t.TempDir(), myConfig(s, "",
		[3]string{"plain", "t://plain", "source \"sql\" {\n query = \"" + cols + "\"\n}"},
		[3]string{"bound", "t://bound/{id}", "param \"id\" { type = integer }\nsource \"sql\" {\n query = \"" + cols + " WHERE id = :id\"\n}"},
		[3]string{"ts", "t://ts", "source \"sql\" {\n query = \"SELECT ts, CAST('2026-01-01' AS DATE) AS d, CONCAT(1, 2) AS s, 1 = 1 AS b, 1.50 AS n, 1e0 AS f, 'é' AS u, COUNT(*) AS c, @@time_zone AS tz FROM v\"\n}"},
	))
	for range 2 {
		if got := f.text("plain"); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if got := f.text("bound", int64(1)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	got := f.text("ts")
	if want := `[{"ts":"2026-01-02T08:04:05Z","d":"2026-01-01","s":"12","b":1,"n":1.50,"f":1,"u":"é","c":1,"tz":"+00:00"}]`; got != want && got != strings.Replace(want, "T08", "T03", 1) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestB1_MySQLReadOnly(t *testing.T) {
	s := servers.MySQL(t)
	myExec(t, s, "DROP TABLE IF EXISTS b1", "CREATE TABLE b1 (a INT)", "INSERT INTO b1 VALUES (1)", "DROP PROCEDURE IF EXISTS b1p",
		"CREATE PROCEDURE b1p() BEGIN START TRANSACTION READ WRITE; DELETE FROM b1; COMMIT; END", "DROP FUNCTION IF EXISTS b1f",
		"CREATE FUNCTION b1f() RETURNS INT MODIFIES SQL DATA BEGIN DELETE FROM b1; RETURN 1; END")
	for _, query := range []string{
		"/*x*/ COMMIT; DROP TABLE b1", "DELETE FROM b1", "SELECT b1f()", "CALL b1p()", "SET SESSION TRANSACTION READ WRITE",
		"/*!50000 SET SESSION TRANSACTION READ WRITE */", "INSERT INTO b1 VALUES (2)", "TRUNCATE TABLE b1", "CREATE TABLE b2 (a INT)", "DELETE FROM b1 RETURNING a",
		"SELECT a FROM b1 FOR UPDATE; DELETE FROM b1", "START TRANSACTION READ WRITE", "COMMIT",
	} {
		f := open(t, t.TempDir(), myOne(s, "SELECT 1", "", ""))
		q, _ := parseQuery(mysqlDialect(), query)
		f.sources["r"].(*source).settings.query = q
		if res, err := f.read("r"); err == nil {
			t.Errorf("%s: was not refused: %s", query, res.Contents[0].Data)
		}
		if got := myExec(t, s, "SELECT COUNT(*) FROM b1"); got[0] != "1" {
			t.Fatalf("%s: %s rows are left", query, got)
		}
		q, _ = parseQuery(mysqlDialect(), "WITH x AS (SELECT b1f() AS a) SELECT * FROM x")
		f.sources["r"].(*source).settings.query = q
		if _, err := f.read("r"); !errors.Is(err, ErrReadOnly) {
			t.Errorf("after %s: %v", query, err)
		}
	}
}

func TestB6_MySQLLists(t *testing.T) {
	s := servers.MySQL(t)
	f := open(t, t.TempDir(), myConfig(s, "",
		[3]string{"in", "t://in{?id*}", "param \"id\" { type = list(integer) }\nsource \"sql\" {\n query = \"SELECT x FROM (SELECT 1 AS x UNION SELECT 2 UNION SELECT 3) t WHERE x IN (:id) ORDER BY x\"\n allow_empty = true\n}"},
		[3]string{"notin", "t://notin{?id*,q}", "param \"id\" { type = list(integer) }\nsource \"sql\" {\n query = \"SELECT x, :q AS q FROM (SELECT 1 AS x UNION SELECT 2 UNION SELECT 3) t WHERE x NOT IN (:id) AND (:q IS NULL OR :q = 'z') ORDER BY x\"\n allow_empty = true\n}"},
	))
	for _, c := range []struct {
		name, want string
		params     []any
	}{
		{"in", `[]`, []any{[]int64{}}},
		{"in", `[{"x":1},{"x":3}]`, []any{[]int64{1, 3}}},
		{"notin", `[{"x":1,"q":null},{"x":2,"q":null},{"x":3,"q":null}]`, []any{[]int64{}, nil}},
		{"notin", `[{"x":2,"q":"z"}]`, []any{[]int64{1, 3}, "z"}},
	} {
		if got := f.text(c.name, c.params...); got != c.want {
			t.Errorf("%s %v: got %s, want %s", c.name, c.params, got, c.want)
		}
	}
}

func myRunning(t testing.TB, s *sqltest.Server, mark string) bool {
	got := myExec(t, s, "SELECT COUNT(*) FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND info LIKE '%"+mark+"%'")
	return got[0] != "0"
}

func TestB8_MySQLCancel(t *testing.T) {
	s := servers.MySQL(t)
	f := open(t, t.TempDir(), myOne(s, "SELECT SLEEP(60) /* b8cancel */ AS s", "", `timeout = "50s"`))
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := f.sources["r"].Read(ctx, f.request("r"))
		failed <- err
	}()
	eventually(t, "the query runs", func() bool { return myRunning(t, s, "b8cancel") })
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	eventually(t, "the query is gone", func() bool { return !myRunning(t, s, "b8cancel") })
}

func TestB8_MySQLTimeout(t *testing.T) {
	s := servers.MySQL(t)
	f := open(t, t.TempDir(), myOne(s, "SELECT SLEEP(60) /* b8timeout */ AS s", "", `timeout = "2s"`))
	for range 2 {
		_, err := f.read("r")
		var timeout *TimeoutError
		if !errors.As(err, &timeout) || !strings.Contains(err.Error(), "query exceeded timeout 2s") {
			t.Errorf("got %v", err)
		}
	}
	eventually(t, "the query is gone", func() bool { return !myRunning(t, s, "b8timeout") })
}

func TestB11_MySQLMaxRows(t *testing.T) {
	s := servers.MySQL(t)
	for n, truncated := range map[int]bool{1000: false, 1001: true, 5000000: true} {
		f := open(t, t.TempDir(), myOne(s, fmt.Sprintf("SELECT seq AS x FROM seq_1_to_%d", n), "", ""))
		for range 2 {
			res, err := f.read("r")
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.HasPrefix(res.Truncated, "only the first 1000 rows; "); got != truncated {
				t.Errorf("%d rows: truncated %q", n, res.Truncated)
			}
			if got := strings.Count(string(res.Contents[0].Data), "{"); got != 1000 {
				t.Errorf("%d rows: %d objects", n, got)
			}
		}
	}
	f := open(t, t.TempDir(), myOne(s, "SELECT seq AS x FROM seq_1_to_5000", "", "max_rows = 4000"))
	if res, err := f.read("r"); err != nil || strings.Count(string(res.Contents[0].Data), "{") != 4000 {
		t.Errorf("%v", err)
	}
}

func TestB12_MySQLMaxBytes(t *testing.T) {
	s := servers.MySQL(t)
	myExec(t, s, "SET GLOBAL max_allowed_packet = 67108864")
	f := open(t, t.TempDir(), myOne(s, "SELECT REPEAT('x', 50000000) AS s", "", "max_bytes = \"1MiB\"\ntimeout = \"60s\""))
	grown := allocated(func() {
		_, err := f.read("r")
		var large *TooLargeError
		if !errors.As(err, &large) || large.Limit != 1<<20 {
			t.Errorf("got %v", err)
		}
	})
	if grown > 48<<20 {
		t.Errorf("%d bytes were allocated", grown)
	}
}

func TestMySQLStatementsSurviveASchemaChange(t *testing.T) {
	s := servers.MySQL(t)
	myExec(t, s, "DROP TABLE IF EXISTS plan", "CREATE TABLE plan (a INT)", "INSERT INTO plan VALUES (1)")
	f := open(t, t.TempDir(), myOne(s, "SELECT * FROM plan", "", ""))
	if got := f.text("r"); got != `[{"a":1}]` {
		t.Errorf("got %s", got)
	}
	myExec(t, s, "ALTER TABLE plan ADD COLUMN b TEXT DEFAULT 'x', MODIFY COLUMN a DECIMAL(5,2)")
	if got := f.text("r"); got != `[{"a":1.00,"b":"x"}]` {
		t.Errorf("got %s", got)
	}
}

func TestMySQLWritableConnection(t *testing.T) {
	s := servers.MySQL(t)
	myExec(t, s, "DROP TABLE IF EXISTS w", "CREATE TABLE w (a INT)")
	read := func(query, source string) string {
		res, err := open(t, t.TempDir(), myOne(s, query, "read_only = false", source)).read("r")
		if err != nil {
			return "error"
		}
		return string(res.Contents[0].Data)
	}
	if got := read("INSERT INTO w VALUES (1), (2)", ""); got != `[]` {
		t.Errorf("got %s", got)
	}
	if got := read("DELETE FROM w RETURNING a, REPEAT('x', 1000)", `max_bytes = "100B"`); got != "error" {
		t.Errorf("got %s", got)
	}
	if got := read("SELECT a FROM w ORDER BY a", ""); got != `[{"a":1},{"a":2}]` {
		t.Errorf("got %s", got)
	}
}

func TestB14_MySQLURL(t *testing.T) {
	s := servers.MySQL(t)
	text := fmt.Sprintf("connection \"mysql\" \"db\" { url = \"mysql://%s:p%%40ss%%2Fw%%23rd%%252F@%s/%s\" }\nresource \"r\" {\n uri = \"t://r\"\n source \"sql\" {\n connection = connection.mysql.db\n query = \"SELECT 1 AS a\"\n}\n}",
		s.User, s.Addr(), s.Database)
	if got := open(t, t.TempDir(), text).text("r"); got != `[{"a":1}]` {
		t.Errorf("got %s", got)
	}
	_, err := open(t, t.TempDir(), strings.Replace(text, "p%40ss", "wr0ngpw", 1)).read("r")
	var down *UnavailableError
	if !errors.As(err, &down) || strings.Contains(err.Error(), "wr0ngpw") {
		t.Errorf("got %v", err)
	}
}

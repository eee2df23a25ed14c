package sql

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpdecl/mcpdecl/sources/sql/sqltest"
)

// pgResources is a configuration with several resources over the server; each
// is a name, a uri, and the inside of its source.
func pgResources(s *sqltest.Server, connection string, resources ...[3]string) string {
	text := pgConfig(s, "SELECT 1", connection, "")
	text = text[:strings.Index(text, "resource ")]
	for _, r := range resources {
		text += fmt.Sprintf("resource %q {\n uri = %q\n%s\n}\n", r[0], r[1], strings.Replace(r[2], "source \"sql\" {", "source \"sql\" {\n connection = connection.postgres.db\n", 1))
	}
	return text
}

func TestB1_PostgresReadOnly(t *testing.T) {
	s := servers.Postgres(t)
	pgExec(t, s, "DROP TABLE IF EXISTS b1; CREATE TABLE b1 (a int); INSERT INTO b1 VALUES (1)",
		"CREATE OR REPLACE FUNCTION b1_write() RETURNS int LANGUAGE sql AS 'DELETE FROM b1; SELECT 1'")
	for _, mode := range []string{"", "statement_cache = false"} {
		for _, query := range []string{
			"/*x*/ COMMIT; DROP TABLE b1", "WITH x AS (DELETE FROM b1 RETURNING *) SELECT * FROM x", "DELETE FROM b1", "SELECT b1_write()",
			"COMMIT", "SELECT set_config('transaction_read_only', 'off', false)", "SET TRANSACTION READ WRITE", "SELECT nextval('b1_seq')", "DO $$BEGIN DELETE FROM b1; END$$",
			"CREATE TEMP TABLE x AS SELECT 1", "SELECT * INTO b2 FROM b1", "EXPLAIN ANALYZE DELETE FROM b1",
		} {
			f := open(t, t.TempDir(), pgConfig(s, "SELECT 1", mode, ""))
			q, _ := parseQuery(postgresDialect(), query)
			f.sources["r"].(*source).settings.query = q
			if res, err := f.read("r"); err == nil {
				t.Errorf("%s %s: was not refused: %s", mode, query, res.Contents[0].Data)
			}
			if got := pgExec(t, s, "SELECT count(*) FROM b1"); got[0] != "1" {
				t.Fatalf("%s %s: %s rows are left", mode, query, got)
			}
			q, _ = parseQuery(postgresDialect(), "DELETE FROM b1 RETURNING a")
			f.sources["r"].(*source).settings.query = q
			if _, err := f.read("r"); !errors.Is(err, ErrReadOnly) {
				t.Errorf("%s, after %s: %v", mode, query, err)
			}
		}
	}
}

func TestB5_PostgresTypes(t *testing.T) {
	s := servers.Postgres(t)
	pgExec(t, s, "DROP TABLE IF EXISTS b5", "CREATE TABLE b5 (i int, n numeric, s text, d date, u uuid, b bool, j jsonb)",
		"INSERT INTO b5 VALUES (5, 1.5, '5', '2026-01-02', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', true, '[7,8]')")
	for _, mode := range []string{"", "statement_cache = false"} {
		f := open(t, t.TempDir(), pgResources(s, mode,
			[3]string{"strings", "t://s/{i}/{n}/{s}/{d}/{u}/{b}", `source "sql" {
  query = "SELECT s FROM b5 WHERE i = :i AND n = :n AND s = :s AND d = :d AND u = :u AND b = :b AND s LIKE '%' || :s || '%'"
}`},
			[3]string{"typed", "t://t/{i}/{n}/{b}", `
param "i" { type = integer }
param "n" { type = number }
param "b" { type = bool }
source "sql" {
  query = "SELECT :i AS i, :n AS n, :b AS b, pg_typeof(:i) AS ti, repeat('x', :i) AS r, j -> :i - 5 AS j FROM b5 WHERE i = :i AND n = :n AND b = :b LIMIT :i"
}`},
			[3]string{"mixed", "t://m/{i}/{j}{?x}", `
param "i" { type = integer }
param "j" { type = integer }
source "sql" {
  query = "SELECT d, :x AS x, :x IS NULL AS isnull FROM b5 WHERE s = :i AND i = :j AND (:x IS NULL OR s = :x)"
}`},
		))
		if got := f.text("strings", "5", "1.5", "5", "2026-01-02", "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "t"); got != `[{"s":"5"}]` {
			t.Errorf("got %s", got)
		}
		if got := f.text("mixed", int64(5), int64(5), nil); got != `[{"d":"2026-01-02","x":null,"isnull":true}]` {
			t.Errorf("got %s", got)
		}
		if got := f.text("mixed", int64(5), int64(5), "5"); got != `[{"d":"2026-01-02","x":"5","isnull":false}]` {
			t.Errorf("got %s", got)
		}
		wantNotFound(t, f, "mixed", int64(5), int64(6), nil)
		if got := f.text("typed", int64(5), 1.5, true); got != `[{"i":5,"n":1.5,"b":true,"ti":"integer","r":"xxxxx","j":7}]` {
			t.Errorf("got %s", got)
		}
		if _, err := f.read("strings", "abc", "1.5", "5", "2026-01-02", "x", "t"); err == nil || !strings.Contains(err.Error(), "declare the parameter's type") {
			t.Errorf("got %v", err)
		}
		if _, err := f.read("strings", "a\x00", "", "", "", "", ""); err == nil {
			t.Errorf("a NUL was accepted")
		}
	}
}

func TestB6_PostgresLists(t *testing.T) {
	s := servers.Postgres(t)
	for _, mode := range []string{"", "statement_cache = false"} {
		f := open(t, t.TempDir(), pgResources(s, mode,
			[3]string{"ints", "t://i{?id*}", "param \"id\" { type = list(integer) }\nsource \"sql\" {\n query = \"SELECT x FROM generate_series(1,3) x WHERE x IN (:id)\"\n allow_empty = true\n}"},
			[3]string{"notints", "t://n{?id*}", "param \"id\" { type = list(integer) }\nsource \"sql\" {\n query = \"SELECT x FROM generate_series(1,3) x WHERE x NOT IN (:id)\"\n allow_empty = true\n}"},
			[3]string{"texts", "t://t{?id*}", "source \"sql\" {\n query = \"SELECT x FROM unnest(ARRAY['a','b']) x WHERE x IN (:id, 'b')\"\n allow_empty = true\n}"},
			[3]string{"uuids", "t://u{?id*}", "source \"sql\" {\n query = \"SELECT x FROM (SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid AS x) t WHERE x NOT IN (:id)\"\n allow_empty = true\n}"},
		))
		for _, c := range []struct {
			name, want string
			param      any
		}{
			{"ints", `[]`, []int64{}},
			{"ints", `[{"x":1},{"x":3}]`, []int64{1, 3}},
			{"notints", `[{"x":2}]`, []int64{1, 3}},
			{"notints", `[{"x":1},{"x":2},{"x":3}]`, []int64{}},
			{"texts", `[{"x":"b"}]`, []string{}},
			{"texts", `[{"x":"a"},{"x":"b"}]`, []string{"a"}},
			{"uuids", `[{"x":"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}]`, []string{}},
			{"uuids", `[]`, []string{"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}},
		} {
			if got := f.text(c.name, c.param); got != c.want {
				t.Errorf("%s %s %v: got %s, want %s", mode, c.name, c.param, got, c.want)
			}
		}
	}
}

// eventually waits until the condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("did not come true: %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func pgRunning(t testing.TB, s *sqltest.Server, mark string) bool {
	got := pgExec(t, s, "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() AND query LIKE '%"+mark+"%'")
	return got[0] != "0"
}

func TestB8_PostgresCancel(t *testing.T) {
	s := servers.Postgres(t)
	for _, mode := range []string{"", "statement_cache = false"} {
		f := open(t, t.TempDir(), pgConfig(s, "SELECT pg_sleep(60) /* b8cancel */", mode, `timeout = "50s"`))
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := f.sources["r"].Read(ctx, f.request("r"))
			failed <- err
		}()
		eventually(t, "the query runs", func() bool { return pgRunning(t, s, "b8cancel") })
		cancel()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		eventually(t, "the query is gone", func() bool { return !pgRunning(t, s, "b8cancel") })
	}
}

func TestB8_PostgresTimeout(t *testing.T) {
	s := servers.Postgres(t)
	for _, mode := range []string{"", "statement_cache = false"} {
		f := open(t, t.TempDir(), pgConfig(s, "SELECT pg_sleep(60) /* b8timeout */", mode, `timeout = "2s"`))
		for range 2 {
			_, err := f.read("r")
			var timeout *TimeoutError
			if !errors.As(err, &timeout) || !strings.Contains(err.Error(), "query exceeded timeout 2s") {
				t.Errorf("got %v", err)
			}
		}
		eventually(t, "the query is gone", func() bool { return !pgRunning(t, s, "b8timeout") })
	}
}

func TestB10_NothingIsPreparedBehindAPooler(t *testing.T) {
	s := servers.Postgres(t)
	f := open(t, t.TempDir(), pgConfig(s, "SELECT (SELECT count(*) FROM pg_prepared_statements) AS n, current_setting('timezone') AS tz, current_setting('search_path') AS path, current_setting('transaction_read_only') AS ro",
		"statement_cache = false\nmax_open = 1\nsearch_path = [\"pg_catalog\", \"a b\"]", ""))
	for range 3 {
		if got, want := f.text("r"), `[{"n":0,"tz":"UTC","path":"\"pg_catalog\", \"a b\"","ro":"on"}]`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestB10_PgBouncer(t *testing.T) {
	pooler := sqltest.PgBouncer(t, servers.Postgres(t))
	f := open(t, t.TempDir(), pgResources(pooler, "statement_cache = false\nsearch_path = [\"pg_catalog\", \"public\"]",
		[3]string{"a", "t://a/{id}", "param \"id\" { type = integer }\nsource \"sql\" {\n query = \"SELECT x, '2026-01-02 03:04:05+00'::timestamptz AS t FROM generate_series(1, 100) x WHERE x = :id\"\n}"},
		[3]string{"b", "t://b/{id}", "source \"sql\" {\n query = \"SELECT typname FROM pg_type WHERE typname = :id\"\n}"},
		[3]string{"c", "t://c", "source \"sql\" {\n query = \"SELECT 1/0 AS x\"\n}"},
	))
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			for k := range 20 {
				id := int64(1 + (i*20+k)%100)
				if got, want := f.text("a", id), fmt.Sprintf(`[{"x":%d,"t":"2026-01-02T03:04:05Z"}]`, id); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
				if got := f.text("b", "int4"); got != `[{"typname":"int4"}]` {
					t.Errorf("got %s", got)
				}
				if _, err := f.read("c"); err == nil || !strings.Contains(err.Error(), "division by zero") {
					t.Errorf("got %v", err)
				}
			}
		})
	}
	wg.Wait()
	cancelled := open(t, t.TempDir(), pgConfig(pooler, "SELECT pg_sleep(60) /* b10cancel */", "statement_cache = false", `timeout = "2s"`))
	_, err := cancelled.read("r")
	var timeout *TimeoutError
	if !errors.As(err, &timeout) {
		t.Errorf("got %v", err)
	}
	eventually(t, "the query is gone", func() bool { return !pgRunning(t, servers.Postgres(t), "b10cancel") })
}

func TestB11_PostgresMaxRows(t *testing.T) {
	s := servers.Postgres(t)
	for n, truncated := range map[int]bool{1000: false, 1001: true, 100000000: true} {
		f := open(t, t.TempDir(), pgConfig(s, fmt.Sprintf("SELECT generate_series(1,%d) AS x", n), "", ""))
		for range 3 { // the first read finds out that the result is long
			began := time.Now()
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
			if took := time.Since(began); n < 1e6 && took > 2*time.Second {
				t.Errorf("%d rows: took %s", n, took)
			}
		}
	}
}

func TestB12_PostgresMaxBytes(t *testing.T) {
	s := servers.Postgres(t)
	f := open(t, t.TempDir(), pgConfig(s, "SELECT repeat('x', 50000000) AS s", "", "max_bytes = \"8MiB\"\ntimeout = \"60s\""))
	grown := allocated(func() {
		_, err := f.read("r")
		var large *TooLargeError
		if !errors.As(err, &large) || large.Limit != 8<<20 {
			t.Errorf("got %v", err)
		}
	})
	if grown > 4<<20 {
		t.Errorf("%d bytes were allocated", grown)
	}
	many := open(t, t.TempDir(), pgConfig(s, "SELECT repeat('x', 100000) AS s FROM generate_series(1,1000)", "", `max_bytes = "8MiB"`))
	if _, err := many.read("r"); err == nil {
		t.Errorf("100 MB were returned")
	}
}

func TestStatementsSurviveASchemaChange(t *testing.T) {
	s := servers.Postgres(t)
	pgExec(t, s, "DROP TABLE IF EXISTS plan", "CREATE TABLE plan (a int)", "INSERT INTO plan VALUES (1)")
	f := open(t, t.TempDir(), pgConfig(s, "SELECT * FROM plan", "", ""))
	if got := f.text("r"); got != `[{"a":1}]` {
		t.Errorf("got %s", got)
	}
	pgExec(t, s, "ALTER TABLE plan ADD COLUMN b text DEFAULT 'x'", "ALTER TABLE plan ALTER COLUMN a TYPE numeric(5,2)")
	if got := f.text("r"); got != `[{"a":1.00,"b":"x"}]` {
		t.Errorf("got %s", got)
	}
}

func TestPostgresWritableConnection(t *testing.T) {
	s := servers.Postgres(t)
	pgExec(t, s, "DROP TABLE IF EXISTS w", "CREATE TABLE w (a int)")
	for _, mode := range []string{"read_only = false", "read_only = false\nstatement_cache = false"} {
		read := func(query, source string) string {
			res, err := open(t, t.TempDir(), pgConfig(s, query, mode, source)).read("r")
			if err != nil {
				return "error"
			}
			return string(res.Contents[0].Data)
		}
		if got := read("INSERT INTO w VALUES (1), (2) RETURNING a", ""); got != `[{"a":1},{"a":2}]` {
			t.Errorf("got %s", got)
		}
		if got := read("UPDATE w SET a = a + 1", ""); got != `[]` {
			t.Errorf("got %s", got)
		}
		if got := read("DELETE FROM w RETURNING a, repeat('x', 1000)", `max_bytes = "100B"`); got != "error" {
			t.Errorf("got %s", got)
		}
		if got := read("SELECT a FROM w ORDER BY a", ""); got != `[{"a":2},{"a":3}]` {
			t.Errorf("got %s", got)
		}
		pgExec(t, s, "DELETE FROM w")
	}
}

func TestB14_PostgresURL(t *testing.T) {
	s := servers.Postgres(t)
	url := fmt.Sprintf("postgres://%s:p%%40ss%%2Fw%%23rd%%252F@%s/%s?sslmode=disable&application_name=other", s.User, s.Addr(), s.Database)
	text := strings.Replace(oneQuery("SELECT current_setting('application_name') AS a"), `connection "sqlite" "db" {
  path = "test.db"`, "connection \"postgres\" \"db\" {\n url = \""+url+"\"", 1)
	text = strings.Replace(text, "connection.sqlite.db", "connection.postgres.db", 1)
	if got := open(t, t.TempDir(), text).text("r"); got != `[{"a":"other"}]` {
		t.Errorf("got %s", got)
	}
	wrong := open(t, t.TempDir(), strings.Replace(text, "p%40ss", "wr0ngpw", 1))
	_, err := wrong.read("r")
	var down *UnavailableError
	if !errors.As(err, &down) || strings.Contains(err.Error(), "wr0ngpw") {
		t.Errorf("got %v", err)
	}
}

// TestPostgresReadsLeaveNothingBehind runs what changes a session, or writes
// although the transaction is read-only, and looks at what a later read on the
// same session gets.
func TestPostgresReadsLeaveNothingBehind(t *testing.T) {
	s := servers.Postgres(t)
	for _, mode := range []string{"max_open = 1", "max_open = 1\nstatement_cache = false"} {
		f := open(t, t.TempDir(), pgResources(s, mode,
			[3]string{"zone", "t://zone", "source \"sql\" {\n query = \"SELECT set_config('TimeZone', 'America/Chicago', false) AS z, set_config('DateStyle', 'German', false) AS d, set_config('search_path', 'pg_catalog', false) AS p\"\n}"},
			[3]string{"object", "t://object", "source \"sql\" {\n query = \"SELECT lo_create(424242) AS o\"\n}"},
			[3]string{"time", "t://time", "source \"sql\" {\n query = \"SELECT '2026-01-02 03:04:05+00'::timestamptz AS t, current_schema() AS s, E'\\\\\\\\x' = '\\\\x' AS plain\"\n}"},
		))
		for _, name := range []string{"zone", "object"} {
			_, _ = f.read(name) // a later server version may refuse it
		}
		res, err := f.read("time")
		if err != nil || string(res.Contents[0].Data) != `[{"t":"2026-01-02T03:04:05Z","s":"public","plain":true}]` {
			t.Errorf("%s: %v, %v", mode, res, err)
		}
		if got := pgExec(t, s, "SELECT count(*) FROM pg_largeobject_metadata WHERE oid = 424242"); got[0] != "0" {
			t.Errorf("%s: a large object was written", mode)
		}
	}
}

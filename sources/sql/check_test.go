package sql

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpdecl/mcpdecl/sources"
)

// wantCheck holds the findings of a resource's check against code@text.
func wantCheck(t *testing.T, f *fixture, want string) {
	t.Helper()
	found, _, err := f.sources["r"].(sources.SourceChecker).Check(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range found {
		at := string(f.config.Files[d.Range.File][d.Range.Start.Byte:d.Range.End.Byte])
		if strings.Contains(at, " ") {
			at = "query"
		}
		got = append(got, d.Code+"@"+at)
		if d.Detail == "" || strings.HasSuffix(d.Summary, ".") || !strings.HasSuffix(d.Detail, ".") {
			t.Errorf("style: %s | %s", d.Summary, d.Detail)
		}
	}
	if strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
		for _, d := range found {
			t.Logf("%s\n%s", d, d.Detail)
		}
	}
}

func TestCheckSQLite(t *testing.T) {
	dir, _ := sqliteFile(t, "CREATE TABLE t (id INTEGER, name TEXT)")
	for query, want := range map[string]string{
		"SELECT id, name FROM t":                     "",
		"SELECT id, nam FROM t":                      "query_rejected@nam",
		"SELECT id FROM tt":                          "query_rejected@tt",
		"SELECT id FORM t":                           "query_rejected@t",
		"SELECT id, id FROM t":                       "duplicate_column@query",
		"WITH x AS (SELECT 1) DELETE FROM t":         "write_on_read_only@query",
		"SELECT nosuch(id) FROM t":                   "query_rejected@nosuch",
		"SELECT id FROM t WHERE name = 'nam' OR nam": "query_rejected@nam",
	} {
		t.Run(query, func(t *testing.T) { wantCheck(t, open(t, dir, oneQuery(query)), want) })
	}
}

func TestCheckPostgres(t *testing.T) {
	s := servers.Postgres(t)
	pgExec(t, s, "DROP TABLE IF EXISTS chk", "CREATE TABLE chk (id int, name text, u uuid, d date)")
	for _, mode := range []string{"", "statement_cache = false"} {
		for _, c := range [][3]string{
			{"SELECT id, name FROM chk WHERE id = :id", "type = integer", ""},
			{"SELECT id, name FROM chk WHERE id = :id", "", "parameter_type@:id"},
			{"SELECT id, name FROM chk WHERE id = :id", "type = number", ""},
			{"SELECT id, name FROM chk WHERE id = :id", "type = bool", "parameter_type@:id"},
			{"SELECT id, name FROM chk WHERE (name IS NULL) = :id", "type = integer", "parameter_type@:id"},
			{"SELECT id, name FROM chk WHERE (name IS NULL) = :id", "type = bool", ""},
			{"SELECT id, name FROM chk WHERE id::numeric = :id", "type = number", ""},
			{"SELECT id, name FROM chk WHERE u = :id", "", "parameter_type@:id"},
			{"SELECT id, name FROM chk WHERE u = :id", "format = \"uuid\"", ""},
			{"SELECT id, name FROM chk WHERE name = :id", "", ""},
			{"SELECT 'é', :id, nam FROM chk", "", "query_rejected@nam"},
			{"SELECT id FROM chkk WHERE id = :id", "", "query_rejected@chkk"},
			{"SELECT id, name AS id FROM chk WHERE name = :id", "", "duplicate_column@query"},
			{"WITH x AS (DELETE FROM chk RETURNING *) SELECT * FROM x WHERE name = :id", "", "write_on_read_only@query"},
			{"SELECT name FROM chk WHERE name = :id FOR UPDATE", "", "write_on_read_only@query"},
			{"SELECT name FROM chk WHERE name = :id FOR KEY SHARE", "", "write_on_read_only@query"},
			{"SELECT name FROM chk WHERE id = ANY(:id)", "type = integer", "parameter_type@:id"},
			{"SELECT name FROM chk WHERE id = lower(:id)", "", "query_rejected@="},
		} {
			f := open(t, t.TempDir(), pgResources(s, mode, [3]string{"r", "t://r/{id}", "param \"id\" { " + c[1] + " }\nsource \"sql\" {\n query = \"" + c[0] + "\"\n}"}))
			t.Run(c[0], func(t *testing.T) { wantCheck(t, f, c[2]) })
		}
	}
}

func TestCheckMySQL(t *testing.T) {
	s := servers.MySQL(t)
	myExec(t, s, "DROP TABLE IF EXISTS chk", "CREATE TABLE chk (id INT, name TEXT)")
	for query, want := range map[string]string{
		"SELECT id, name FROM chk WHERE id = :id;":  "",
		"SELECT id, nam FROM chk WHERE id = :id":    "query_rejected@nam",
		"SELECT id FROM chkk WHERE id = :id":        "query_rejected@chkk",
		"SELECT id, id FROM chk WHERE id = :id":     "duplicate_column@query",
		"SELECT id FORM chk WHERE id = :id -- what": "query_rejected@chk",
		// Keys of an object differ by case.
		"SELECT id, name AS ID FROM chk WHERE id = :id":                                        "",
		"SELECT id, name AS ID, 1 AS ID FROM chk WHERE id = :id LIMIT 5;":                      "duplicate_column@query",
		"SELECT id, name AS ID FROM chk WHERE id = :id LIMIT 5, :id;":                          "",
		"SELECT id, name AS ID, 1 AS ID FROM chk WHERE id = :id LIMIT 5, :id;":                 "duplicate_column@query",
		"WITH x AS (SELECT id FROM chk LIMIT 5) SELECT id, id FROM x WHERE id = :id -- x":      "", // not checked
		"SELECT id, name AS Id FROM chk UNION SELECT id, name FROM chk WHERE id = :id LIMIT 5": "",
		"WITH x AS (SELECT id FROM chk) SELECT id, id AS ID FROM x WHERE id = :id":             "",
	} {
		f := open(t, t.TempDir(), myConfig(s, "", [3]string{"r", "t://r/{id}", "source \"sql\" {\n query = \"" + query + "\"\n}"}))
		t.Run(query, func(t *testing.T) { wantCheck(t, f, want) })
	}
	// The columns that expressions may read; nothing is run to know them.
	myExec(t, s, "DROP TABLE IF EXISTS chk_ran", "CREATE TABLE chk_ran (id INT)", "DROP FUNCTION IF EXISTS chk_run",
		"CREATE FUNCTION chk_run() RETURNS INT BEGIN INSERT INTO chk_ran VALUES (1); RETURN 1; END")
	for query, columns := range map[string][]string{
		"SELECT id, chk_run() AS ran, SLEEP(20) AS s FROM chk WHERE chk_run() = 1": {"id", "ran", "s"},
		"SELECT chk_run() AS ran": {"ran"},
		"SELECT q.* FROM (SELECT chk_run() AS ran, SLEEP(20) AS s) AS q":                         nil,
		"SELECT chk_run() AS n, count(*) AS c FROM chk AS x GROUP BY n HAVING SLEEP(20) LIMIT 3": {"n", "c"},
		"WITH x AS (SELECT SLEEP(20) AS s) SELECT s FROM x":                                      nil,
		"SELECT chk_run() AS ran UNION SELECT SLEEP(20)":                                         nil,
	} {
		f := open(t, t.TempDir(), myOne(s, query, "read_only = false", ""))
		began := time.Now()
		_, unchecked, err := f.sources["r"].(sources.SourceChecker).Check(context.Background())
		if got := f.sources["r"].(sources.ColumnChecker).CheckedColumns(); err != nil || !slices.Equal(got, columns) || (columns == nil) != (len(unchecked) == 1) {
			t.Errorf("%s: columns %v, %v, %v", query, got, unchecked, err)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s: the check took %s", query, took)
		}
	}
	if got := myExec(t, s, "SELECT count(*) FROM chk_ran"); got[0] != "0" {
		t.Errorf("a check ran a function %s times", got[0])
	}
}

func TestCheckOfAnUnreachableDatabase(t *testing.T) {
	f := open(t, t.TempDir(), strings.Replace(strings.Replace(oneQuery("SELECT 1"), `connection "sqlite" "db" {
  path = "test.db"`, `connection "postgres" "db" {
  host = "127.0.0.1"
  port = 1`, 1), "sqlite.db", "postgres.db", 1))
	_, _, err := f.sources["r"].(sources.SourceChecker).Check(context.Background())
	var down *UnavailableError
	if !errors.As(err, &down) {
		t.Errorf("got %v", err)
	}
	for _, c := range f.conns {
		if err := c.(sources.Checker).Ping(context.Background()); !errors.As(err, &down) {
			t.Errorf("got %v", err)
		}
	}
}

func TestOriginOfAPlace(t *testing.T) {
	q, _ := parseQuery(postgresDialect(), "SELECT :abc, x IN (:l), :abc, zz")
	s := &source{settings: &sourceSettings{query: q}}
	st := &statement{counts: []int{-1, 3}, source: s}
	st.text, _ = q.expand(st.counts, nil)
	for _, word := range []string{"SELECT", "x IN", "zz", ", zz"} {
		if got, want := q.origin(st, strings.Index(st.text, word)), strings.Index(q.text, word); got != want {
			t.Errorf("%q: got %d, want %d", word, got, want)
		}
	}
	if got, want := q.origin(st, strings.Index(st.text, "$3")), strings.Index(q.text, ":l"); got != want {
		t.Errorf("inside a list: got %d, want %d", got, want)
	}
}

// TestPostgresOneTextWithParametersOfSeveralTypes: an integer is bound as one,
// a number as a numeric, also where another resource has the same query.
func TestPostgresOneTextWithParametersOfSeveralTypes(t *testing.T) {
	s := servers.Postgres(t)
	pgExec(t, s, "DROP TABLE IF EXISTS several", "CREATE TABLE several (id int)", "INSERT INTO several VALUES (1)")
	for _, mode := range []string{"", "statement_cache = false"} {
		resource := func(name, typ string) [3]string {
			return [3]string{name, "t://" + name + "/{id}", "param \"id\" { type = " + typ + " }\nsource \"sql\" {\n query = \"SELECT id FROM several WHERE id = :id\"\n}"}
		}
		f := open(t, t.TempDir(), pgResources(s, mode, resource("integers", "integer"), resource("numbers", "number")))
		for range 2 {
			if got := f.text("integers", int64(1)); got != `[{"id":1}]` {
				t.Error(got)
			}
			if got := f.text("numbers", 1.0); got != `[{"id":1}]` {
				t.Error(got)
			}
			for name, value := range map[string]any{"integers": int64(3_000_000_000), "numbers": 1.5} {
				if _, err := f.read(name, value); !errors.Is(err, sources.ErrNotFound) {
					t.Errorf("%s, %q: %v", name, mode, err)
				}
			}
		}
	}
}

package sql

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpdecl/mcpdecl/sources"
)

func wantNotFound(t *testing.T, f *fixture, name string, params ...any) {
	t.Helper()
	if _, err := f.read(name, params...); !errors.Is(err, sources.ErrNotFound) {
		t.Errorf("read %s %v: got %v, want not found", name, params, err)
	}
}

func TestB2_ReadOnlyFile(t *testing.T) {
	dir, _ := sqliteFile(t, "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)")
	t.Chdir(dir)
	before := files(t, dir)
	for _, query := range []string{
		"ATTACH 'e.db' AS e", "VACUUM INTO 'c.db'", "VACUUM", "PRAGMA query_only=0", "PRAGMA journal_mode=WAL", "PRAGMA writable_schema=1",
		"INSERT INTO t VALUES (2)", "INSERT INTO t VALUES (2) RETURNING a", "CREATE TABLE u (a)", "CREATE TEMP TABLE u (a)",
		"WITH x AS (SELECT 1) DELETE FROM t RETURNING a", "BEGIN IMMEDIATE", "SELECT load_extension('x')", "REINDEX", "ANALYZE", "DROP TABLE t",
		"CREATE VIRTUAL TABLE v USING fts5(a)", "PRAGMA temp_store_directory='x'",
	} {
		// The verbs are caught at load; here the engine has to do it.
		f := openUnchecked(t, dir, query)
		if _, err := f.read("r"); err == nil {
			t.Errorf("%s: was not refused", query)
		} else if strings.Contains(query, "INSERT") && !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s: %v is not ErrReadOnly", query, err)
		}
	}
	if after := files(t, dir); after != before {
		t.Errorf("files before: %s, after: %s", before, after)
	}
	if got := openUnchecked(t, dir, "SELECT a FROM t").text("r"); got != `[{"a":1}]` {
		t.Errorf("got %s", got)
	}
	if got := openUnchecked(t, dir, "SELECT name FROM pragma_table_info('t')").text("r"); got != `[{"name":"a"}]` {
		t.Errorf("got %s", got)
	}
}

func files(t *testing.T, dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.Name() != "test.hcl" {
			names = append(names, e.Name())
		}
	}
	return strings.Join(names, " ")
}

// openUnchecked opens a source whose query did not pass the checks of a load.
func openUnchecked(t *testing.T, dir, query string) *fixture {
	t.Helper()
	f := open(t, dir, oneQuery("SELECT 1"))
	q, _ := parseQuery(sqliteDialect(), query)
	f.sources["r"].(*source).settings.query = q
	return f
}

const lists = `
connection "sqlite" "db" { path = "test.db" }
resource "in" {
  uri = "t://in{?id*}"
  param "id" { type = list(integer) }
  source "sql" {
    connection  = connection.sqlite.db
    query       = "SELECT a FROM t WHERE a IN (:id) ORDER BY a"
    allow_empty = true
  }
}
resource "notin" {
  uri = "t://notin{?id*,x}"
  param "id" { type = list(integer) }
  source "sql" {
    connection  = connection.sqlite.db
    query       = "SELECT a, :x AS x FROM t WHERE a NOT IN (:id) OR a IN (99, :id) ORDER BY a"
    allow_empty = true
  }
}
`

func TestB6_AbsentAndEmpty(t *testing.T) {
	dir, _ := sqliteFile(t, "CREATE TABLE t (a)", "INSERT INTO t VALUES (1), (2), (3)")
	f := open(t, dir, lists)
	for _, c := range []struct {
		resource, want string
		params         []any
	}{
		{"in", `[]`, []any{[]int64{}}},
		{"in", `[{"a":1}]`, []any{[]int64{1}}},
		{"in", `[{"a":1},{"a":3}]`, []any{[]int64{1, 3, 5}}},
		{"in", `[]`, []any{nil}},
		{"notin", `[{"a":1,"x":null},{"a":2,"x":null},{"a":3,"x":null}]`, []any{[]int64{}, nil}},
		{"notin", `[{"a":1,"x":"y"},{"a":2,"x":"y"},{"a":3,"x":"y"}]`, []any{[]int64{2, 3}, "y"}},
	} {
		if got := f.text(c.resource, c.params...); got != c.want {
			t.Errorf("%s %v: got %s, want %s", c.resource, c.params, got, c.want)
		}
	}
}

const endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) AS c FROM n"

func TestB8_TimeoutEndsTheWork(t *testing.T) {
	dir, _ := sqliteFile(t)
	f := open(t, dir, oneQuery(endless, `timeout = "200ms"`))
	began := time.Now()
	_, err := f.read("r")
	var timeout *TimeoutError
	if !errors.As(err, &timeout) || !strings.Contains(err.Error(), "query exceeded timeout 200ms") {
		t.Errorf("got %v", err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %s", took)
	}
}

func TestB8_CancelEndsTheWork(t *testing.T) {
	dir, _ := sqliteFile(t)
	f := open(t, dir, oneQuery(endless, `timeout = "60s"`))
	before := runtime.NumGoroutine()
	for range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		// Read returns when the step has ended: it runs in this goroutine.
		_, err := f.sources["r"].Read(ctx, f.request("r"))
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v", err)
		}
	}
	if after := runtime.NumGoroutine(); after > before+5 {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}

func TestB11_MaxRows(t *testing.T) {
	for n, truncated := range map[string]bool{"1000": false, "1001": true, "0": false} {
		dir, _ := sqliteFile(t)
		f := open(t, dir, oneQuery("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n LIMIT "+n, "allow_empty = true"))
		res, err := f.read("r")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.HasPrefix(res.Truncated, "only the first 1000 rows; "); got != truncated {
			t.Errorf("%s rows: truncated %q", n, res.Truncated)
		}
		if got := strings.Count(string(res.Contents[0].Data), "{"); n != "0" && got != 1000 {
			t.Errorf("%s rows: %d objects", n, got)
		}
		mustJSON(t, string(res.Contents[0].Data))
	}
}

func TestB12_MaxBytes(t *testing.T) {
	dir, _ := sqliteFile(t, "CREATE TABLE t (id, s)", "INSERT INTO t VALUES (1, zeroblob(200000000))")
	f := open(t, dir, oneQuery("SELECT s FROM t", `max_bytes = "8MiB"`))
	grown := allocated(func() {
		_, err := f.read("r")
		var large *TooLargeError
		if !errors.As(err, &large) {
			t.Errorf("got %v", err)
		}
	})
	if grown > 1<<20 {
		t.Errorf("%d bytes were allocated", grown)
	}
	// The rest of such a row can still be read, and its length computed.
	if got := open(t, dir, oneQuery("SELECT id, length(s) AS n FROM t")).text("r"); got != `[{"id":1,"n":200000000}]` {
		t.Errorf("got %s", got)
	}
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var m0, m1 runtime.MemStats
	runtime.ReadMemStats(&m0)
	f()
	runtime.ReadMemStats(&m1)
	return m1.TotalAlloc - m0.TotalAlloc
}

func TestB13_MissingFileIsNotCreated(t *testing.T) {
	dir, name := sqliteFile(t)
	f := open(t, dir, oneQuery("SELECT 1 AS a"))
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	_, err := f.read("r")
	var down *UnavailableError
	if !errors.As(err, &down) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file was created")
	}
	_, diags := load(t, dir, oneQuery("SELECT 1 AS a"))
	if len(diags) != 1 || diags[0].Code != "no_such_file" {
		t.Errorf("got %v", diags)
	}
}

func TestB14_PathsAreNotURIs(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a#b?.db", "a%20b.db", "x&mode=rwc.db", "spä ce.db"} {
		sqliteFile := filepath.Join(dir, "plain.db")
		sqliteExec(t, sqliteFile, "CREATE TABLE t (a)", "INSERT INTO t VALUES ('"+name+"')")
		if err := os.Rename(sqliteFile, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		config := strings.Replace(oneQuery("SELECT a FROM t"), `"test.db"`, `"`+strings.ReplaceAll(name, "%", "%")+`"`, 1)
		if got := open(t, dir, config).text("r"); got != `[{"a":"`+name+`"}]` {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

func TestSQLiteSettings(t *testing.T) {
	dir, _ := sqliteFile(t, "CREATE TABLE t (a)")
	config := func(pragma string) string {
		return strings.Replace(oneQuery("PRAGMA "+pragma), `path = "test.db"`,
			"path = \"test.db\"\nimmutable = true\ncache_size = \"64MiB\"\nmmap_size = \"16MiB\"", 1)
	}
	for pragma, want := range map[string]string{
		"cache_size": `[{"cache_size":-65536}]`, "mmap_size": `[{"mmap_size":16777216}]`, "query_only": `[{"query_only":1}]`,
	} {
		if got := open(t, dir, config(pragma)).text("r"); got != want {
			t.Errorf("%s: got %s, want %s", pragma, got, want)
		}
	}
}

func TestMemoryDatabase(t *testing.T) {
	dir := t.TempDir()
	script := "CREATE TABLE t (a);\n-- a comment; with a semicolon\nINSERT INTO t VALUES (1), (2);"
	if err := os.WriteFile(filepath.Join(dir, "x.sql"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	f := open(t, dir, strings.Replace(oneQuery("SELECT a FROM t"), `path = "test.db"`, "path = \":memory:\"\ninit = [\"x.sql\"]", 1))
	done := make(chan string)
	for range 20 {
		go func() { done <- f.text("r") }()
	}
	for range 20 {
		if got := <-done; got != `[{"a":1},{"a":2}]` {
			t.Errorf("got %s", got)
		}
	}
}

func TestWritableConnection(t *testing.T) {
	dir, _ := sqliteFile(t, "CREATE TABLE t (a)")
	config := func(query string) string {
		return strings.Replace(oneQuery(query), `path = "test.db"`, "path = \"test.db\"\nread_only = false", 1)
	}
	if got := open(t, dir, config("INSERT INTO t VALUES (1), (2) RETURNING a")).text("r"); got != `[{"a":1},{"a":2}]` {
		t.Errorf("got %s", got)
	}
	if got := open(t, dir, config("UPDATE t SET a = a + 1")).text("r"); got != `[]` {
		t.Errorf("got %s", got)
	}
	if got := open(t, dir, oneQuery("SELECT a FROM t")).text("r"); got != `[{"a":2},{"a":3}]` {
		t.Errorf("got %s", got)
	}
	if _, err := open(t, dir, config("ATTACH 'e.db' AS e")).read("r"); err == nil {
		t.Errorf("ATTACH was not refused")
	}
}

package sql

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mattn/go-sqlite3"
)

// hostileValues reads testdata/injection.txt.
func hostileValues(t testing.TB) []string {
	text, err := os.ReadFile("testdata/injection.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		n := 1
		if rest, ok := strings.CutPrefix(line, "repeat "); ok {
			count, quoted, _ := strings.Cut(rest, " ")
			line = quoted
			if n, err = strconv.Atoi(count); err != nil {
				t.Fatal(err)
			}
		}
		v, err := strconv.Unquote(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out = append(out, strings.Repeat(v, n))
	}
	return out
}

// shapes are queries around a value :v with what they must return: every value
// stands in the table inj once, in a row of its own.
var shapes = []struct {
	query string
	args  string
	want  func(v string, all []string) []string
}{
	{"SELECT s FROM inj WHERE s = :v", "", same},
	{"SELECT :v AS s", "", same},
	{"SELECT s FROM inj WHERE s IN (:x, :v)", `x = "no such value"`, same},
	{"SELECT s FROM inj WHERE s IN (:l)", "l = [param.v, \"no such value\"]", same},
	{"SELECT s FROM inj WHERE :v IS NOT NULL AND (s = :v OR :v IS NULL)", "", same},
	{"SELECT s FROM inj WHERE id = (SELECT max(id) FROM inj WHERE s = :v)", "", same},
	{"SELECT s /* ' :v */ FROM inj WHERE s = :v -- ' :v", "", same},
	{"SELECT s FROM inj WHERE NOT (s <> :v)", "", same},
	{"SELECT s FROM inj ORDER BY CASE WHEN s = :v THEN 0 ELSE 1 END, id LIMIT 1", "", same},
	{"SELECT s FROM inj WHERE s LIKE :p ESCAPE '|' ORDER BY id", `p = "%${replace(replace(replace(param.v, "|", "||"), "%", "|%"), "_", "|_")}%"`, containing},
	{"WITH q AS (SELECT :v AS w) SELECT inj.s FROM inj, q WHERE inj.s = q.w", "", same},
}

func same(v string, _ []string) []string { return []string{v} }

func containing(v string, all []string) []string {
	var out []string
	for _, s := range all {
		if strings.Contains(s, v) {
			out = append(out, s)
		}
	}
	return out
}

func injectionConfig(connection, name string) string {
	var b strings.Builder
	b.WriteString(connection)
	for i, shape := range shapes {
		query, _ := json.Marshal(shape.query)
		fmt.Fprintf(&b, "\nresource \"s%d\" {\n uri = \"t://s%d{?v}\"\n source \"sql\" {\n connection = connection.%s.db\n query = %s\n max_rows = 5000\n", i, i, name, query)
		if shape.args != "" {
			fmt.Fprintf(&b, " args = { %s }\n", shape.args)
		}
		b.WriteString(" }\n}\n")
	}
	return b.String()
}

// attack reads every shape with every value.
func attack(t *testing.T, f *fixture, values []string, folds bool) {
	reads := 0
	for i, shape := range shapes {
		for _, v := range values {
			if strings.Contains(shape.query, "LIKE") && (folds || strings.Contains(v, "\x00") || len(v) > 40000) {
				continue // LIKE has rules of its own for letters, NUL and length
			}
			if shape.args != "" && v == "e\u0301" {
				continue // expressions keep text in composed form
			}
			reads++
			res, err := f.read(fmt.Sprint("s", i), v)
			if err != nil {
				t.Errorf("%s with %.60q: %v", shape.query, v, err)
				continue
			}
			var rows []struct{ S string }
			if err := json.Unmarshal(res.Contents[0].Data, &rows); err != nil {
				t.Errorf("%s with %.60q: %v", shape.query, v, err)
				continue
			}
			var got []string
			for _, r := range rows {
				got = append(got, r.S)
			}
			if want := shape.want(v, values); !slices.Equal(got, want) {
				t.Errorf("%s with %.60q: got %.200q, want %.200q", shape.query, v, got, want)
			}
		}
	}
	t.Logf("%d values, %d reads", len(values), reads)
}

func TestInjectionSQLite(t *testing.T) {
	values := hostileValues(t)
	if len(values) < 200 {
		t.Fatalf("only %d values", len(values))
	}
	dir, name := sqliteFile(t, "CREATE TABLE inj (id INTEGER, s TEXT)", "PRAGMA case_sensitive_like = 1")
	conn, err := new(sqlite3.SQLiteDriver).Open(name)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range values {
		if _, err := conn.(*sqlite3.SQLiteConn).Exec("INSERT INTO inj VALUES (?, ?)", []driver.Value{int64(i), v}); err != nil {
			t.Fatal(err)
		}
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	before := files(t, dir)
	f := open(t, dir, injectionConfig("connection \"sqlite\" \"db\" { path = \"test.db\" }", "sqlite"))
	attack(t, f, values, true)
	if got := files(t, dir); got != before {
		t.Errorf("files before: %s, after: %s", before, got)
	}
}

func TestInjectionPostgres(t *testing.T) {
	s := servers.Postgres(t)
	values := slices.DeleteFunc(hostileValues(t), func(v string) bool { return strings.Contains(v, "\x00") })
	create := []string{"DROP TABLE IF EXISTS inj", "CREATE TABLE inj (id int, s text)"}
	for i, v := range values {
		create = append(create, fmt.Sprintf("INSERT INTO inj VALUES (%d, '%s')", i, strings.ReplaceAll(v, "'", "''")))
	}
	pgExec(t, s, create...)
	for _, mode := range []string{"", "statement_cache = false"} {
		config := pgConfig(s, "SELECT 1", mode, "")
		f := open(t, t.TempDir(), injectionConfig(config[:strings.Index(config, "resource ")], "postgres"))
		attack(t, f, values, false)
		for i := range shapes {
			// A NUL is refused before anything is sent.
			if _, err := f.read(fmt.Sprint("s", i), "a\x00' OR 1=1 --"); err == nil || !strings.Contains(err.Error(), "NUL") {
				t.Errorf("NUL: got %v", err)
			}
		}
	}
	if got := pgExec(t, s, "SELECT count(*) FROM inj"); got[0] != fmt.Sprint(len(values)) {
		t.Errorf("%s rows are left of %d", got, len(values))
	}
}

func TestInjectionMySQL(t *testing.T) {
	s := servers.MySQL(t)
	values := hostileValues(t)
	myExec(t, s, "DROP TABLE IF EXISTS inj", "CREATE TABLE inj (id INT, s MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin)")
	db := myDB(t, s)
	defer db.Close()
	for i, v := range values {
		if _, err := db.Exec("INSERT INTO inj VALUES (?, ?)", i, v); err != nil {
			t.Fatal(err)
		}
	}
	config := myOne(s, "SELECT 1", "", "")
	f := open(t, t.TempDir(), injectionConfig(config[:strings.Index(config, "resource ")], "mysql"))
	attack(t, f, values, false)
	if got := myExec(t, s, "SELECT COUNT(*) FROM inj"); got[0] != fmt.Sprint(len(values)) {
		t.Errorf("%s rows are left of %d", got, len(values))
	}
}

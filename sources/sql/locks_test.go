package sql

import (
	"strings"
	"testing"
)

// TestLocksEndWithTheRead takes locks that belong to the session and looks from
// another one whether they are free, while the first is idle in the pool.
func TestLocksEndWithTheRead(t *testing.T) {
	s := servers.Postgres(t)
	pgExec(t, s, "DROP TABLE IF EXISTS locked", "CREATE TABLE locked (a int UNIQUE DEFERRABLE INITIALLY DEFERRED)", "INSERT INTO locked VALUES (1)")
	for _, mode := range []string{"", "statement_cache = false"} {
		for query, fails := range map[string]bool{
			"SELECT pg_advisory_lock(42) IS NULL AS a":                                              false,
			"SELECT pg_advisory_lock(42) AS a FROM generate_series(1, 50)":                          false,
			"SELECT PG_TRY_ADVISORY_LOCK_SHARED(42) AS a, 1 / (random() * 0)::int AS b":             true,
			"INSERT INTO locked SELECT 2 + 0 * length(pg_advisory_lock(42)::text) RETURNING a":      false,
			"INSERT INTO locked SELECT 1 + 0 * length(pg_advisory_lock(42)::text) RETURNING a AS x": true, // at COMMIT
		} {
			connection := mode
			if strings.HasPrefix(query, "INSERT") {
				connection += "\nread_only = false"
			}
			pgExec(t, s, "DELETE FROM locked WHERE a = 2")
			f := open(t, t.TempDir(), pgConfig(s, query, connection, ""))
			if _, err := f.read("r"); (err != nil) != fails {
				t.Fatalf("%s %s: %v", mode, query, err)
			}
			if got := pgExec(t, s, "SELECT pg_try_advisory_lock(42)"); got[0] != "t" {
				t.Errorf("%s %s: the lock is not free", mode, query)
			}
		}
	}
}

func TestLocksEndWithTheReadOfMySQL(t *testing.T) {
	s := servers.MySQL(t)
	for query, fails := range map[string]bool{
		"SELECT GET_LOCK('mcpdecl', 1) AS a":                                 false,
		"SELECT get_lock('mcpdecl', 1) AS a, (SELECT 1 UNION SELECT 2) AS b": true,
	} {
		for _, connection := range []string{"", "read_only = false"} {
			f := open(t, t.TempDir(), myOne(s, query, connection, ""))
			for range 2 {
				if _, err := f.read("r"); (err != nil) != fails {
					t.Fatalf("%s: %v", query, err)
				}
			}
			if got := myExec(t, s, "SELECT IS_FREE_LOCK('mcpdecl')"); got[0] != "1" {
				t.Errorf("%s %s: the lock is not free", connection, query)
			}
		}
	}
}

// TestVariablesEndWithTheRead sets variables of the session and reads them from
// the only session there is.
func TestVariablesEndWithTheRead(t *testing.T) {
	s := servers.MySQL(t)
	for _, sets := range []string{"SELECT @left := :v AS a", "SELECT @left := :v AS a, (SELECT 1 UNION SELECT 2) AS b"} {
		f := open(t, t.TempDir(), myConfig(s, "max_open = 1",
			[3]string{"sets", "t://sets/{v}", "source \"sql\" {\n query = \"" + sets + "\"\n}"},
			[3]string{"reads", "t://reads", "source \"sql\" {\n query = \"SELECT @left AS a\"\n}"}))
		for range 2 {
			_, _ = f.read("sets", "mine")
			if got := f.text("reads"); got != `[{"a":null}]` {
				t.Errorf("%s: the next read sees %s", sets, got)
			}
		}
	}
}

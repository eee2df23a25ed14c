package sql

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// typeRow is one row of a table in docs/types.md.
type typeRow struct{ dialect, column, value, json string }

// readTypes reads the tables; each stands under the heading of its dialect.
func readTypes(t *testing.T) []typeRow {
	text, err := os.ReadFile("../../docs/types.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []typeRow
	dialect := ""
	for _, line := range strings.Split(string(text), "\n") {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			dialect = map[string]string{"SQLite": "sqlite", "PostgreSQL": "postgres", "MySQL and MariaDB": "mysql"}[title]
		}
		cells := strings.Split(line, "|")
		if dialect == "" || len(cells) != 6 || !strings.HasPrefix(cells[1], " `") {
			continue
		}
		code := func(i int) string {
			return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(cells[i]), "`"), "`")
		}
		rows = append(rows, typeRow{dialect, code(1), code(2), code(3)})
	}
	return rows
}

// TestDocumentedTypes executes every row of the tables.
func TestDocumentedTypes(t *testing.T) {
	counts := map[string]int{}
	for _, row := range readTypes(t) {
		counts[row.dialect]++
		t.Run(row.dialect+" "+row.column+" "+row.value, func(t *testing.T) {
			table := []string{"DROP TABLE IF EXISTS types", "CREATE TABLE types (v " + row.column + ")", "INSERT INTO types VALUES (" + row.value + ")"}
			var f *fixture
			const query = "SELECT v FROM types"
			switch row.dialect {
			case "sqlite":
				dir, _ := sqliteFile(t, table...)
				f = open(t, dir, oneQuery(query))
			case "postgres":
				s := servers.Postgres(t)
				pgExec(t, s, append([]string{"DROP TYPE IF EXISTS mood CASCADE", "CREATE TYPE mood AS ENUM ('sad', 'happy')",
					"DROP DOMAIN IF EXISTS posint CASCADE", "CREATE DOMAIN posint AS int CHECK (VALUE > 0)", "SET lc_monetary = 'C'"}, table...)...)
				f = open(t, t.TempDir(), pgConfig(s, query, "", ""))
			case "mysql":
				s := servers.MySQL(t)
				myExec(t, s, table...)
				f = open(t, t.TempDir(), myOne(s, query, "", ""))
			}
			if got, want := f.text("r"), fmt.Sprintf(`[{"v":%s}]`, row.json); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	for _, d := range allDialects() {
		if counts[d.name] < 15 {
			t.Errorf("%d rows for %s were found", counts[d.name], d.name)
		}
	}
}

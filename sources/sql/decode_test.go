package sql

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpdecl/mcpdecl/decl"
)

const twoParams = `
connection "sqlite" "db" { path = "test.db" }
connection "postgres" "pg" { host = "localhost" }
connection "mysql" "my" { host = "localhost" }
resource "r" {
  uri = "t://r/{id}{?tag*}"
  param "id" { type = integer }
  source "sql" {
    CONNECTION
    BODY
  }
}
`

func sourceConfig(connection, body string) string {
	return strings.NewReplacer("CONNECTION", "connection = connection."+connection, "BODY", body).Replace(twoParams)
}

// TestSourceDiagnostics checks one mistake a case: its code, the text that its
// place covers, and a piece of its detail.
func TestSourceDiagnostics(t *testing.T) {
	const used = "\nargs = { }"
	for name, c := range map[string]struct{ connection, body, code, at, detail string }{
		"B4 unknown placeholder": {"sqlite.db", `query = "SELECT :idd, :id WHERE 1 IN (:tag)"`, "unknown_placeholder", ":idd", "Did you mean :id?"},
		"no such placeholder":    {"sqlite.db", `query = "SELECT :zebra, :id WHERE 1 IN (:tag)"`, "unknown_placeholder", ":zebra", "entry in args"},
		"B4 unused arg": {"sqlite.db", "query = \"SELECT :id, :pattern WHERE 1 IN (:tag)\"\nargs = { pattern = \"%\", patern = \"x\" }",
			"unused_arg", "patern", "Did you mean pattern?"},
		"native":             {"sqlite.db", `query = "SELECT ?, :id WHERE 1 IN (:tag)"`, "native_placeholder", "?", "write :name"},
		"native dollar":      {"postgres.pg", `query = "SELECT $1, :id WHERE 1 IN (:tag)"`, "native_placeholder", "$1", "write :name"},
		"native at":          {"sqlite.db", `query = "SELECT @id, :id WHERE 1 IN (:tag)"`, "native_placeholder", "@id", "write :id"},
		"several":            {"mysql.my", `query = "SELECT :id WHERE 1 IN (:tag); SELECT 2"`, "several_statements", "SELECT", "one statement"},
		"list outside":       {"mysql.my", `query = "SELECT :id WHERE 1 = :tag"`, "list_outside_in", ":tag", "IN (:tag)"},
		"list arg outside":   {"mysql.my", "query = \"SELECT :id, :x WHERE 1 IN (:tag)\"\nargs = { x = [1, 2] }", "list_outside_in", ":x", "IN (:x)"},
		"object arg":         {"mysql.my", "query = \"SELECT :id, :x WHERE 1 IN (:tag)\"\nargs = { x = { a = 1 } }", "wrong_type", "{ a = 1 }", "jsonencode"},
		"each without uri":   {"sqlite.db", "query = \"SELECT :id WHERE 1 IN (:tag)\"\nrows = \"each\"", "missing_item_uri", `"each"`, "item_uri ="},
		"uri without each":   {"sqlite.db", "query = \"SELECT :id WHERE 1 IN (:tag)\"\nitem_uri = row.x", "item_uri_without_each", "item_uri", "rows = \"each\""},
		"uri is a number":    {"sqlite.db", "query = \"SELECT :id WHERE 1 IN (:tag)\"\nrows = \"each\"\nitem_uri = 5", "wrong_type", "5", "number"},
		"write":              {"sqlite.db", `query = "  delete FROM t WHERE id = :id AND 1 IN (:tag)"`, "write_on_read_only", "delete", "read_only = false"},
		"unclosed":           {"sqlite.db", `query = "SELECT :id WHERE 1 IN (:tag) AND 'x"`, "unclosed_quote", "'", "Close it"},
		"empty":              {"sqlite.db", `query = ""` + used, "empty_query", "", "one statement"},
		"B7 interpolation":   {"sqlite.db", `query = "SELECT * FROM t WHERE id = '${param.id}' AND 1 IN (:tag)"`, "", "", ":id"},
		"timeout of nothing": {"sqlite.db", "query = \"SELECT :id WHERE 1 IN (:tag)\"\ntimeout = \"0s\"", "invalid_value", `"0s"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := sqliteFile(t)
			config, diags := load(t, dir, sourceConfig(c.connection, c.body))
			var errs []*decl.Diagnostic
			for _, d := range diags {
				if d.Severity == decl.Error {
					errs = append(errs, d)
				}
			}
			if len(errs) != 1 {
				t.Fatalf("got %v", diags)
			}
			d := errs[0]
			text := string(config.Files[d.Range.File][d.Range.Start.Byte:d.Range.End.Byte])
			if c.code != "" && d.Code != c.code || c.at != "" && text != c.at || !strings.Contains(d.Detail, c.detail) {
				t.Errorf("%s %q\n%s\n%s", d.Code, text, d, d.Detail)
			}
			if d.Summary == "" || d.Detail == "" || strings.HasSuffix(d.Summary, ".") || !strings.HasSuffix(strings.TrimRight(d.Detail, "\"?)"), ".") && !strings.HasSuffix(d.Detail, "?") {
				t.Errorf("style: %s | %s", d.Summary, d.Detail)
			}
		})
	}
}

func TestConnectionDiagnostics(t *testing.T) {
	for name, c := range map[string]struct{ block, code, at string }{
		"B13 missing file":      {`connection "sqlite" "c" { path = "typo.db" }`, "no_such_file", `"typo.db"`},
		"memory without init":   {`connection "sqlite" "c" { path = ":memory:" }`, "memory_without_init", `":memory:"`},
		"init without memory":   {"connection \"sqlite\" \"c\" {\n path = \"test.db\"\n init = [\"x.sql\"]\n}", "init_without_memory", "init"},
		"no script":             {"connection \"sqlite\" \"c\" {\n path = \":memory:\"\n init = [\"y.sql\"]\n}", "no_such_file", `["y.sql"]`},
		"immutable but written": {"connection \"sqlite\" \"c\" {\n path = \"test.db\"\n immutable = true\n read_only = false\n}", "immutable_not_read_only", "immutable"},
		"url and parts":         {"connection \"postgres\" \"c\" {\n url = \"postgres://h/d\"\n user = \"u\"\n}", "url_with_parts", "user"},
		"no address":            {`connection "mysql" "c" { user = "u" }`, "no_address", ""},
		"other scheme":          {`connection "mysql" "c" { url = "postgres://h/d" }`, "invalid_url", `"postgres://h/d"`},
		"bad url":               {`connection "postgres" "c" { url = "postgres://u:p@ss/w#rd@h/d" }`, "invalid_url", ""},
		"no certificate":        {"connection \"postgres\" \"c\" {\n host = \"h\"\n ca_file = \"ca.pem\"\n}", "no_such_file", `"ca.pem"`},
		"unknown sslmode":       {"connection \"postgres\" \"c\" {\n host = \"h\"\n sslmode = \"requir\"\n}", "invalid_value", `"requir"`},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := sqliteFile(t)
			if err := os.WriteFile(filepath.Join(dir, "x.sql"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			config, diags := load(t, dir, c.block)
			if len(diags) != 1 {
				t.Fatalf("got %v", diags)
			}
			d := diags[0]
			text := string(config.Files[d.Range.File][d.Range.Start.Byte:d.Range.End.Byte])
			if d.Code != c.code || c.at != "" && text != c.at || d.Detail == "" {
				t.Errorf("%s %q\n%s\n%s", d.Code, text, d, d.Detail)
			}
			if strings.Contains(d.Summary+d.Detail, "ss/w#rd") {
				t.Errorf("the password is shown: %s %s", d.Summary, d.Detail)
			}
		})
	}
}

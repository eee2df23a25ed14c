package sql

import "testing"

// TestCheckTypes holds declared types against those that PostgreSQL settles on:
// a finding where a value that the declaration lets through fails in a read.
func TestCheckTypes(t *testing.T) {
	s := servers.Postgres(t)
	pgExec(t, s, "DROP TABLE IF EXISTS chkt", "CREATE TABLE chkt (id int, name text, u uuid, d date, b bool, n numeric, tm time, iv interval, ip inet, arr int[], r int4range)",
		"DROP TYPE IF EXISTS chk_kind", "CREATE TYPE chk_kind AS ENUM ('x')")
	for _, c := range [][3]string{
		{"SELECT name FROM chkt WHERE b = :id", "type = integer", "parameter_type@:id"},
		{"SELECT name FROM chkt WHERE b = :id", "\n type = integer\n minimum = 0\n maximum = 1\n", ""},
		{"SELECT name FROM chkt WHERE b IN (:id)", "type = bool", ""},
		{"SELECT repeat(name, :id) AS r FROM chkt", "type = number", "parameter_type@:id"},
		{"SELECT name FROM chkt WHERE id > :id", "type = number", ""},
		{"SELECT name FROM chkt WHERE u = :id", "type = number", "parameter_type@:id"},
		{"SELECT name FROM chkt WHERE id = :id", "type = bool", "parameter_type@:id"},
		{"SELECT name FROM chkt WHERE n = :id", "type = bool", "parameter_type@:id"},
		{"SELECT name FROM chkt WHERE n = :id", "type = integer", ""},
		{"SELECT name FROM chkt WHERE name = :id", "type = integer", ""},
		{"SELECT name FROM chkt WHERE name = :id", "type = bool", ""},
		{"SELECT name FROM chkt WHERE id = :id", "format = \"date\"", "parameter_type@:id"},
		{"SELECT name FROM chkt WHERE d = :id", "format = \"date-time\"", ""},
		{"SELECT name FROM chkt WHERE d = :id", "format = \"uuid\"", "parameter_type@:id"},
		{"SELECT name FROM chkt WHERE id = :id", "enum = [\"1\", \"two\"]", "parameter_type@:id"},
		{"SELECT name FROM chkt WHERE id = :id", "enum = [\"1\", \"2\"]", ""},
		{"SELECT name FROM chkt WHERE id = :id", "pattern = \"^[0-9]+$\"", ""},
		{"SELECT name FROM chkt WHERE tm = :id", "type = bool", "parameter_type@:id"},
		{"SELECT name FROM chkt WHERE iv = :id", "type = integer", ""},
		{"SELECT name FROM chkt WHERE iv = :id", "", ""},
		{"SELECT name FROM chkt WHERE ip = :id", "type = integer", "parameter_type@:id"},
		{"SELECT name FROM chkt WHERE ip = :id", "", ""},
		{"SELECT name FROM chkt WHERE arr = :id", "type = number", "parameter_type@:id"},
		{"SELECT name FROM chkt WHERE r = :id", "type = bool", "parameter_type@:id"},
		{"SELECT name FROM chkt WHERE r = :id", "enum = [\"[1,2)\"]", ""},
		{"SELECT name FROM chkt WHERE 'x'::chk_kind = :id", "", ""},
	} {
		t.Run(c[0]+" "+c[1], func(t *testing.T) {
			wantCheck(t, open(t, t.TempDir(), pgResources(s, "", [3]string{"r", "t://r/{id}", "param \"id\" { " + c[1] + " }\nsource \"sql\" {\n query = \"" + c[0] + "\"\n}"})), c[2])
		})
	}
}

package sql

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/mcpdecl/mcpdecl/sources/sql/sqltest"
)

// pgExec runs statements as the owner of the database.
func pgExec(t testing.TB, s *sqltest.Server, statements ...string) []string {
	t.Helper()
	dsn := postgresDSN(&serverSettings{host: s.Host, port: s.Port, user: s.User, password: s.Password, database: s.Database})
	conn, err := pgconn.Connect(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	results, err := conn.Exec(context.Background(), strings.Join(statements, ";\n")).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range results {
		for _, row := range r.Rows {
			out = append(out, string(row[0]))
		}
	}
	return out
}

// pgConfig is a configuration of one resource over the server.
func pgConfig(s *sqltest.Server, query, connection, source string) string {
	block := fmt.Sprintf("connection \"postgres\" \"db\" {\n host = %q\n port = %d\n user = %q\n password = %q\n database = %q\n%s\n}\n",
		s.Host, s.Port, s.User, strings.ReplaceAll(s.Password, "%{", "%%{"), s.Database, connection)
	one := oneQuery(query, source)
	one = one[strings.Index(one, "resource"):]
	return block + strings.Replace(one, "connection.sqlite.db", "connection.postgres.db", 1)
}

func TestPostgresValues(t *testing.T) {
	s := servers.Postgres(t)
	for _, c := range []struct{ query, want string }{
		{"SELECT 9007199254740993 AS a, 18446744073709551615 AS b, 1::int2 AS c", `[{"a":"9007199254740993","b":"18446744073709551615","c":1}]`},
		{"SELECT 10.00::numeric AS a, 1e-20::numeric AS b, 123456789012345678901234567890::numeric AS c, 'NaN'::numeric AS d, -0.10 AS e",
			`[{"a":10.00,"b":0.00000000000000000001,"c":"123456789012345678901234567890","d":"NaN","e":-0.10}]`},
		{"SELECT 'NaN'::float8 AS a, 'Infinity'::float8 AS b, '-Infinity'::float4 AS c, 0.1::float4 AS d, 0.1::float8 + 0.2::float8 AS e",
			`[{"a":"NaN","b":"Infinity","c":"-Infinity","d":0.1,"e":0.30000000000000004}]`},
		{"SELECT '2026-01-01 12:00:00'::timestamp AS a, '2026-01-01'::date AS b, '2026-01-01 12:00:00.5+02'::timestamptz AS c, 'infinity'::timestamptz AS d, '12:30'::time AS e",
			`[{"a":"2026-01-01T12:00:00","b":"2026-01-01","c":"2026-01-01T10:00:00.5Z","d":"infinity","e":"12:30:00"}]`},
		{`SELECT '{"id":9007199254740993, "v": 1.10}'::jsonb AS a, '"x"'::text AS b, '[1, 2]'::json AS c`,
			`[{"a":{"v": 1.10, "id": 9007199254740993},"b":"\"x\"","c":[1, 2]}]`},
		{`SELECT '\xff00'::bytea AS a, ''::bytea AS b`, `[{"a":"/wA=","b":""}]`},
		{`SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid AS a, ARRAY['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid] AS b, ARRAY['a',NULL,'N"U\L','NULL',''] AS c, ARRAY[]::int[] AS d, ARRAY[[1,2],[3,4]] AS e`,
			`[{"a":"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11","b":["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"],"c":["a",null,"N\"U\\L","NULL",""],"d":[],"e":[[1,2],[3,4]]}]`},
		{`SELECT 'happy'::mood AS a, ARRAY['happy','sad']::mood[] AS b, interval '1 day 2 hours' AS c, inet '10.0.0.1/8' AS d, int4range(1,5) AS e, 5::posint AS f, ARRAY[1,2]::posint[] AS g, ROW(1,'x') AS h`,
			`[{"a":"happy","b":["happy","sad"],"c":"P1DT2H","d":"10.0.0.1/8","e":"[1,5)","f":5,"g":[1,2],"h":"(1,x)"}]`},
		{`SELECT ARRAY[ROW(1,2)] AS a, '{"1 2","3"}'::int2vector[] AS b`,
			`[{"a":["(1,2)"],"b":["1 2","3"]}]`},
		{`SELECT true AS a, NULL AS b, ''AS c, '[0:1]={5,6}'::int[] AS d, ARRAY[true,false] AS e, ARRAY['2026-01-01 00:00+00'::timestamptz] AS f, ARRAY[1.50::numeric] AS g, ARRAY['{"a":1}'::jsonb] AS h, '(1,1),(0,0)'::box AS i, ARRAY['(1,1),(0,0)'::box] AS j, ARRAY['\x01'::bytea] AS k`,
			`[{"a":true,"b":null,"c":"","d":[5,6],"e":[true,false],"f":["2026-01-01T00:00:00Z"],"g":[1.50],"h":[{"a": 1}],"i":"(1,1),(0,0)","j":["(1,1),(0,0)"],"k":["AQ=="]}]`},
		{`SELECT oid AS a FROM pg_type WHERE typname = 'int4'`, `[{"a":23}]`},
	} {
		for _, mode := range []string{"", "statement_cache = false"} {
			pgExec(t, s, "DROP TYPE IF EXISTS mood CASCADE", "CREATE TYPE mood AS ENUM ('sad', 'happy')", "DROP DOMAIN IF EXISTS posint CASCADE", "CREATE DOMAIN posint AS int CHECK (VALUE > 0)")
			f := open(t, t.TempDir(), pgConfig(s, c.query, mode, ""))
			for range 2 {
				got := f.text("r")
				mustJSON(t, got)
				if got != c.want {
					t.Errorf("%s %s:\ngot  %s\nwant %s", mode, c.query, got, c.want)
				}
			}
		}
	}
}

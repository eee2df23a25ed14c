package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/mcpdecl/mcpdecl/sources/sql/sqltest"
)

// shopReads are reads of the shop that every database answers alike, and what
// the answers hold.
var shopReads = map[string][]string{
	"shop://customers/1": {`"name":"Zoë Müller","email":"customer1@example.com"`, `"since":"2019-02-12"`},
	"shop://orders/1001": {`"id":1001`, `71.40`, `HON-ACA`, `"note":null`},
	"shop://customers/1/orders?status=shipped&status=cancelled": {`"id":1001`},
}

func TestExamplePostgres(t *testing.T) {
	s := servers.Postgres(t)
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, fmt.Sprintf("host=%s port=%d user=%s password=%s dbname=%s", s.Host, s.Port, s.User, s.Password, s.Database))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	seed := readFile(t, "../../examples/shop.postgres.sql")
	// A schema of its own, so that other tests may use the same database.
	if _, err := conn.PgConn().Exec(ctx, "CREATE SCHEMA shop; SET search_path = shop;"+seed+"; ALTER ROLE CURRENT_USER SET search_path = shop, public").ReadAll(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = conn.PgConn().Exec(ctx, "ALTER ROLE CURRENT_USER RESET search_path; DROP SCHEMA shop CASCADE").ReadAll()
	})
	readExample(t, "postgres", "PGSHOP", s, s.Database)
}

func TestExampleMySQL(t *testing.T) {
	s := servers.MySQL(t)
	c := mysql.NewConfig()
	c.User, c.Passwd, c.Net, c.Addr, c.MultiStatements = s.User, s.Password, "tcp", fmt.Sprintf("%s:%d", s.Host, s.Port), true
	connector, err := mysql.NewConnector(c)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	if _, err := db.Exec("CREATE DATABASE shop_example; USE shop_example;" + readFile(t, "../../examples/shop.mysql.sql")); err != nil {
		t.Fatal(err)
	}
	readExample(t, "mysql", "MYSHOP", s, "shop_example")
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func readExample(t *testing.T, name, prefix string, s *sqltest.Server, database string) {
	t.Helper()
	file := "../../examples/" + name + ".hcl"
	env := append(os.Environ(), prefix+"_HOST="+s.Host, fmt.Sprintf("%s_PORT=%d", prefix, s.Port),
		prefix+"_USER="+s.User, prefix+"_PASSWORD="+s.Password, prefix+"_DATABASE="+database)
	run := func(args ...string) string {
		cmd := exec.Command("mcpdecl", args...)
		cmd.Env = env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	run("validate", "--connect", file)
	for uri, want := range shopReads {
		out := run("read", file, uri)
		for _, w := range want {
			if !strings.Contains(out, w) {
				t.Errorf("%s: %s is not in %s", uri, w, out)
			}
		}
	}
}

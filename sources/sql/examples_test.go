package sql

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The same shop in three databases gives the same rows, but for what the
// databases' own types make of them.
func TestExampleSeeds(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("../../examples", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	dir, _ := sqliteFile(t, read("shop.sql"))
	drop := []string{"DROP TABLE IF EXISTS order_items", "DROP TABLE IF EXISTS orders", "DROP TABLE IF EXISTS products", "DROP TABLE IF EXISTS customers"}
	pg, my := servers.Postgres(t), servers.MySQL(t)
	pgExec(t, pg, append(drop, read("shop.postgres.sql"))...)
	myExec(t, my, drop...)
	for _, statement := range strings.Split(strings.ReplaceAll(read("shop.mysql.sql"), "SET time_zone = '+00:00';", ""), ";\n") {
		if strings.TrimSpace(statement) != "" {
			myExec(t, my, "SET SESSION sql_mode = @@sql_mode", statement)
		}
	}
	for _, query := range []string{
		"SELECT id, name, email, phone, city, country, since FROM customers ORDER BY id",
		"SELECT code, name, category, weight, stock FROM products ORDER BY category, stock, code",
		"SELECT id, customer_id, status, note FROM orders ORDER BY id",
		"SELECT order_id, position, product, quantity FROM order_items ORDER BY order_id, position",
	} {
		want := open(t, dir, oneQuery(query)).text("r")
		if got := open(t, t.TempDir(), pgConfig(pg, query, "", "")).text("r"); got != want {
			t.Errorf("postgres: %s:\ngot  %.300s\nwant %.300s", query, got, want)
		}
		if got := open(t, t.TempDir(), myOne(my, query, "", "")).text("r"); got != want {
			t.Errorf("mysql: %s:\ngot  %.300s\nwant %.300s", query, got, want)
		}
	}
	const exact = "SELECT code, price FROM products WHERE code = 'TEA-100'"
	for name, f := range map[string]*fixture{"postgres": open(t, t.TempDir(), pgConfig(pg, exact, "", "")), "mysql": open(t, t.TempDir(), myOne(my, exact, "", ""))} {
		if got, want := f.text("r"), `[{"code":"TEA-100","price":8.90}]`; got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

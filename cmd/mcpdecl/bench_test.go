package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkLoad loads a configuration of 10,000 resources over SQL.
func BenchmarkLoad(b *testing.B) {
	var text strings.Builder
	text.WriteString("connection \"sqlite\" \"db\" {\n  path = \":memory:\"\n  init = [\"x.sql\"]\n}\n")
	for i := range 10000 {
		fmt.Fprintf(&text, `
resource "r%d" {
  uri         = "shop://area%d/things%d/{id}{?limit,q}"
  title       = "Thing"
  description = "One thing."

  param "id" {
    type    = integer
    minimum = 1
  }
  param "limit" {
    type    = integer
    default = 20
  }

  source "sql" {
    connection = connection.sqlite.db
    query      = "SELECT a, b, c FROM things WHERE id = :id AND (:q IS NULL OR name LIKE :pattern) LIMIT :limit"
    args       = { pattern = "%%${param.q}%%" }
    rows       = "one"
  }
}
`, i, i%100, i)
	}
	dir := b.TempDir()
	for name, data := range map[string]string{"x.sql": "SELECT 1;", "big.hcl": text.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	p := &program{lookupEnv: func(string) (string, bool) { return "", false }}
	for b.Loop() {
		c, diags := p.load([]string{dir}, loadFlags{})
		if len(diags) > 0 || len(c.Resources) != 10000 {
			b.Fatalf("%d resources, %v", len(c.Resources), diags[0])
		}
	}
}

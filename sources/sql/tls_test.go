package sql

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTLS(t *testing.T) {
	for _, c := range []struct {
		kind, attrs string
		encrypted   bool
		fails       string
	}{
		{"postgres", ``, true, ""},
		{"postgres", `sslmode = "disable"`, false, ""},
		{"postgres", `sslmode = "require"`, true, ""},
		{"postgres", `ca_file = "ca.pem"`, true, ""},
		{"postgres", "ca_file = \"other.pem\"", true, "certificate"},
		{"postgres", `sslmode = "verify-full"`, true, "certificate"},
		{"mysql", ``, true, ""},
		{"mysql", `tls = "disable"`, false, ""},
		{"mysql", `tls = "require"`, true, ""},
		{"mysql", `ca_file = "ca.pem"`, true, ""},
		{"mysql", "ca_file = \"other.pem\"", true, "certificate"},
		{"mysql", `tls = "verify"`, true, "certificate"},
	} {
		t.Run(c.kind+" "+c.attrs, func(t *testing.T) {
			s := shared(t, c.kind)
			dir := t.TempDir()
			pem, err := os.ReadFile(s.CAFile)
			if err != nil {
				t.Fatal(err)
			}
			other, err := os.ReadFile(map[string]string{"postgres": servers.MySQL(t).CAFile, "mysql": servers.Postgres(t).CAFile}[c.kind])
			if err != nil {
				t.Fatal(err)
			}
			for name, data := range map[string][]byte{"ca.pem": pem, "other.pem": other} {
				if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			config := pgConfig(s, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()", c.attrs, "")
			if c.kind == "mysql" {
				config = myOne(s, "SELECT VARIABLE_VALUE <> '' AS `ssl` FROM information_schema.SESSION_STATUS WHERE VARIABLE_NAME = 'Ssl_cipher'", c.attrs, "")
			}
			res, err := open(t, dir, config).read("r")
			if c.fails != "" {
				var down *UnavailableError
				if !errors.As(err, &down) || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf(`[{"ssl":%t}]`, c.encrypted)
			if c.kind == "mysql" {
				want = strings.NewReplacer("true", "1", "false", "0").Replace(want)
			}
			if got := string(res.Contents[0].Data); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

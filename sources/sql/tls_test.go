package sql

import (
	"errors"
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
			config := pgConfig(servers.Postgres(t), "SELECT CASE WHEN ssl THEN 1 ELSE 0 END AS ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()", c.attrs, "")
			if c.kind == "mysql" {
				config = myOne(servers.MySQL(t), "SELECT VARIABLE_VALUE <> '' AS `ssl` FROM information_schema.SESSION_STATUS WHERE VARIABLE_NAME = 'Ssl_cipher'", c.attrs, "")
			}
			res, err := open(t, certificates(t, c.kind), config).read("r")
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
			want := map[bool]string{true: `[{"ssl":1}]`, false: `[{"ssl":0}]`}[c.encrypted]
			if got := string(res.Contents[0].Data); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// certificates makes a folder with the server's authority and another one.
func certificates(t *testing.T, kind string) string {
	dir := t.TempDir()
	files := map[string]string{"ca.pem": servers.Postgres(t).CAFile, "other.pem": servers.MySQL(t).CAFile}
	if kind == "mysql" {
		files["ca.pem"], files["other.pem"] = files["other.pem"], files["ca.pem"]
	}
	for name, from := range files {
		pem, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), pem, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

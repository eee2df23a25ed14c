package sqltest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

func newPostgres(t testing.TB) *Server {
	t.Helper()
	initdb := find(t, "postgres", "initdb", "/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql@*/bin")
	server := filepath.Join(filepath.Dir(initdb), "postgres")
	s := &Server{
		Host: "127.0.0.1", Port: freePort(t),
		User: "postgres", Password: "p@ss/w#rd%2F", Database: "postgres",
		dir: newDir(t, "postgres"), quit: os.Interrupt,
	}
	secret := filepath.Join(s.dir, "password")
	if err := os.WriteFile(secret, []byte(s.Password), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := giveTo("postgres", secret); err != nil {
		t.Fatal(err)
	}
	files := filepath.Join(s.dir, "db")
	run(t, as("postgres", exec.Command(initdb, "-D", files, "-U", s.User, "-A", "scram-sha-256", "--pwfile", secret, "-N", "-E", "UTF8", "--locale=C")))
	ca, cert, key := issue(t, s.dir, "postgres")
	s.CAFile = ca
	s.command = func() *exec.Cmd {
		return as("postgres", exec.Command(server, "-D", files, "-p", strconv.Itoa(s.Port), "-k", s.dir,
			"-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "max_connections=50", "-c", "timezone=America/Chicago",
			"-c", "datestyle=SQL, DMY", "-c", "ssl=on", "-c", "ssl_cert_file="+cert, "-c", "ssl_key_file="+key))
	}
	ready := filepath.Join(filepath.Dir(initdb), "pg_isready")
	s.ready = func() bool { return exec.Command(ready, "-q", "-h", s.Host, "-p", strconv.Itoa(s.Port)).Run() == nil }
	s.Start(t)
	return s
}

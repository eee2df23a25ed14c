package sqltest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// PgBouncer starts a transaction pooler in front of a PostgreSQL server, with
// two server connections that all its clients share.
func PgBouncer(t testing.TB, target *Server) *Server {
	t.Helper()
	program := find(t, "pgbouncer", "pgbouncer", "/usr/sbin", "/usr/bin")
	s := &Server{
		Host: "127.0.0.1", Port: freePort(t), User: target.User, Password: target.Password, Database: target.Database,
		dir: newDir(t, "postgres"), quit: os.Interrupt,
	}
	config, users := filepath.Join(s.dir, "pgbouncer.ini"), filepath.Join(s.dir, "users.txt")
	for name, text := range map[string]string{
		config: fmt.Sprintf("[databases]\n* = host=%s port=%d\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %d\nauth_type = plain\nauth_file = %s\n"+
			"pool_mode = transaction\ndefault_pool_size = 2\nunix_socket_dir =\n", target.Host, target.Port, s.Port, users),
		users: fmt.Sprintf("%q %q\n", s.User, s.Password),
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := giveTo("postgres", name); err != nil {
			t.Fatal(err)
		}
	}
	s.command = func() *exec.Cmd { return as("postgres", exec.Command(program, config)) }
	s.ready = func() bool { return accepts(s.Addr()) }
	s.Start(t)
	t.Cleanup(s.remove)
	return s
}

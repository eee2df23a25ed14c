package sqltest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Server is a running database server.
type Server struct {
	Host                     string
	Port                     int
	User, Password, Database string
	// CAFile is the certificate authority of the server's certificate.
	CAFile string

	dir     string
	command func() *exec.Cmd
	ready   func() bool // past its start-up
	quit    os.Signal   // ends it at once, with its data safe
	cmd     *exec.Cmd
	exited  chan error
}

// Set is what starts servers when they are first asked for, so that the tests
// of a package share them.
type Set struct {
	postgres, mysql *Server
}

// Stop ends the servers of the set; call it when the tests have run.
func (s *Set) Stop() {
	for _, srv := range []*Server{s.postgres, s.mysql} {
		if srv != nil {
			srv.remove()
		}
	}
}

// Postgres returns the set's PostgreSQL server.
func (s *Set) Postgres(t testing.TB) *Server {
	t.Helper()
	if s.postgres == nil {
		s.postgres = newPostgres(t)
	}
	return s.postgres
}

// MySQL returns the set's MariaDB or MySQL server.
func (s *Set) MySQL(t testing.TB) *Server {
	t.Helper()
	if s.mysql == nil {
		s.mysql = newMySQL(t)
	}
	return s.mysql
}

// Postgres starts a PostgreSQL server for one test.
func Postgres(t testing.TB) *Server {
	t.Helper()
	s := newPostgres(t)
	t.Cleanup(s.remove)
	return s
}

// MySQL starts a MariaDB or MySQL server for one test.
func MySQL(t testing.TB) *Server {
	t.Helper()
	s := newMySQL(t)
	t.Cleanup(s.remove)
	return s
}

// find returns the path of a program; without it the test is skipped.
func find(t testing.TB, kind, program string, folders ...string) string {
	t.Helper()
	for _, dir := range folders {
		matches, _ := filepath.Glob(filepath.Join(dir, program))
		if len(matches) > 0 {
			return matches[len(matches)-1] // the newest version
		}
	}
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	if strings.Contains(os.Getenv("MCPDECL_TEST_REQUIRE"), kind) {
		t.Fatalf("%s is not installed, and MCPDECL_TEST_REQUIRE names %s", program, kind)
	}
	t.Skipf("%s is not installed", program)
	return ""
}

// freePort returns a port that nobody listens on.
func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// newDir makes a folder that the server's own user can use.
func newDir(t testing.TB, user string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "mcpdecl-"+user)
	if err != nil {
		t.Fatal(err)
	}
	if err := giveTo(user, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// run runs a program to its end.
func run(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("run %s: %v\n%s", filepath.Base(cmd.Path), err, out)
	}
}

// Start runs a server that was stopped, at its old address.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	log, err := os.OpenFile(filepath.Join(s.dir, "server.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	s.cmd = s.command()
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	cmd, exited := s.cmd, make(chan error, 1)
	s.exited = exited
	go func() { exited <- cmd.Wait() }()
	s.wait(t)
}

// wait returns when the server accepts connections.
func (s *Server) wait(t testing.TB) {
	t.Helper()
	deadline := time.After(60 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if s.ready() {
			return
		}
		select {
		case err := <-s.exited:
			text, _ := os.ReadFile(filepath.Join(s.dir, "server.log"))
			t.Fatalf("the server ended: %v\n%s", err, text)
		case <-deadline:
			t.Fatalf("the server did not start within a minute")
		case <-tick.C:
		}
	}
}

// accepts reports whether somebody listens at the address.
func accepts(addr string) bool {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// Addr is host:port.
func (s *Server) Addr() string { return fmt.Sprintf("%s:%d", s.Host, s.Port) }

// Stop ends the server at once; Start brings it back with its data.
func (s *Server) Stop() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Signal(s.quit)
	select {
	case <-s.exited:
	case <-time.After(10 * time.Second):
		_ = s.cmd.Process.Kill()
		<-s.exited
	}
	s.cmd = nil
}

func (s *Server) remove() {
	s.Stop()
	_ = os.RemoveAll(s.dir)
}

package sqltest

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

func newMySQL(t testing.TB) *Server {
	t.Helper()
	server := find(t, "mysql", "mariadbd", "/usr/sbin", "/usr/libexec")
	s := &Server{
		Host: "127.0.0.1", Port: freePort(t),
		User: "tester", Password: "p@ss/w#rd%2F", Database: "test",
		dir: newDir(t, "mysql"), quit: syscall.SIGTERM,
	}
	files := filepath.Join(s.dir, "db")
	first := filepath.Join(s.dir, "first.sql")
	text := "CREATE DATABASE IF NOT EXISTS test;\nCREATE USER IF NOT EXISTS 'tester'@'%' IDENTIFIED BY '" + s.Password + "';\n" +
		"GRANT ALL ON *.* TO 'tester'@'%';\n"
	if err := os.WriteFile(first, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := giveTo("mysql", first); err != nil {
		t.Fatal(err)
	}
	run(t, as("mysql", exec.Command(find(t, "mysql", "mariadb-install-db"), "--no-defaults", "--datadir="+files,
		"--auth-root-authentication-method=normal", "--skip-test-db")))
	ca, cert, key := issue(t, s.dir, "mysql")
	s.CAFile = ca
	s.command = func() *exec.Cmd {
		return as("mysql", exec.Command(server, "--no-defaults", "--datadir="+files, "--port="+strconv.Itoa(s.Port),
			"--socket="+filepath.Join(s.dir, "sock"), "--bind-address=127.0.0.1", "--pid-file="+filepath.Join(s.dir, "pid"),
			"--init-file="+first, "--innodb-flush-log-at-trx-commit=0", "--default-time-zone=-05:00", "--skip-name-resolve",
			"--ssl-cert="+cert, "--ssl-key="+key))
	}
	s.ready = func() bool { return greets(s.Addr()) }
	s.Start(t)
	return s
}

// greets reports whether the server sends the first packet of its handshake.
func greets(addr string) bool {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return false
	}
	defer conn.Close()
	_ = conn.SetReadDeadline(time.Now().Add(time.Second))
	_, err = conn.Read(make([]byte, 1))
	return err == nil
}

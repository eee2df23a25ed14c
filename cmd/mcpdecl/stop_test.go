package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestASignalEndsALoadThatWaits lets commands read a pipe that nobody writes.
func TestASignalEndsALoadThatWaits(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "main.hcl")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"validate", "serve"} {
		cmd := exec.Command("mcpdecl", command, pipe)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		// Until it opens the pipe, the signal may find it without a handler.
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(30 * time.Second):
			t.Errorf("%s still runs", command)
			_ = cmd.Process.Kill()
			<-ended
		}
		w.Close()
		if got := cmd.ProcessState.ExitCode(); got != exitFailed {
			t.Errorf("%s ended with %d", command, got)
		}
	}
	out, err := exec.Command("mcpdecl", "validate", filepath.Dir(pipe)).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "not a regular file") {
		t.Errorf("a directory with a pipe: %v\n%s", err, out)
	}
}

// TestWhatABackendSendsUnaskedIsNotLogged has a backend that repeats the token
// behind its answer, which Go's HTTP client writes to the standard logger.
func TestWhatABackendSendsUnaskedIsNotLogged(t *testing.T) {
	backend, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer backend.Close()
	go func() {
		for {
			conn, err := backend.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				request := bufio.NewReader(conn)
				token := ""
				for line := ""; line != "\r\n"; {
					if line, err = request.ReadString('\n'); err != nil {
						return
					}
					if v, ok := strings.CutPrefix(line, "Authorization: "); ok {
						token = strings.TrimSpace(v)
					}
				}
				fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{\"a\":1}")
				time.Sleep(50 * time.Millisecond) // behind the answer, while the connection is idle
				fmt.Fprintf(conn, "GARBAGE %s\r\n\r\n", token)
				_, _ = request.ReadByte()
			}()
		}
	}()
	dir := t.TempDir()
	config := fmt.Sprintf(`
connection "http" "api" {
  base_url = "http://%s"
  bearer   = env("TOKEN")
}
resource "ok" {
  uri = "a://ok/{id}"
  source "http" {
    connection = connection.http.api
    url        = "/x/{id}"
  }
}
resource "slow" {
  uri = "a://fails/{id}"
  source "sql" {
    connection = connection.sqlite.db
    query      = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 20000000) SELECT count(*) AS c, :id AS id FROM n"
  }
}
connection "sqlite" "db" {
  path    = ":memory:"
  init    = ["init.sql"]
  timeout = "300ms"
}
`, backend.Addr())
	for file, data := range map[string]string{"main.hcl": config, "init.sql": "CREATE TABLE t (a);"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// The slow read keeps the process alive until the garbage has come.
	for _, format := range []string{"text", "json"} {
		out := string(runWithSecrets(dir, []string{"serve", "--log-level", "debug", "--log-format", format, "DIR"}, "TOKEN=s3cr3t-token"))
		if !strings.Contains(out, `{\"a\":1}`) {
			t.Errorf("the read failed:\n%s", out)
		}
		if strings.Contains(out, "GARBAGE") || strings.Contains(out, "Unsolicited") || strings.Contains(out, "s3cr3t-token") {
			t.Errorf("the output repeats what the backend sent:\n%s", out)
		}
	}
}

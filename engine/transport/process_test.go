package transport_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpdecl/mcpdecl/engine"
	"github.com/mcpdecl/mcpdecl/engine/transport"
)

// serveStdio in the environment makes the test binary a server: what happens at
// the edge of a process shows only in one.
const serveStdio = "MCPDECL_TEST_SERVE_STDIO"

func TestMain(m *testing.M) {
	if os.Getenv(serveStdio) != "" {
		os.Exit(serve())
	}
	os.Exit(m.Run())
}

func serve() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	server := newShop(shop{slow: func(ctx context.Context) { <-ctx.Done() }}, engine.ServerOptions{Log: log})
	if err := transport.Stdio(ctx, server, os.Stdin, os.Stdout, transport.StdioOptions{Log: log, Grace: 100 * time.Millisecond}); err != nil {
		log.Error("serve", "error", err)
		return 1
	}
	return 0
}

// serverEnv is the environment of a server; the race detector would else sleep
// for a second at its exit.
func serverEnv() []string {
	return append(os.Environ(), serveStdio+"=1", "GORACE=atexit_sleep_ms=0")
}

type process struct {
	cmd            *exec.Cmd
	in             io.WriteCloser
	stdout, stderr logBuffer
}

func startProcess(t *testing.T) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.Command(self)}
	p.cmd.Env = serverEnv()
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	return p
}

// answered waits for the answer to a call.
func (p *process) answered(t *testing.T, id int) {
	t.Helper()
	for deadline := time.Now().Add(patience); !strings.Contains(p.stdout.String(), fmt.Sprintf(`"id":%d,`, id)); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no answer")
		}
	}
}

// wait returns the answers once the process has ended well and in time.
func (p *process) wait(t *testing.T, limit time.Duration) []reply {
	t.Helper()
	start := time.Now()
	timer := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("the process ended with %v\n%s", err, p.stderr.String())
	}
	if took := time.Since(start); took > limit {
		t.Errorf("the process took %v to end", took)
	}
	var all []reply
	for line := range strings.Lines(p.stdout.String()) {
		all = append(all, parseReply(t, []byte(line)))
	}
	return all
}

func TestS6_ProcessAtTheEndOfInput(t *testing.T) {
	p := startProcess(t)
	io.WriteString(p.in, initialize+"\n"+readLine(2, "shop://slow")+"\n"+readLine(1, "shop://hello")+"\n")
	p.answered(t, 1) // the start of the process is not what is measured
	p.in.Close()
	all := p.wait(t, soon)
	if len(all) != 3 {
		t.Fatalf("%d answers, want 3", len(all))
	}
	for _, r := range all {
		if failed := r.Error != nil; failed != (r.ID == 2.0) {
			t.Errorf("got %s", r.raw)
		}
	}
}

func TestS7_StdoutCarriesNothingButFrames(t *testing.T) {
	p := startProcess(t)
	lines := []string{initialize, `garbage`, readLine(1, "shop://panic"), readLine(2, "shop://broken"), readLine(3, "shop://nope"),
		`{"jsonrpc":"2.0","id":4,"method":"no/such"}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, initialize}
	fmt.Fprintln(p.in, strings.Join(lines, "\n"))
	p.in.Close()
	all := p.wait(t, patience) // every line of it is JSON
	if len(all) != 7 {
		t.Errorf("%d answers, want 7:\n%s", len(all), p.stdout.String())
	}
	for line := range strings.Lines(p.stdout.String()) {
		if !strings.HasPrefix(line, `{"jsonrpc":"2.0",`) {
			t.Errorf("on stdout: %s", line)
		}
	}
	if log := p.stderr.String(); !strings.Contains(log, "level=DEBUG") || !strings.Contains(log, "out of stock") || !strings.Contains(log, "hunter2") {
		t.Errorf("the log is not on stderr:\n%s", log)
	}
}

func TestS16_SIGTERM(t *testing.T) {
	p := startProcess(t)
	io.WriteString(p.in, initialize+"\n"+readLine(1, "shop://slow")+"\n"+readLine(2, "shop://hello")+"\n")
	p.answered(t, 2)
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if all := p.wait(t, soon); len(all) != 3 {
		t.Errorf("%d answers, want 3:\n%s", len(all), p.stdout.String())
	}
}

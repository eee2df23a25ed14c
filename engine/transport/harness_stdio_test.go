package transport_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpdecl/mcpdecl/engine/transport"
)

// stdio is a session over pipes.
type stdio struct {
	t      *testing.T
	in     *io.PipeWriter
	lines  chan []byte
	done   chan error
	cancel context.CancelFunc
	log    *logBuffer
	nextID int
}

func startStdio(t *testing.T, server *mcp.Server, o transport.StdioOptions) *stdio {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	s := &stdio{t: t, in: inW, lines: make(chan []byte, 1000), done: make(chan error, 1), cancel: cancel, log: &logBuffer{}}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	go func() { s.done <- transport.Stdio(ctx, server, inR, outW, o); outW.Close() }()
	go func() {
		defer close(s.lines)
		sc := bufio.NewScanner(outR)
		sc.Buffer(nil, 64<<20)
		for sc.Scan() {
			s.lines <- bytes.Clone(sc.Bytes())
		}
	}()
	t.Cleanup(func() { inW.Close(); outR.Close(); cancel() })
	return s
}

func (s *stdio) send(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatalf("send: %v", err)
	}
}

func (s *stdio) next() reply {
	s.t.Helper()
	select {
	case line, ok := <-s.lines:
		if !ok {
			s.t.Fatal("the output ended")
		}
		return parseReply(s.t, line)
	case <-time.After(patience):
		s.t.Fatal("no answer")
	}
	return reply{}
}

const initialize = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

func (s *stdio) initialize(version string) {
	s.t.Helper()
	s.send(strings.Replace(initialize, "2025-11-25", version, 1))
	if r := s.next(); r.Error != nil {
		s.t.Fatalf("initialize: %s", r.raw)
	}
	s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// wait returns what Stdio returned and how long that took.
func (s *stdio) wait() (time.Duration, error) {
	s.t.Helper()
	start := time.Now()
	select {
	case err := <-s.done:
		return time.Since(start), err
	case <-time.After(patience):
		s.t.Fatal("Stdio does not return")
		return 0, nil
	}
}

// rest returns the lines up to the end of the output.
func (s *stdio) rest() []reply {
	s.t.Helper()
	var all []reply
	for {
		select {
		case line, ok := <-s.lines:
			if !ok {
				return all
			}
			all = append(all, parseReply(s.t, line))
		case <-time.After(patience):
			s.t.Fatal("the output does not end")
		}
	}
}

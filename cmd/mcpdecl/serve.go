package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/mcpdecl/mcpdecl/engine"
	"github.com/mcpdecl/mcpdecl/engine/transport"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
)

type serveFlags struct {
	loadFlags
	http                        string
	allowedHosts, allowedOrigin []string
	logLevel, logFormat         string
}

func (p *program) serveCommand() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve [PATH...]",
		Short: "Serve a configuration on standard input and output, or over HTTP",
		Long: "Serve a configuration on standard input and output, or with --http over Streamable HTTP at /mcp,\n" +
			"with /healthz and /readyz beside it. Standard output carries the protocol only; logs go to standard error.",
		Example: "  mcpdecl serve examples/shop.hcl\n  mcpdecl serve --http 127.0.0.1:8080 examples/shop.hcl",
		RunE: func(c *cobra.Command, paths []string) error {
			return p.serve(c.Context(), paths, f)
		},
	}
	f.add(c)
	c.Flags().StringVar(&f.http, "http", "", "`address` to listen on, such as 127.0.0.1:8080")
	c.Flags().StringArrayVar(&f.allowedHosts, "allowed-host", nil, "a further `host` that requests may name; may be repeated")
	c.Flags().StringArrayVar(&f.allowedOrigin, "allowed-origin", nil, "an `origin` whose web pages may call; may be repeated")
	c.Flags().StringVar(&f.logLevel, "log-level", "info", "debug, info, warn or error")
	c.Flags().StringVar(&f.logFormat, "log-format", "text", "text or json")
	return c
}

func (p *program) serve(ctx context.Context, paths []string, f serveFlags) error {
	log, err := newLogger(p.err, f.logLevel, f.logFormat)
	if err != nil {
		return err
	}
	if f.http == "" && len(f.allowedHosts)+len(f.allowedOrigin) > 0 {
		return usageError{fmt.Errorf("--allowed-host and --allowed-origin need --http")}
	}
	e, config, err := p.open(paths, f.loadFlags, log)
	if err != nil {
		return err
	}
	defer e.Close()
	log = hideSecrets(log, config.Secrets)
	p.tuneMemory()
	server := engine.NewServer(func() engine.Backend { return e }, engine.ServerOptions{Log: log})
	if f.http == "" {
		signal.Ignore(syscall.SIGPIPE) // a client that is gone is an error of its write
		log.Info("serving on standard input and output", "resources", len(config.Resources))
		return transport.Stdio(ctx, server, p.in, p.out, transport.StdioOptions{Log: log})
	}
	return p.serveHTTP(ctx, server, f, log, len(config.Resources))
}

func (p *program) serveHTTP(ctx context.Context, server *mcp.Server, f serveFlags, log *slog.Logger, resources int) error {
	h, err := transport.NewHTTP(server, transport.HTTPOptions{
		Log: log, Listen: f.http, AllowedHosts: f.allowedHosts, AllowedOrigins: f.allowedOrigin,
	})
	if err != nil {
		return usageError{err}
	}
	ln, err := net.Listen("tcp", f.http)
	if err != nil {
		return fmt.Errorf("cannot listen on %q: %w", f.http, err)
	}
	log.Info("serving over HTTP", "url", "http://"+ln.Addr().String()+"/mcp", "resources", resources)
	return h.Serve(ctx, ln)
}

// tuneMemory trades memory for throughput: a request allocates much and keeps
// nothing, so collecting less often serves more. An operator's own setting wins.
func (p *program) tuneMemory() {
	const limit = 1 << 30
	if _, set := p.lookupEnv("GOGC"); set {
		return
	}
	debug.SetGCPercent(400)
	if _, set := p.lookupEnv("GOMEMLIMIT"); !set {
		debug.SetMemoryLimit(limit)
	}
}

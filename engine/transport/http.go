package transport

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// HTTPOptions are the settings of [NewHTTP]; a zero value means the default.
type HTTPOptions struct {
	// Log gets what is worth an operator's attention; nil discards.
	Log *slog.Logger
	// Listen is the address to listen on as the operator wrote it; its host is
	// a good Host of a request.
	Listen string
	// AllowedHosts are further good values of Host: a name, or a name with a
	// port, or * for all.
	AllowedHosts []string
	// AllowedOrigins are the origins, such as https://app.example.com, whose
	// pages may call, or * for all.
	AllowedOrigins []string
	// MaxBody bounds the body of a request in bytes. Default 4 MiB.
	MaxBody int64
	// SessionTimeout ends a session of an older protocol that is not used.
	// Default 30 min.
	SessionTimeout time.Duration
	// MaxSessions bounds the sessions of older protocols. Default 10,000.
	MaxSessions int
	// MaxUnread bounds the bytes of large contents that wait for their clients to
	// read them; beyond it, a call with such a content is refused, but not where
	// no others wait. Default 256 MiB.
	MaxUnread int
	// Grace is how long calls may run on after the end of the context.
	// Default 10 s.
	Grace time.Duration
	// Ready says why the server should get no traffic, nil if it should. Its
	// text is shown to whoever asks.
	Ready func() error
}

const (
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
)

// pace is how slow a client may be. A stream may last for days, so the times
// are for one body and for one write.
type pace struct{ body, write time.Duration }

// HTTP serves MCP at /mcp, and /healthz and /readyz beside it. It is an
// [http.Handler].
type HTTP struct {
	o       HTTPOptions
	log     *slog.Logger
	server  *mcp.Server
	hosts   hostList
	origins *originList
	// stateless serves the revisions without sessions, stateful the older
	// ones: the SDK has no handler for both.
	stateless, stateful http.Handler
	mux                 *http.ServeMux
	pace                pace
	stop                *stop
	running             *running
	bulks               *bulks
}

// NewHTTP returns the HTTP side of a server, or an error when a host or an
// origin of the options is not one.
func NewHTTP(server *mcp.Server, o HTTPOptions) (*HTTP, error) {
	o = o.withDefaults()
	hosts, err := newHostList(o.Listen, o.AllowedHosts)
	if err != nil {
		return nil, err
	}
	origins, err := newOriginList(o.AllowedOrigins)
	if err != nil {
		return nil, err
	}
	server.AddReceivingMiddleware(stoppable, leavingOut(o.Log))
	get := func(*http.Request) *mcp.Server { return server }
	h := &HTTP{
		o: o, log: o.Log, server: server, hosts: hosts, origins: origins,
		// The SDK's own check of Host knows loopback only; ours is before it.
		stateless: mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
			Stateless:                    true,
			PropagateRequestCancellation: true,
			DisableLocalhostProtection:   true,
			MaxRequestBodyBytes:          o.MaxBody,
			Logger:                       o.Log,
		}),
		stateful: mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
			SessionTimeout:             o.SessionTimeout,
			DisableLocalhostProtection: true,
			MaxRequestBodyBytes:        o.MaxBody,
			Logger:                     o.Log,
		}),
		mux:     http.NewServeMux(),
		pace:    pace{body: 30 * time.Second, write: time.Minute},
		stop:    newStop(),
		running: newRunning(),
		bulks:   &bulks{room: newRoom(o.MaxUnread, false)},
	}
	// Probes come with any Host; they learn nothing that needs protection.
	h.mux.HandleFunc("/healthz", h.health)
	h.mux.HandleFunc("/readyz", h.ready)
	h.mux.HandleFunc("/mcp", h.mcp)
	return h, nil
}

func (o HTTPOptions) withDefaults() HTTPOptions {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.MaxBody <= 0 {
		o.MaxBody = 4 << 20
	}
	if o.SessionTimeout <= 0 {
		o.SessionTimeout = 30 * time.Minute
	}
	if o.MaxSessions <= 0 {
		o.MaxSessions = 10_000
	}
	if o.MaxUnread <= 0 {
		o.MaxUnread = maxUnread
	}
	if o.Grace <= 0 {
		o.Grace = 10 * time.Second
	}
	if o.Ready == nil {
		o.Ready = func() error { return nil }
	}
	return o
}

// Serve answers on ln, which it closes, until ctx is done; then it stops in
// the steps of the package comment and returns nil.
func (h *HTTP) Serve(ctx context.Context, ln net.Listener) error {
	srv := &http.Server{
		Handler: h,
		// No ReadTimeout and no WriteTimeout: they would cut streams.
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(h.log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve HTTP: %w", err)
	case <-ctx.Done():
	}
	h.shutdown(srv)
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve HTTP: %w", err)
	}
	return nil
}

// shutdown lets the running calls end, first by themselves, then by force.
// Sessions are closed after that: a closed one drops its answers. The server's
// own shutdown begins first, since it closes the listener, and ends last, since
// it waits for the streams of the sessions.
func (h *HTTP) shutdown(srv *http.Server) {
	idle := h.running.close()
	down := make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { defer close(down); _ = srv.Shutdown(ctx) }()

	h.stop.cancelStreams()
	if !within(idle, h.o.Grace) {
		h.log.Warn("cancelling requests at the end of the grace period", "requests", h.running.count())
		h.stop.cancelRequests()
		within(idle, cancelGrace)
	}
	// Also what runs for a client of an older protocol that went away.
	h.stop.cancelRequests()
	for s := range h.server.Sessions() {
		go s.Close() // waits for handlers, which may ignore their cancellation
	}
	if !within(down, cancelGrace) {
		_ = srv.Close()
	}
}

// ServeHTTP implements [http.Handler].
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sw := newStallWriter(w, h.pace.write)
	defer sw.end()
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if p != http.ErrAbortHandler {
			h.log.Error("panic while serving HTTP", "method", r.Method, "path", r.URL.Path,
				"panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
		if sw.begun || p == http.ErrAbortHandler {
			panic(http.ErrAbortHandler) // the client must not take the answer for whole
		}
		writeError(sw, http.StatusInternalServerError, &fault{err: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Internal error"}})
	}()
	h.mux.ServeHTTP(sw, r)
}

func (h *HTTP) health(w http.ResponseWriter, _ *http.Request) {
	writeText(w, http.StatusOK, "ok")
}

func (h *HTTP) ready(w http.ResponseWriter, _ *http.Request) {
	if h.running.closing() {
		writeText(w, http.StatusServiceUnavailable, "shutting down")
		return
	}
	if err := h.o.Ready(); err != nil {
		writeText(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	writeText(w, http.StatusOK, "ready")
}

func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = fmt.Fprintln(w, text)
}

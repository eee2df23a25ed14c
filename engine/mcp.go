package engine

import (
	"context"
	"log/slog"

	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The methods of the protocol that the edge knows by name.
const (
	methodInitialize    = "initialize"
	methodRead          = "resources/read"
	methodListResources = "resources/list"
	methodCallTool      = "tools/call"
	methodGetPrompt     = "prompts/get"
	methodComplete      = "completion/complete"
)

// modernProtocol is the first revision without sessions: a request carries its
// version in _meta, results carry a resultType and cache hints.
const modernProtocol = "2026-07-28"

// Backend is what the MCP edge needs of an engine.
type Backend interface {
	Info() Info
	Read(ctx context.Context, uri string) (*Result, error)
	// List returns one page of the resources; the cursor is "" or from an
	// earlier page.
	List(ctx context.Context, cursor string) (*Page, error)
	Templates() []Listed
}

// ServerOptions are the settings of the MCP edge that are not part of a
// configuration.
type ServerOptions struct {
	// Log gets one line for each internal error, with the reference that the
	// client sees; nil discards.
	Log *slog.Logger
	// MaxInFlight bounds the requests that work at once over all sessions of
	// the server; the others wait for their turn. 0 means 64.
	MaxInFlight int
}

// NewServer returns an MCP server that answers from the backend that current
// returns at the time of each request, so that a reload is a swap of a pointer.
// Name, version and instructions are those of the first one.
//
// The SDK's own dispatch is not used for resources: it compiles every template
// again for each read, knows neither our order nor our errors, and drops the
// text of an empty resource.
func NewServer(current func() Backend, o ServerOptions) *mcp.Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	info := current().Info()
	e := &edge{current: current, log: o.Log, slots: newSlots(o.MaxInFlight)}
	s := mcp.NewServer(
		&mcp.Implementation{Name: info.Name, Title: info.Title, Version: info.Version},
		&mcp.ServerOptions{
			Instructions: info.Instructions,
			Logger:       slog.New(quieter{o.Log.Handler()}),
			Capabilities: capabilities(),
			SetCacheable: privateUnlessSaid,
		})
	if b, ok := current().(ToolBackend); ok {
		e.addTools(s, b)
	}
	s.AddReceivingMiddleware(e.recoverPanics, e.mapErrors, e.bound, e.dispatch)
	return s
}

// capabilities declares what works: no logging, no completions, no change
// notifications. Tools and prompts are declared also when there are none: their
// lists are answered, and the protocol wants a method of a capability that is
// not declared to be unknown.
func capabilities() *mcp.ServerCapabilities {
	return &mcp.ServerCapabilities{
		Resources: &mcp.ResourceCapabilities{},
		Tools:     &mcp.ToolCapabilities{},
		Prompts:   &mcp.PromptCapabilities{},
	}
}

// edge is the one place where the protocol and the engine meet.
type edge struct {
	current func() Backend
	log     *slog.Logger
	slots   slots
}

// dispatch answers the methods about resources; all others go on to the SDK.
func (e *edge) dispatch(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if extra := req.GetExtra(); extra != nil && extra.Header != nil {
			ctx = sources.WithCaller(ctx, extra.Header) // over HTTP only
		}
		switch r := req.(type) {
		case *mcp.ReadResourceRequest:
			return e.read(ctx, r)
		case *mcp.ListResourcesRequest:
			return listResources(ctx, e.current(), r)
		case *mcp.ListResourceTemplatesRequest:
			return listTemplates(e.current(), r)
		}
		return next(ctx, method, req)
	}
}

// modern reports whether a request follows the protocol without sessions. The
// version that a client asked for in initialize says nothing about it: such a
// session is always an older one.
func modern(req mcp.Request) bool {
	version, _ := requestMeta(req)[mcp.MetaKeyProtocolVersion].(string)
	return version >= modernProtocol
}

func requestMeta(req mcp.Request) map[string]any {
	// Params of methods that may leave them out are typed nil pointers, on
	// which GetMeta panics.
	switch r := req.(type) {
	case *mcp.ListResourcesRequest:
		if r.Params == nil {
			return nil
		}
	case *mcp.ListResourceTemplatesRequest:
		if r.Params == nil {
			return nil
		}
	case *mcp.ReadResourceRequest:
		if r.Params == nil {
			return nil
		}
	default:
		return nil
	}
	return req.GetParams().GetMeta()
}

// resultType is the field that only the newer revision has.
func resultType(req mcp.Request) string {
	if modern(req) {
		return "complete"
	}
	return ""
}

// cacheHint is what a client may do with a result it has got.
type cacheHint struct {
	TTLMs      int64  `json:"ttlMs"`
	CacheScope string `json:"cacheScope"`
}

const (
	scopePrivate = "private"
	scopePublic  = "public"
)

// privateUnlessSaid keeps the SDK from calling results public: that a result
// is the same for every caller is said in the configuration or not at all.
func privateUnlessSaid(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
	if c.CacheScope == "" {
		c.CacheScope = scopePrivate
	}
}

package decl

import (
	"time"

	"github.com/mcpdecl/mcpdecl/uritmpl"
	"github.com/zclconf/go-cty/cty"
)

// Config is one loaded configuration: all files together. It is immutable
// after Load.
type Config struct {
	Server      Server
	Connections []*Connection
	Resources   []*Resource
	Tools       []*Tool
	Prompts     []*Prompt
	// Secrets finds and hides every secret value of this configuration.
	Secrets *Secrets
	// Files are the sources that were read, for snippets: name to bytes.
	Files map[string][]byte
	// Unshown are the files with values of variables: their lines may hold
	// secrets and are not printed.
	Unshown map[string]bool
}

// Server is the server block, with its defaults filled in.
type Server struct {
	Name, Title, Version, Instructions string
	PageSize                           int
	ResourceTool                       bool
	LegacyNotFound                     bool
	Range                              Range
}

// Connection is one connection block; Settings is what its kind decoded.
type Connection struct {
	Kind, Name string
	Settings   any
	Range      Range // the block's header
}

// ID is how references and messages name the connection: sqlite.shop.
func (c *Connection) ID() string { return c.Kind + "." + c.Name }

// Resource is one resource block: a static resource or a resource template.
type Resource struct {
	Name, URI                    string
	Title, Description, MIMEType string
	Size                         int64 // static resources; -1 when unknown
	Audience                     []string
	Priority                     *float64
	Icons                        []Icon
	Hidden                       bool
	// Matcher is the compiled URI; Matcher.Static() for a static resource.
	Matcher *uritmpl.Matcher
	// Params has one entry for each variable of the URI, in its order.
	Params    []*Param
	Source    *Source
	Body      Body
	Cache     *Cache
	List      *List
	Subscribe *Subscribe
	Tool      *ResourceTool
	Range     Range // the block's header
	URIRange  Range // the value of uri
}

// Icon is one icon of a resource.
type Icon struct {
	Src, MIMEType string
	Sizes         []string
}

// Body is the content that a block computes itself: at most one is set.
type Body struct {
	Text, JSON, Blob *Expr
}

// Expr returns the one that is set, or nil.
func (b Body) Expr() *Expr {
	switch {
	case b.Text != nil:
		return b.Text
	case b.JSON != nil:
		return b.JSON
	default:
		return b.Blob
	}
}

// Source is one source block after its kind decoded it.
type Source struct {
	Kind       string
	Connection *Connection // nil where the kind allows none
	Settings   any
	// Scope names what the result offers to expressions: "row", "rows", ...
	Scope map[string]cty.Type
	// SaysTTL is set where the backend says how long a result stays fresh.
	SaysTTL bool
	// RowExprs are the source's own expressions over a row, such as item_uri.
	RowExprs []*Expr
	// Writes says that reading the source may change something.
	Writes bool
	// Uses are the indices of the parameters that the source reads.
	Uses  []int
	Range Range
}

// Cache is a cache block. TTL 0 means that Upstream decides.
type Cache struct {
	TTL      time.Duration
	Upstream bool
	Public   bool
	Range    Range
}

// List is a list block: the concrete resources of a template.
type List struct {
	Source                             *Source // nil: the resource's own file source
	Params                             []NamedExpr
	Name, Title, Description, MIMEType *Expr
	Range                              Range
}

// Subscribe is a subscribe block.
type Subscribe struct {
	Every   time.Duration
	Channel string
	Range   Range
}

// ResourceTool is the tool block inside a resource: the same read as a tool.
type ResourceTool struct {
	Name, Title, Description string
	Range                    Range
}

// Tool is a top-level tool block.
type Tool struct {
	Name, Title, Description string
	Params                   []*Param
	Source                   *Source
	Body                     Body
	Range                    Range
}

// Prompt is a top-level prompt block.
type Prompt struct {
	Name, Title, Description string
	Params                   []*Param
	Messages                 []Message
	Range                    Range
}

// Message is one message of a prompt: text, or an embedded resource.
type Message struct {
	Role     string
	Text     *Expr
	Resource *uritmpl.Template
	Range    Range
}

// NamedExpr is one entry of an Object attribute, in file order.
type NamedExpr struct {
	Name  string
	Expr  *Expr
	Range Range // of the name
}

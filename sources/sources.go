package sources

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"slices"
	"time"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/zclconf/go-cty/cty"
)

// ErrNotFound is returned by Source.Read when the source has no such thing:
// no rows, no such file, a 404. It is the only error that a client sees as
// "resource not found".
var ErrNotFound = errors.New("not found")

// ErrNotModified is returned by Source.Read when Request.Validator still names
// the current version of the result.
var ErrNotModified = errors.New("not modified")

// PublicError is a failure whose Message a client may see: a plain reason such
// as "upstream rate limited (status 429)", in which nothing comes from a
// backend or a configuration but numbers. Err, which says more, is for the log
// only; nil where there is no more to say.
type PublicError struct {
	Message string
	Err     error
}

func (e *PublicError) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Err.Error()
}

// Unwrap returns the cause.
func (e *PublicError) Unwrap() error { return e.Err }

// Kind is one kind of source with the connections that it works over.
type Kind struct {
	Name        string // the label of source blocks: "sql"
	Connections []decl.ConnectionKind
	Source      decl.SourceKind
	// Unserved names the connection kinds that can be declared but not served
	// by this version.
	Unserved []string
	// Connect makes a connection ready without reaching the backend: it opens
	// lazily, at the first read. It fails only for what no later retry mends.
	// A nil Connect marks a kind of which nothing can be served yet.
	Connect func(host Host, c *decl.Connection) (Connection, error)
	// New prepares a declared source. conn is nil when s.Connection is nil.
	New func(host Host, conn Connection, s *decl.Source) (Source, error)
}

// Serves reports whether this version can read over connections of that kind.
func (k Kind) Serves(connection string) bool {
	return k.Connect != nil && !slices.Contains(k.Unserved, connection)
}

// Host is what a source may use of the process around it.
type Host struct {
	// Log receives structured lines; never a secret, never a value of a client
	// that is not quoted.
	Log *slog.Logger
	// Now is the clock.
	Now func() time.Time
	// TempDir returns a private directory that lives as long as the process.
	TempDir func() (string, error)
	// LookupEnv reads an environment variable.
	LookupEnv func(name string) (string, bool)
	// ReadFile reads a file that a connection names: a script, a certificate.
	ReadFile func(name string) ([]byte, error)
	// Stat and SameFile tell when a name stands for another file than before;
	// without them nothing looks.
	Stat     func(name string) (fs.FileInfo, error)
	SameFile func(a, b fs.FileInfo) bool
}

// Connection is an opened connection block, shared by its sources.
type Connection interface {
	// Close ends running work and releases everything.
	Close() error
}

// Checker is a connection that can be tried without a read.
type Checker interface {
	// Ping reaches the backend or says in one plain sentence why it cannot.
	Ping(ctx context.Context) error
}

// Source answers reads. It is used by many goroutines at once.
type Source interface {
	// Read runs the source once. ErrNotFound (wrapped or not) means that there
	// is nothing; any other error is a failure whose text is for the log only.
	Read(ctx context.Context, req *Request) (*Result, error)
	// Explain says what Read would do, without doing it.
	Explain(req *Request) (*Plan, error)
}

// SourceChecker is a source that can be held against its backend without a
// read, for validate --connect.
type SourceChecker interface {
	// Check returns what is wrong and, in plain sentences, what the backend
	// could not tell. The error says why nothing could be checked.
	Check(ctx context.Context) (found decl.Diagnostics, unchecked []string, err error)
}

// PartialChecker is a connection whose backend leaves something open of every
// source that is held against it.
type PartialChecker interface {
	// Unchecked says in plain sentences what is never checked, and why.
	Unchecked() []string
}

// ColumnChecker is a SourceChecker that knows, after a Check without mistakes,
// which columns its rows have; nil when it does not.
type ColumnChecker interface {
	CheckedColumns() []string
}

// Need is the form in which a caller wants the result.
type Need int

// What a caller may need of a source.
const (
	// Contents is the source's own rendering.
	Contents Need = iota
	// TextValues are values for a text template: a decimal keeps its digits
	// by being a string ("10.00").
	TextValues
	// JSONValues are values for a json expression: a decimal is a number made
	// by decl.NumberVal, and a number that a double cannot carry exactly is a
	// string of its digits.
	JSONValues
)

// Request is one read.
type Request struct {
	// URI is the URI being read, as the client wrote it.
	URI string
	// Params are the typed values in the order of SourceContext.Params: nil,
	// string, int64, float64, bool, []string or []int64.
	Params []any
	// MIMEType is the declared media type of the resource, or "".
	MIMEType string
	// Need says whether Result.Contents or Result.Scope is wanted.
	Need Need
	// Over is the expression that is evaluated over the result, when Need is
	// not Contents; nil where there are several.
	Over *decl.Expr
	// Scope evaluates request-time expressions (args, header values).
	Scope *decl.Scope
	// Validator is that of an earlier result of the same request, or nil. A
	// source that can may then answer with ErrNotModified.
	Validator *Validator
}

// Validator names the version of a result, as HTTP does (RFC 9110, section 8.8).
type Validator struct {
	ETag, LastModified string
}

// Result is what a source found. Exactly one of Contents and Scope is set.
type Result struct {
	Contents []Content
	// Scope are the values of the names in decl.Source.Scope.
	Scope map[string]cty.Value
	// Truncated is a sentence for the model when the result was cut at a
	// limit: "only the first 1000 rows; ...". Empty when it is whole.
	Truncated string
	// Columns are the names of the columns in their order, where the result
	// has columns: an object in Scope does not keep it.
	Columns []string
	// ItemURIs are the URIs of the entries of Scope["rows"], where each of
	// them becomes a content of its own.
	ItemURIs []string
	// TTL is how long the backend says that the result stays fresh; 0 when it
	// does not say, or says not at all.
	TTL time.Duration
	// Private says that the backend wants no shared cache to keep the result.
	Private bool
	// Validator names this version of the result, or is nil.
	Validator *Validator
	// PerCaller says that the result may depend on who asked, so that it must
	// not be given to another caller.
	PerCaller bool
}

// Content is one piece of a result in its final bytes.
type Content struct {
	URI      string // empty: the request's
	MIMEType string // empty: the resource's
	Data     []byte // owned by the receiver
	Binary   bool   // Data is not text: sent as a blob
	UTF8     bool   // Data is known to be UTF-8, so that nobody looks again
	Modified time.Time
}

// Plan is what a read would do.
type Plan struct {
	Kind       string  `json:"kind"`
	Connection string  `json:"connection,omitempty"`
	Statement  string  `json:"statement,omitempty"` // sql: as sent to the driver
	Bound      []Bound `json:"bound,omitempty"`     // sql: in placeholder order
	Method     string  `json:"method,omitempty"`    // http
	URL        string  `json:"url,omitempty"`       // http
	Root       string  `json:"root,omitempty"`      // file
	Path       string  `json:"path,omitempty"`      // file
	Glob       string  `json:"glob,omitempty"`      // file
}

// Bound is one value bound to a statement.
type Bound struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

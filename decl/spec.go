package decl

import "github.com/zclconf/go-cty/cty"

// AttrType says what an attribute takes and when it is evaluated.
type AttrType int

// Static types are evaluated at load and see only var, local and functions.
// Request-time types are kept as expressions and checked with unknown values.
const (
	String         AttrType = iota // a static string
	Integer                        // a static whole number
	Number                         // a static number
	Bool                           // a static bool
	Duration                       // a static string such as "10s"
	Size                           // a static string such as "8MiB", or a whole number of bytes
	StringList                     // a static list of strings
	IntList                        // a static list of whole numbers
	StringMap                      // a static map of strings
	AnyValue                       // a static value of any type
	Expression                     // request-time: any type
	Object                         // request-time: an object whose values are expressions
	ValueType                      // a parameter type: string, integer, ..., list(string)
	TypeConstraint                 // a Terraform type: string, number, list(string), object({...}), any
	Reference                      // connection.KIND.NAME
)

// AttrSpec declares one attribute of a block.
type AttrSpec struct {
	Name     string
	Type     AttrType
	Required bool
	// Default is the value in the language's own spelling ("10s", "1000",
	// "true"); getters of [Block] return it when the attribute is absent.
	Default string
	// Enum lists the allowed values of a String.
	Enum []string
	// Min is the smallest value that an Integer, Size or Duration may have,
	// in the attribute's own spelling; empty for no bound.
	Min string
	// Secret marks an attribute that holds a credential, or a URL that may have
	// one in it: the credential is never printed.
	Secret SecretKind
	// Template marks a static string in which request values stand as {name}
	// (TemplateURI) or :name (TemplateSQL), so that a ${param.name} in it is
	// answered with the right spelling.
	Template TemplateKind
	// Doc is one sentence for the reference and the JSON Schema.
	Doc string
}

// SecretKind says what of an attribute's value is a credential.
type SecretKind int

// The kinds of credentials.
const (
	NoSecret    SecretKind = iota
	SecretValue            // the whole value
	SecretInURL            // the password of a URL
)

// TemplateKind says how a request value is written inside a static string.
type TemplateKind int

// The kinds of static strings that hold request values.
const (
	NotTemplate TemplateKind = iota
	TemplateURI              // {name}
	TemplateSQL              // :name
)

// BlockSpec declares what a block may contain. The loader, the reference
// documentation and the JSON Schema are made from the same specs.
type BlockSpec struct {
	Type   string   // the block's keyword
	Labels []string // names of its labels
	Attrs  []AttrSpec
	Blocks []*BlockSpec
	// Repeats says that the block may stand more than once in its parent.
	Repeats bool
	// Required says that the parent must have it.
	Required bool
	// Open is set where the first label chooses among Variants (connection,
	// source): the content is then decoded against the variant's spec.
	Open     bool
	Variants []*BlockSpec
	Doc      string
}

func (s *BlockSpec) attr(name string) *AttrSpec {
	for i := range s.Attrs {
		if s.Attrs[i].Name == name {
			return &s.Attrs[i]
		}
	}
	return nil
}

func (s *BlockSpec) block(typ string) *BlockSpec {
	for _, b := range s.Blocks {
		if b.Type == typ {
			return b
		}
	}
	return nil
}

// Kinds are the connection and source kinds that a configuration may use, in
// the order in which messages and documentation list them.
type Kinds struct {
	Connections []ConnectionKind
	Sources     []SourceKind
}

// ConnectionKind is one first label of connection blocks.
type ConnectionKind struct {
	// Spec is the content of the block; Spec.Type is the label: "sqlite".
	Spec *BlockSpec
	// Decode turns the block into the kind's own settings and reports what the
	// spec cannot express. It is called also when the spec found mistakes;
	// getters return zero values for what could not be decoded.
	Decode func(b *Block) any
}

// SourceKind is one label of source blocks.
type SourceKind struct {
	// Spec is the content of the block; Spec.Type is the label: "sql".
	Spec *BlockSpec
	// Decode turns the block into a Source: Settings, Scope, Uses and
	// Connection are its to fill in.
	Decode func(b *Block, in *SourceContext) *Source
}

// SourceContext is what a source decoder may know of the block around it.
type SourceContext struct {
	// Owner names the surrounding block for messages: resource "customer".
	Owner string
	// URI is the template of the owning resource as the user wrote it, or "".
	URI string
	// Params are the parameters in the order of Request.Params.
	Params []*Param
	// HasBody says that a text, json or blob is evaluated over the result.
	HasBody bool
	// Place is "resource", "tool", "list" or "complete".
	Place string
	// MIMEType is the declared media type of the owner, or "".
	MIMEType string

	check func(e *Expr, names map[string]cty.Type) (cty.Value, bool)
}

// Check evaluates a request-time expression of the source with unknown values
// of the declared types; names are what it sees besides param and uri. It
// returns the value, false when a mistake was reported. A parameter that the
// expression names counts as used.
func (c *SourceContext) Check(e *Expr, names map[string]cty.Type) (cty.Value, bool) {
	return c.check(e, names)
}

// Param returns the index of the parameter of that name in Params, or -1.
func (c *SourceContext) Param(name string) int {
	for i, p := range c.Params {
		if p.Name == name {
			return i
		}
	}
	return -1
}

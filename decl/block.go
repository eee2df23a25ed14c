package decl

import (
	"fmt"
	"strconv"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// Block is one decoded block: its attributes are checked against the
// [BlockSpec], static ones are evaluated. Decoders read it through typed
// getters, which return the spec's default, or a zero value, for what is
// absent or was found wrong.
type Block struct {
	Spec   *BlockSpec
	Labels []string
	Range  Range // the header: keyword and labels

	typ         string // the keyword; Spec.Type is the label where the block has variants
	loader      *loader
	labelRanges []Range
	end         int             // the byte behind the block, where that is known
	secrets     bool            // secrets may stand in its static attributes: a connection, a variable
	broken      map[string]bool // inner blocks that are there but could not be decoded
	attrs       map[string]*attribute
	blocks      []*Block
}

type attribute struct {
	spec      *AttrSpec
	hcl       *hcl.Attribute
	value     cty.Value // static types: unmarked, of the spec's cty type; cty.NilVal if wrong
	null      bool      // the static value is null
	secret    bool      // the static value came from env or a sensitive variable
	expr      *Expr
	entries   []NamedExpr // Object
	valueType Type
	conn      *Connection
}

// Has reports whether the attribute stands in the block, with a value other than
// null, which stands for an absent one.
func (b *Block) Has(name string) bool { return b.stands(name) && !b.attrs[name].null }

// stands reports whether the attribute stands in the block, even with null.
func (b *Block) stands(name string) bool { return b.attrs[name] != nil }

// Known reports whether the attribute stands in the block and its static value
// could be evaluated; a mistake in it was reported already.
func (b *Block) Known(name string) bool {
	_, ok := b.static(name)
	return ok
}

// Label returns the label at index i, or "".
func (b *Block) Label(i int) string {
	if i < len(b.Labels) {
		return b.Labels[i]
	}
	return ""
}

// LabelRange returns the place of a label, or the header's.
func (b *Block) LabelRange(i int) Range {
	if i < len(b.labelRanges) {
		return b.labelRanges[i]
	}
	return b.Range
}

// Blocks returns the inner blocks of the type in file order.
func (b *Block) Blocks(typ string) []*Block {
	var out []*Block
	for _, c := range b.blocks {
		if c.typ == typ {
			out = append(out, c)
		}
	}
	return out
}

// Block returns the first inner block of the type, or nil.
func (b *Block) Block(typ string) *Block {
	if all := b.Blocks(typ); len(all) > 0 {
		return all[0]
	}
	return nil
}

// title is how messages name the block: resource "customer".
func (b *Block) title() string {
	t := b.typ
	for _, l := range b.Labels {
		t += " " + strconv.Quote(l)
	}
	return t
}

// AttrRange returns the place of the whole attribute, or the block's header.
func (b *Block) AttrRange(name string) Range {
	if a := b.attrs[name]; a != nil {
		return b.loader.rng(a.hcl.Range)
	}
	return b.Range
}

// NameRange returns the place of the attribute's name, or the block's header.
func (b *Block) NameRange(name string) Range {
	if a := b.attrs[name]; a != nil {
		return b.loader.rng(a.hcl.NameRange)
	}
	return b.Range
}

// ValueRange returns the place of the attribute's value, or the block's header.
func (b *Block) ValueRange(name string) Range {
	if a := b.attrs[name]; a != nil {
		return b.loader.exprRange(a.hcl.Expr)
	}
	return b.Range
}

// At returns the place of n bytes at offset in the string value of the
// attribute: inside a literal the exact place, else that of the whole value.
func (b *Block) At(name string, offset, n int) Range {
	a := b.attrs[name]
	if a == nil {
		return b.Range
	}
	if r, ok := b.loader.literalRange(a.hcl.Expr, offset, n); ok {
		return r
	}
	return b.ValueRange(name)
}

// String returns a static string, or the spec's default.
func (b *Block) String(name string) string {
	if v, ok := b.static(name); ok {
		return v.AsString()
	}
	return b.defaultOf(name)
}

// IsSecret reports whether a static value is or contains a secret.
func (b *Block) IsSecret(name string) bool {
	a := b.attrs[name]
	return a != nil && a.secret
}

// Int returns a static Integer.
func (b *Block) Int(name string) int64 {
	if v, ok := b.static(name); ok {
		n, _ := v.AsBigFloat().Int64()
		return n
	}
	n, _ := strconv.ParseInt(b.defaultOf(name), 10, 64)
	return n
}

// Float returns a static Number.
func (b *Block) Float(name string) float64 {
	if v, ok := b.static(name); ok {
		f, _ := v.AsBigFloat().Float64()
		return f
	}
	f, _ := strconv.ParseFloat(b.defaultOf(name), 64)
	return f
}

// Bool returns a static Bool.
func (b *Block) Bool(name string) bool {
	if v, ok := b.static(name); ok {
		return v.True()
	}
	return b.defaultOf(name) == "true"
}

// Duration returns a static Duration.
func (b *Block) Duration(name string) time.Duration {
	d, _ := ParseDuration(b.String(name))
	return d
}

// Size returns a static Size in bytes.
func (b *Block) Size(name string) int64 {
	n, _ := ParseSize(b.String(name))
	return n
}

// Strings returns a static StringList.
func (b *Block) Strings(name string) []string {
	v, ok := b.static(name)
	if !ok {
		return nil
	}
	var out []string
	for _, e := range v.AsValueSlice() {
		out = append(out, e.AsString())
	}
	return out
}

// Ints returns a static IntList.
func (b *Block) Ints(name string) []int64 {
	v, ok := b.static(name)
	if !ok {
		return nil
	}
	var out []int64
	for _, e := range v.AsValueSlice() {
		n, _ := e.AsBigFloat().Int64()
		out = append(out, n)
	}
	return out
}

// StringMap returns a static StringMap.
func (b *Block) StringMap(name string) map[string]string {
	v, ok := b.static(name)
	if !ok {
		return nil
	}
	out := map[string]string{}
	for k, e := range v.AsValueMap() {
		out[k] = e.AsString()
	}
	return out
}

// Value returns a static AnyValue, or cty.NilVal.
func (b *Block) Value(name string) cty.Value {
	v, _ := b.static(name)
	return v
}

// Expr returns a request-time Expression, or nil.
func (b *Block) Expr(name string) *Expr {
	if a := b.attrs[name]; a != nil {
		return a.expr
	}
	return nil
}

// Exprs returns the entries of a request-time Object in file order.
func (b *Block) Exprs(name string) []NamedExpr {
	if a := b.attrs[name]; a != nil {
		return a.entries
	}
	return nil
}

// Type returns a ValueType; absent it is a string.
func (b *Block) Type(name string) Type {
	if a := b.attrs[name]; a != nil {
		return a.valueType
	}
	return TypeString
}

// Connection returns the connection that a Reference names, or nil.
func (b *Block) Connection(name string) *Connection {
	if a := b.attrs[name]; a != nil {
		return a.conn
	}
	return nil
}

func (b *Block) static(name string) (cty.Value, bool) {
	a := b.attrs[name]
	if a == nil || a.value == cty.NilVal {
		return cty.NilVal, false
	}
	return a.value, true
}

func (b *Block) defaultOf(name string) string {
	spec := b.Spec.attr(name)
	if spec == nil {
		panic(fmt.Sprintf("decl: block %s has no attribute %s in its spec", b.Spec.Type, name))
	}
	return spec.Default
}

// Errorf adds an error at the place and returns it, for a Detail, a Suggestion
// or Data to be set.
func (b *Block) Errorf(at Range, code, format string, args ...any) *Diagnostic {
	return b.loader.add(Error, at, code, format, args...)
}

// Warnf adds a warning like Errorf.
func (b *Block) Warnf(at Range, code, format string, args ...any) *Diagnostic {
	return b.loader.add(Warning, at, code, format, args...)
}

// ResolvePath makes a path of the file relative to the file's own folder.
func (b *Block) ResolvePath(path string) string {
	return b.loader.resolvePath(b.Range.File, path)
}

// ReadFile reads a file that the block names.
func (b *Block) ReadFile(path string) ([]byte, error) { return b.loader.ReadFile(path) }

// FileExists reports whether the path names an existing file or directory.
func (b *Block) FileExists(path string) bool { return b.loader.fileExists(path) }

// IsDir reports whether a path is that of a directory.
func (b *Block) IsDir(path string) bool {
	info, err := b.loader.Stat(path)
	return err == nil && info.IsDir()
}

package decl

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpdecl/mcpdecl/uritmpl"
)

// Param is one parameter of a resource, tool or prompt: its type and the
// constraints of its values, under their JSON Schema names.
type Param struct {
	Name        string
	Type        Type
	Description string
	// Required says that a request always has a value: a variable that the
	// URI cannot leave out, or a tool's parameter without a default.
	Required bool
	// Default is the typed value when the request has none, or nil.
	Default any

	Enum                 []any // typed, of the element type
	Minimum, Maximum     *big.Float
	MinLength, MaxLength *int64
	Pattern              *regexp.Regexp
	Format               string
	AllowDotSegments     bool
	Validations          []Validation
	Complete             *Complete
	Range                Range
}

// Validation is one validation block of a parameter.
type Validation struct {
	Condition, Message *Expr
	Range              Range
}

// Complete is the complete block of a parameter.
type Complete struct {
	Values []string
	Source *Source
	Range  Range
}

// uriParams makes the parameters of a resource: one for each variable of its
// template, in the template's order, with what the param blocks say of them.
func (l *loader) uriParams(b *Block, owner string, t *uritmpl.Template) ([]*Param, map[string]*Block) {
	declared := l.paramBlocks(b)
	var params []*Param
	var names []string
	for _, v := range t.Variables() {
		p := &Param{Name: v.Name, Required: v.Required, Range: b.At("uri", v.Offset, v.Length)}
		if v.List {
			p.Type = TypeStringList
		}
		names = append(names, v.Name)
		if pb := declared[v.Name]; pb != nil {
			l.decodeParam(pb, p)
			l.checkURIParam(pb, p, v)
		}
		params = append(params, p)
	}
	for _, pb := range b.Blocks("param") {
		name := pb.Label(0)
		if !slices.Contains(names, name) && declared[name] == pb {
			d := pb.Errorf(pb.LabelRange(0), "param_not_in_uri", "the uri has no variable %q", name)
			d.Detail = DescribeParams(owner, t.String(), names)
			if mean, candidate := DidYouMean(name, names); candidate != "" {
				d.Detail += " " + mean
				d.Suggestion = fmt.Sprintf("%q", candidate)
			} else {
				d.Detail += fmt.Sprintf(" Add {%s} to the uri, or remove the block.", name)
			}
			delete(declared, name)
		}
	}
	return params, declared
}

// likelyParams makes the parameters of a uri that could not be parsed, from
// whatever looks like a variable in it and from the param blocks, so that what
// refers to them is not reported as well.
func (l *loader) likelyParams(b *Block) ([]*Param, map[string]*Block) {
	params, blocks := l.ownParams(b)
	for _, braces := range bracedText.FindAllString(b.String("uri"), -1) {
		for _, name := range variableName.FindAllString(braces, -1) {
			if blocks[name] == nil && !slices.ContainsFunc(params, func(p *Param) bool { return p.Name == name }) {
				params = append(params, &Param{Name: name})
			}
		}
	}
	return params, blocks
}

var (
	bracedText   = regexp.MustCompile(`\{[^{}]*`)
	variableName = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)
)

// paramBlocks returns the param blocks by name and reports repeated ones.
func (l *loader) paramBlocks(b *Block) map[string]*Block {
	blocks := map[string]*Block{}
	for _, pb := range b.Blocks("param") {
		if first := blocks[pb.Label(0)]; first != nil {
			d := pb.Errorf(pb.Range, "duplicate_name", "the parameter %q is declared twice", pb.Label(0))
			d.Detail = fmt.Sprintf("The first one is at %s. Remove one of them.", first.Range)
			d.Related = []Related{{first.Range, "first here"}}
			continue
		}
		blocks[pb.Label(0)] = pb
	}
	return blocks
}

func (l *loader) checkURIParam(b *Block, p *Param, v uritmpl.Variable) {
	if p.Type.IsList() && !v.List {
		d := b.Errorf(b.ValueRange("type"), "list_not_exploded", "%q cannot be a list", p.Name)
		d.Detail = fmt.Sprintf("A list goes with an exploded variable: write {/%s*} or {?%s*} in the uri.", p.Name, p.Name)
		p.Type = TypeString
	}
	if !p.Type.IsList() && v.List {
		d := b.Errorf(b.ValueRange("type"), "exploded_not_list", "%q is exploded in the uri and must be a list", p.Name)
		d.Detail = fmt.Sprintf("Write type = list(%s), or {%s} without the asterisk.", p.Type, p.Name)
		p.Type = TypeStringList
	}
	if p.Required && b.stands("default") {
		d := b.Warnf(b.AttrRange("default"), "unused_default", "the default of %q is never used", p.Name)
		d.Detail = fmt.Sprintf("The uri always has a value for %s. Make the variable optional ({?%s}), or remove the default.", p.Name, p.Name)
	}
}

// decodeParam fills in what a param block says.
func (l *loader) decodeParam(b *Block, p *Param) {
	p.Range = b.Range
	if b.Has("type") { // else an exploded variable stays a list of strings
		p.Type = b.Type("type")
	}
	p.Description = b.String("description")
	p.AllowDotSegments = b.Bool("allow_dot_segments")
	p.Minimum, p.Maximum = b.bound(p, "minimum"), b.bound(p, "maximum")
	p.MinLength, p.MaxLength = b.length(p, "min_length"), b.length(p, "max_length")
	b.checkOrder("minimum", "maximum")
	b.checkOrder("min_length", "max_length")
	p.Pattern = b.pattern(p)
	if b.Has("format") && b.fits(p, "format", TypeString) {
		p.Format = b.String("format")
	}
	p.Enum = b.enum(p)
	p.Default = b.defaultValue(p)
	for _, v := range b.Blocks("validation") {
		p.Validations = append(p.Validations, Validation{v.Expr("condition"), v.Expr("error_message"), v.Range})
	}
}

// fits reports a constraint that does not go with the parameter's type.
func (b *Block) fits(p *Param, name string, types ...Type) bool {
	if slices.Contains(types, p.Type.Element()) || p.Type.IsList() && strings.HasSuffix(name, "_length") {
		return true
	}
	var names []string
	for _, t := range types {
		names = append(names, t.String())
	}
	d := b.Errorf(b.NameRange(name), "constraint_type", "%s does not apply to %s", name, article(p.Type))
	d.Detail = fmt.Sprintf("It applies to %s. The parameter %q has the type %s; give it another type, or remove %s.",
		list(names), p.Name, p.Type, name)
	return false
}

func article(t Type) string {
	if t == TypeInteger {
		return "an integer"
	}
	return "a " + t.String()
}

func (b *Block) bound(p *Param, name string) *big.Float {
	v, ok := b.static(name)
	if !ok || !b.fits(p, name, TypeInteger, TypeNumber) {
		return nil
	}
	return v.AsBigFloat()
}

func (b *Block) length(p *Param, name string) *int64 {
	if _, ok := b.static(name); !ok || !b.fits(p, name, TypeString) {
		return nil
	}
	n := b.Int(name)
	return &n
}

func (b *Block) checkOrder(low, high string) {
	if lo, ok := b.static(low); ok {
		if hi, ok := b.static(high); ok && lo.AsBigFloat().Cmp(hi.AsBigFloat()) > 0 {
			d := b.Errorf(b.ValueRange(high), "invalid_value", "%s is below %s", high, low)
			d.Detail = "No value can satisfy both. Exchange them, or correct one."
		}
	}
}

func (b *Block) pattern(p *Param) *regexp.Regexp {
	if _, ok := b.static("pattern"); !ok || !b.fits(p, "pattern", TypeString) {
		return nil
	}
	re, err := regexp.Compile(b.String("pattern"))
	if err != nil {
		d := b.Errorf(b.ValueRange("pattern"), "invalid_pattern", "pattern is not a regular expression")
		d.Detail = sentence(err) + " The syntax is RE2, which has no look-around and no back-references."
		return nil
	}
	return re
}

func (b *Block) enum(p *Param) []any {
	v, ok := b.static("enum")
	if !ok {
		return nil
	}
	if !v.CanIterateElements() || v.LengthInt() == 0 {
		d := b.Errorf(b.ValueRange("enum"), "wrong_type", "enum must be a list of values")
		d.Detail = "Write enum = [\"a\", \"b\"]."
		return nil
	}
	var out []any
	for it := v.ElementIterator(); it.Next(); {
		_, e := it.Element()
		typed, err := p.Type.Element().FromCty(e)
		if err != nil || typed == nil {
			d := b.Errorf(b.ValueRange("enum"), "wrong_type", "a value of enum does not have the type %s", p.Type.Element())
			d.Detail = fmt.Sprintf("It is %s. The parameter %q has the type %s.", describeValue(e, false), p.Name, p.Type)
			return nil
		}
		out = append(out, typed)
	}
	return out
}

func (b *Block) defaultValue(p *Param) any {
	v, ok := b.static("default")
	if !ok {
		return nil
	}
	at := b.ValueRange("default")
	typed, err := p.Type.FromCty(v)
	if err != nil {
		d := b.Errorf(at, "wrong_type", "the default of %q does not have the type %s", p.Name, p.Type)
		d.Detail = fmt.Sprintf("It is %s. Write a value of the type, or change the type.", describeValue(v, b.IsSecret("default")))
		return nil
	}
	if broken := p.Check(typed); broken != nil {
		d := b.Errorf(at, "invalid_default", "the default of %q breaks its %s", p.Name, broken.Rule)
		d.Detail = upperFirst(broken.Message) + "."
		return nil
	}
	return typed
}

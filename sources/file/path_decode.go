package file

import (
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/uritmpl"
)

// decodePath checks the path and notes the parameters that it uses.
func decodePath(b *decl.Block, in *decl.SourceContext) (*pathTemplate, []int) {
	if !b.Known("path") {
		return nil, nil
	}
	parsed, uses := in.Template(b, "path")
	if parsed == nil || len(uses) != len(parsed.Variables()) {
		return nil, uses
	}
	d := pathDecoder{block: b, in: in, text: parsed.String(), vars: parsed.Variables()}
	if !d.decode() {
		return nil, uses
	}
	if !validName(d.out.sample()) {
		e := b.Errorf(b.ValueRange("path"), "invalid_path", "path names no file")
		e.Detail = "It is relative to the root and never leaves it, so it has no empty, \".\" or \"..\" segment, and none at its end. Write a path such as \"notes/{name}.md\"."
		return nil, uses
	}
	d.out.inverse = noName
	if utf8.ValidString(d.inverse.String()) {
		d.out.inverse = regexp.MustCompile(`(?s)\A` + d.inverse.String() + `\z`)
	}
	return &d.out, uses
}

// noName matches no text: a path whose own text is not UTF-8 is that of no file
// that a list can show.
var noName = regexp.MustCompile(`[^\s\S]`)

// sample is a path that the template expands to, with "x" for every value.
func (t *pathTemplate) sample() string {
	var b strings.Builder
	for _, p := range t.parts {
		b.WriteString(p.literal)
		for range p.vars {
			if p.op == '/' || p.op == '.' {
				b.WriteByte(p.op)
			}
			b.WriteString("x")
		}
	}
	if t.rooted() {
		return strings.TrimPrefix(b.String(), "/")
	}
	return b.String()
}

// pathDecoder cuts a parsed template into parts.
type pathDecoder struct {
	block   *decl.Block
	in      *decl.SourceContext
	text    string
	vars    []uritmpl.Variable
	inverse strings.Builder
	out     pathTemplate
}

func (d *pathDecoder) decode() bool {
	for i := 0; i < len(d.text); {
		if d.text[i] != '{' {
			end := i + strings.IndexByte(d.text[i:]+"{", '{')
			literal, err := url.PathUnescape(d.text[i:end])
			if err != nil {
				panic("file: a parsed template has a bad triplet: " + err.Error())
			}
			d.out.parts = append(d.out.parts, pathPart{literal: literal})
			d.inverse.WriteString(regexp.QuoteMeta(literal))
			i = end
			continue
		}
		end := i + strings.IndexByte(d.text[i:], '}') + 1
		if !d.expression(i, end) {
			return false
		}
		i = end
	}
	return true
}

// expression decodes text[start:end], with its braces.
func (d *pathDecoder) expression(start, end int) bool {
	n := 0
	for n < len(d.vars) && d.vars[n].Offset < end {
		n++
	}
	vars := d.vars[:n]
	d.vars = d.vars[n:]
	p := pathPart{}
	if vars[0].Operator != "" {
		p.op = vars[0].Operator[0]
	}
	prefix := strings.Contains(d.text[start:end], ":")
	if strings.IndexByte("\x00+./", p.op) < 0 || prefix || len(vars) > 1 && p.op != '/' {
		e := d.block.Errorf(d.block.At("path", start, end-start), "path_expression", "%s does not go in a path", d.text[start:end])
		e.Detail = "A path takes {name} for a part of a name, {+path} for several segments, {/dir*} for a list of segments and {.ext} for an extension."
		return false
	}
	for _, v := range vars {
		i := d.in.Param(v.Name)
		pv := pathVar{d.in.Params[i], i}
		if pv.param.Type.IsList() && !(v.List && p.op == '/') {
			e := d.block.Errorf(d.block.At("path", v.Offset, v.Length), "path_expression", "the list %q does not go in {%s%s}", v.Name, v.Operator, v.Name)
			e.Detail = "Write {/" + v.Name + "*}: each of its values is a segment of the path."
			return false
		}
		p.vars = append(p.vars, pv)
		d.out.vars = append(d.out.vars, pv)
		d.inverse.WriteString(inverseOf(p.op, pv.param.Type.IsList()))
	}
	d.out.parts = append(d.out.parts, p)
	return true
}

// inverseOf is the expression whose one group is a variable's text; of a list
// its values with a slash before each.
func inverseOf(op byte, list bool) string {
	switch {
	case list:
		return `((?:/[^/]+)*)`
	case op == '+':
		return `(.+)`
	case op == '/':
		return `(?:/([^/]+))?`
	case op == '.':
		return `(?:\.([^/.]+))?`
	default:
		return `([^/]+)`
	}
}

// deepVariables are the variables of the owner's URI whose values may span
// several segments.
func deepVariables(in *decl.SourceContext) map[string]bool {
	deep := map[string]bool{}
	t, err := uritmpl.Parse(in.URI)
	if err != nil {
		return deep
	}
	for _, v := range t.Variables() {
		deep[v.Name] = v.MultiSegment
	}
	return deep
}

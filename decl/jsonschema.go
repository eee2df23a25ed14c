package decl

import (
	"strconv"
	"strings"
)

// JSONSchema returns the JSON Schema (draft 2020-12) of the HCL JSON form of a
// configuration, made from the same specs as the loader's checks.
func JSONSchema(k Kinds) map[string]any {
	g := &schemaMaker{defs: map[string]any{}}
	s := g.body(RootSpec(k))
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "mcpdecl configuration"
	s["description"] = "The HCL JSON form (*.hcl.json) of an mcpdecl configuration."
	s["$defs"] = g.defs
	return s
}

// schemaMaker keeps one definition for each spec, however often it is used.
type schemaMaker struct {
	defs map[string]any
}

// body is the schema of what stands between the braces of a block.
func (g *schemaMaker) body(spec *BlockSpec) map[string]any {
	props := map[string]any{"//": map[string]any{"description": "A comment."}}
	var required []string
	for _, a := range spec.Attrs {
		props[a.Name] = attrSchema(a)
		if a.Required {
			required = append(required, a.Name)
		}
	}
	for _, b := range spec.Blocks {
		props[b.Type] = g.labelled(b)
		if b.Required {
			required = append(required, b.Type)
		}
	}
	s := map[string]any{"type": "object", "properties": props, "additionalProperties": false}
	if spec.Type == "locals" {
		delete(s, "additionalProperties") // each attribute is a name of the user's
	}
	if len(required) > 0 {
		s["required"] = required
	}
	if spec.Doc != "" {
		s["description"] = spec.Doc
	}
	return s
}

// labelled is the schema of a block's property: an object level for each
// label, then the body, where a list of bodies is allowed too.
func (g *schemaMaker) labelled(b *BlockSpec) map[string]any {
	if b.Open {
		props := map[string]any{}
		for _, v := range b.Variants {
			props[v.Type] = nest(g.ref(b.Type+"_"+v.Type, v), len(b.Labels)-1)
		}
		return oneOrMore(map[string]any{"type": "object", "properties": props, "additionalProperties": false})
	}
	return nest(g.ref(b.Type, b), len(b.Labels))
}

func (g *schemaMaker) ref(name string, spec *BlockSpec) map[string]any {
	// A tool inside a resource is another block than one at the top.
	if spec.Type == "tool" && len(spec.Labels) == 0 {
		name = "resource_tool"
	}
	if _, done := g.defs[name]; !done {
		g.defs[name] = true // before its body, which may refer to it
		g.defs[name] = g.body(spec)
	}
	return map[string]any{"$ref": "#/$defs/" + name}
}

func nest(body map[string]any, labels int) map[string]any {
	s := oneOrMore(body)
	for range labels {
		s = oneOrMore(map[string]any{"type": "object", "additionalProperties": s})
	}
	return s
}

func oneOrMore(s map[string]any) map[string]any {
	return map[string]any{"anyOf": []any{s, map[string]any{"type": "array", "items": s}}}
}

// attrSchema is the schema of an attribute. In the JSON form a string may hold
// an expression ("${var.limit}"), so every type takes a string as well.
func attrSchema(a AttrSpec) map[string]any {
	s := map[string]any{}
	text := map[string]any{"type": "string"}
	expression := map[string]any{"type": "string", "pattern": `\$\{`}
	switch a.Type {
	case Integer:
		whole := map[string]any{"type": "integer"}
		if n, err := strconv.Atoi(a.Min); err == nil {
			whole["minimum"] = n
		}
		s["anyOf"] = []any{whole, expression}
	case Number:
		s["anyOf"] = []any{map[string]any{"type": "number"}, expression}
	case Bool:
		s["anyOf"] = []any{map[string]any{"type": "boolean"}, expression}
	case StringList:
		s["anyOf"] = []any{map[string]any{"type": "array", "items": text}, expression}
	case IntList:
		s["anyOf"] = []any{map[string]any{"type": "array", "items": map[string]any{"type": "integer"}}, expression}
	case StringMap, Object:
		s["anyOf"] = []any{map[string]any{"type": "object"}, expression}
	case ValueType:
		s["enum"] = typeNames
	case AnyValue, Expression:
		// any JSON value
	default:
		s["type"] = "string"
		if len(a.Enum) > 0 {
			delete(s, "type")
			s["anyOf"] = []any{map[string]any{"enum": a.Enum}, expression}
		}
	}
	doc := a.Doc
	if a.Default != "" {
		doc = strings.TrimSuffix(doc, ".") + ". Default: " + a.Default + "."
	}
	if doc != "" {
		s["description"] = doc
	}
	return s
}

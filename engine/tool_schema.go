package engine

import (
	"encoding/json"

	"github.com/mcpdecl/mcpdecl/decl"
)

// objectSchema is the JSON Schema of a tool's arguments; properties keep the
// order of the declaration.
type objectSchema struct {
	Type       string     `json:"type"`
	Properties properties `json:"properties"`
	Required   []string   `json:"required,omitempty"`
	Additional bool       `json:"additionalProperties"`
}

type properties []property

type property struct {
	name   string
	schema valueSchema
}

type valueSchema struct {
	Type        string       `json:"type"`
	Items       *valueSchema `json:"items,omitempty"`
	Description string       `json:"description,omitempty"`
	Enum        []any        `json:"enum,omitempty"`
	Minimum     json.Number  `json:"minimum,omitempty"`
	Maximum     json.Number  `json:"maximum,omitempty"`
	MinLength   *int64       `json:"minLength,omitempty"`
	MaxLength   *int64       `json:"maxLength,omitempty"`
	MinItems    *int64       `json:"minItems,omitempty"`
	MaxItems    *int64       `json:"maxItems,omitempty"`
	Pattern     string       `json:"pattern,omitempty"`
	Format      string       `json:"format,omitempty"`
	Default     any          `json:"default,omitempty"`
}

// MarshalJSON writes an object whose members are in order.
func (p properties) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, one := range p {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := json.Marshal(one.name)
		if err != nil {
			return nil, err
		}
		schema, err := json.Marshal(one.schema)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), schema...)
	}
	return append(out, '}'), nil
}

// inputSchema makes the JSON Schema of the parameters.
func inputSchema(params []*decl.Param) json.RawMessage {
	s := objectSchema{Type: "object", Properties: properties{}}
	for _, p := range params {
		s.Properties = append(s.Properties, property{p.Name, paramSchema(p)})
		if p.Required {
			s.Required = append(s.Required, p.Name)
		}
	}
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err) // every value in it was checked at load
	}
	return raw
}

var schemaTypes = map[decl.Type]string{
	decl.TypeString: "string", decl.TypeInteger: "integer", decl.TypeNumber: "number", decl.TypeBool: "boolean",
}

// paramSchema puts the constraints of a list's entries into items.
func paramSchema(p *decl.Param) valueSchema {
	one := valueSchema{Type: schemaTypes[p.Type.Element()], Enum: p.Enum, Format: p.Format}
	if p.Minimum != nil {
		one.Minimum = json.Number(p.Minimum.Text('f', -1))
	}
	if p.Maximum != nil {
		one.Maximum = json.Number(p.Maximum.Text('f', -1))
	}
	if p.Pattern != nil {
		one.Pattern = p.Pattern.String()
	}
	if !p.Type.IsList() {
		one.MinLength, one.MaxLength = p.MinLength, p.MaxLength
		one.Description, one.Default = p.Description, p.Default
		return one
	}
	return valueSchema{
		Type: "array", Items: &one, MinItems: p.MinLength, MaxItems: p.MaxLength,
		Description: p.Description, Default: p.Default,
	}
}

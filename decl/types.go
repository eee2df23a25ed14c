package decl

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"
)

// Type is the type of a parameter.
type Type int

// The parameter types. A value of each is held as: string, int64, float64,
// bool, []string, []int64; nil is null.
const (
	TypeString Type = iota
	TypeInteger
	TypeNumber
	TypeBool
	TypeStringList
	TypeIntegerList
)

var typeNames = []string{"string", "integer", "number", "bool", "list(string)", "list(integer)"}

func (t Type) String() string { return typeNames[t] }

// IsList reports whether the type is a list.
func (t Type) IsList() bool { return t >= TypeStringList }

// Element returns the type of a list's elements, or the type itself.
func (t Type) Element() Type {
	switch t {
	case TypeStringList:
		return TypeString
	case TypeIntegerList:
		return TypeInteger
	default:
		return t
	}
}

// CtyType is the type as expressions see it.
func (t Type) CtyType() cty.Type {
	switch t {
	case TypeInteger, TypeNumber:
		return cty.Number
	case TypeBool:
		return cty.Bool
	case TypeStringList:
		return cty.List(cty.String)
	case TypeIntegerList:
		return cty.List(cty.Number)
	default:
		return cty.String
	}
}

// Cty turns a value of the type into what expressions see.
func (t Type) Cty(v any) cty.Value {
	switch v := v.(type) {
	case nil:
		return cty.NullVal(t.CtyType())
	case string:
		return cty.StringVal(v)
	case int64:
		return cty.NumberIntVal(v)
	case float64:
		return cty.NumberFloatVal(v)
	case bool:
		return cty.BoolVal(v)
	case []string:
		return listVal(v, cty.String, cty.StringVal)
	case []int64:
		return listVal(v, cty.Number, cty.NumberIntVal)
	}
	panic(fmt.Sprintf("decl: a parameter holds a %T", v))
}

func listVal[T any](vs []T, t cty.Type, one func(T) cty.Value) cty.Value {
	if len(vs) == 0 {
		return cty.ListValEmpty(t)
	}
	out := make([]cty.Value, len(vs))
	for i, v := range vs {
		out[i] = one(v)
	}
	return cty.ListVal(out)
}

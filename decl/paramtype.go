package decl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// FromCty turns a static value into a typed one; null gives nil.
func (t Type) FromCty(v cty.Value) (any, error) {
	if v.IsNull() {
		return nil, nil
	}
	if !isExact(v.Type(), t.CtyType()) {
		return nil, fmt.Errorf("a %s is not a %s", v.Type().FriendlyName(), t)
	}
	c, err := convert.Convert(v, t.CtyType())
	if err != nil {
		return nil, err
	}
	if t.IsList() {
		return listFromCty(t, c)
	}
	switch t {
	case TypeInteger:
		if !c.AsBigFloat().IsInt() || !isInt64(c.AsBigFloat()) {
			return nil, fmt.Errorf("%s is not an integer of 64 bits", c.AsBigFloat().Text('f', -1))
		}
		n, _ := c.AsBigFloat().Int64()
		return n, nil
	case TypeNumber:
		f, _ := c.AsBigFloat().Float64()
		return f, nil
	case TypeBool:
		return c.True(), nil
	}
	return c.AsString(), nil
}

func listFromCty(t Type, v cty.Value) (any, error) {
	strs, ints := []string{}, []int64{}
	for _, e := range v.AsValueSlice() {
		one, err := t.Element().FromCty(e)
		if err != nil {
			return nil, err
		}
		switch one := one.(type) {
		case string:
			strs = append(strs, one)
		case int64:
			ints = append(ints, one)
		default:
			return nil, fmt.Errorf("a list has no null")
		}
	}
	if t == TypeIntegerList {
		return ints, nil
	}
	return strs, nil
}

// valueType reads type = integer, list(string), ...
func (b *Block) valueType(a *attribute) Type {
	at := b.loader.exprRange(a.hcl.Expr)
	word := hcl.ExprAsKeyword(a.hcl.Expr)
	if call, diags := hcl.ExprCall(a.hcl.Expr); word == "" && !diags.HasErrors() && len(call.Arguments) == 1 {
		word = call.Name + "(" + hcl.ExprAsKeyword(call.Arguments[0]) + ")"
	}
	if i := slices.Index(typeNames, word); i >= 0 {
		return Type(i)
	}
	d := b.Errorf(at, "unknown_type", "no parameter type is written %s", b.loader.text(at))
	d.Detail = "The types are " + list(typeNames) + ", without quotes."
	if strings.HasSuffix(at.File, ".json") {
		d.Detail = "The types are " + list(typeNames) + "."
	}
	if s := typeMeant(word, strings.Trim(b.loader.text(at), `"`)); s != "" {
		d.Suggestion = s
		d.Detail += " Did you mean " + s + "?"
	}
	return TypeString
}

// typeMeant knows the words of other languages for our types.
func typeMeant(word, text string) string {
	synonyms := map[string]string{
		"int": "integer", "int64": "integer", "long": "integer", "float": "number", "double": "number",
		"decimal": "number", "boolean": "bool", "str": "string", "text": "string",
		"list": "list(string)", "list(number)": "list(integer)", "list(int)": "list(integer)", "array": "list(string)",
		"set(string)": "list(string)",
	}
	for _, w := range []string{word, text} {
		if slices.Contains(typeNames, w) {
			return w
		}
		if s := synonyms[strings.ToLower(w)]; s != "" {
			return s
		}
		if s := suggest(w, typeNames); s != "" && w != "" {
			return s
		}
	}
	return ""
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/mcpdecl/mcpdecl/decl"
)

// decodeArgs makes the typed values of the parameters from the arguments of a
// tool call; what is absent or null has its default, or is null.
func decodeArgs(params []*decl.Param, raw json.RawMessage) ([]any, *decl.Broken) {
	var args map[string]any
	if len(raw) > 0 {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber() // an int64 is more than a double carries
		if err := dec.Decode(&args); err != nil {
			return nil, &decl.Broken{Parameter: "arguments", Rule: "type", Message: "the arguments are not an object"}
		}
	}
	for name := range args {
		if !slices.ContainsFunc(params, func(p *decl.Param) bool { return p.Name == name }) {
			return nil, &decl.Broken{Parameter: name, Rule: "unknown", Message: "the tool has no such parameter"}
		}
	}
	out := make([]any, len(params))
	for i, p := range params {
		v, ok := args[p.Name]
		if !ok || v == nil {
			if p.Required {
				return nil, &decl.Broken{Parameter: p.Name, Rule: "required", Message: "it is required"}
			}
			out[i] = p.Default
			continue
		}
		typed, err := fromJSON(p.Type, v)
		if err != nil {
			return nil, &decl.Broken{Parameter: p.Name, Rule: "type", Message: err.Error()}
		}
		if broken := p.Check(typed); broken != nil {
			return nil, broken
		}
		out[i] = typed
	}
	return out, nil
}

// fromJSON takes a JSON value for a parameter of the type, without converting
// one type to another.
func fromJSON(t decl.Type, v any) (any, error) {
	wrong := func() error { return fmt.Errorf("%s is not of type %s", jsonText(v), t) }
	if t.IsList() {
		items, ok := v.([]any)
		if !ok {
			return nil, wrong()
		}
		return listFromJSON(t, items)
	}
	switch v := v.(type) {
	case string:
		if t == decl.TypeString {
			return v, nil
		}
	case bool:
		if t == decl.TypeBool {
			return v, nil
		}
	case json.Number:
		switch t {
		case decl.TypeInteger:
			if n, ok := integer(v); ok {
				return n, nil
			}
		case decl.TypeNumber:
			if f, err := v.Float64(); err == nil {
				return f, nil
			}
		}
	}
	return nil, wrong()
}

func listFromJSON(t decl.Type, items []any) (any, error) {
	strs, ints := []string{}, []int64{}
	for _, item := range items {
		one, err := fromJSON(t.Element(), item)
		if err != nil {
			return nil, err
		}
		switch one := one.(type) {
		case string:
			strs = append(strs, one)
		case int64:
			ints = append(ints, one)
		}
	}
	if t == decl.TypeIntegerList {
		return ints, nil
	}
	return strs, nil
}

// integer takes 5 and, as JSON Schema does, 5.0.
func integer(n json.Number) (int64, bool) {
	if i, err := n.Int64(); err == nil {
		return i, true
	}
	f, err := n.Float64()
	const most = 1 << 53
	return int64(f), err == nil && f == math.Trunc(f) && math.Abs(f) <= most
}

func jsonText(v any) string {
	b, _ := json.Marshal(v)
	const most = 80
	if len(b) > most {
		return string(b[:most]) + "..."
	}
	return string(b)
}

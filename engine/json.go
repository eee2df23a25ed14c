package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/zclconf/go-cty/cty"
)

// appendJSON writes the value of a json expression. Object keys are in the
// order of their names, as the language has it; numbers follow the rule of SQL
// results: what a double cannot carry exactly is a string of its digits.
func appendJSON(b *bytes.Buffer, v cty.Value) error {
	plain, marks := v.Unmark()
	if !plain.IsKnown() {
		return fmt.Errorf("encode json: a value is not known")
	}
	if plain.IsNull() {
		b.WriteString("null")
		return nil
	}
	switch t := plain.Type(); {
	case t == cty.String:
		return appendString(b, plain.AsString())
	case t == cty.Bool:
		b.WriteString(strconv.FormatBool(plain.True()))
	case t == cty.Number:
		appendNumber(b, plain.WithMarks(marks))
	case t.IsObjectType() || t.IsMapType():
		return appendObject(b, plain)
	case t.IsTupleType() || t.IsListType() || t.IsSetType():
		return appendArray(b, plain)
	default:
		return fmt.Errorf("encode json: no JSON form for %s", t.FriendlyName())
	}
	return nil
}

func appendObject(b *bytes.Buffer, v cty.Value) error {
	b.WriteByte('{')
	first := true
	for it := v.ElementIterator(); it.Next(); {
		k, e := it.Element()
		if !first {
			b.WriteByte(',')
		}
		first = false
		if err := appendString(b, k.AsString()); err != nil {
			return err
		}
		b.WriteByte(':')
		if err := appendJSON(b, e); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

func appendArray(b *bytes.Buffer, v cty.Value) error {
	b.WriteByte('[')
	first := true
	for it := v.ElementIterator(); it.Next(); {
		_, e := it.Element()
		if !first {
			b.WriteByte(',')
		}
		first = false
		if err := appendJSON(b, e); err != nil {
			return err
		}
	}
	b.WriteByte(']')
	return nil
}

// appendString writes a JSON string without the escapes for HTML.
func appendString(b *bytes.Buffer, s string) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return fmt.Errorf("encode json: %w", err)
	}
	b.Truncate(b.Len() - 1) // the encoder's newline
	return nil
}

func appendNumber(b *bytes.Buffer, v cty.Value) {
	digits, plain := decl.Digits(v)
	f := plain.AsBigFloat()
	if sources.ExactDecimal(digits) {
		b.WriteString(digits)
		return
	}
	double, _ := f.Float64()
	if f.IsInt() && new(big.Float).SetFloat64(double).Cmp(f) != 0 {
		b.WriteString(`"` + digits + `"`)
		return
	}
	if f.IsInt() {
		b.WriteString(digits)
		return
	}
	// A computed fraction, such as 1/3, has no exact digits to keep.
	out, _ := json.Marshal(double)
	b.Write(out)
}

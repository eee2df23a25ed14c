package http

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/zclconf/go-cty/cty"
)

// appendValue writes a value as JSON, numbers with all their digits. An object
// that stands in the document is written as it stands there.
func appendValue(b []byte, v cty.Value, d *document) ([]byte, error) {
	plain, marks := v.Unmark()
	if !plain.IsKnown() {
		return nil, errors.New("encode json: a value is not known")
	}
	if plain.IsNull() {
		return append(b, "null"...), nil
	}
	switch t := plain.Type(); {
	case t == cty.String:
		return appendText(b, plain.AsString()), nil
	case t == cty.Bool:
		return strconv.AppendBool(b, plain.True()), nil
	case t == cty.Number:
		if len(marks) == 0 {
			if i, exact := plain.AsBigFloat().Int64(); exact == big.Exact && i != 0 {
				return strconv.AppendInt(b, i, 10), nil
			}
		}
		digits, _ := decl.Digits(plain.WithMarks(marks))
		return append(b, digits...), nil
	case t.IsObjectType() || t.IsMapType():
		return appendObject(b, plain, d)
	case t.IsTupleType() || t.IsListType() || t.IsSetType():
		return appendArray(b, plain, d)
	}
	return nil, fmt.Errorf("encode json: no JSON form for %s", plain.Type().FriendlyName())
}

func appendObject(b []byte, v cty.Value, d *document) ([]byte, error) {
	raw, keys := d.find(v)
	if raw != nil {
		return append(b, raw...), nil
	}
	attrs := v.AsValueMap()
	if keys == nil {
		for k := range attrs {
			keys = append(keys, k)
		}
		slices.Sort(keys)
	}
	b = append(b, '{')
	for i, k := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, k), ':')
		var err error
		if b, err = appendValue(b, attrs[k], d); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

func appendArray(b []byte, v cty.Value, d *document) ([]byte, error) {
	b = append(b, '[')
	first := true
	for it := v.ElementIterator(); it.Next(); {
		if !first {
			b = append(b, ',')
		}
		first = false
		_, e := it.Element()
		var err error
		if b, err = appendValue(b, e, d); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

// appendText writes a JSON string without the escapes for HTML.
func appendText(b []byte, s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can always be encoded
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}

// shape is the set of an object's keys.
func shape(v cty.Value) string {
	types := v.Type().AttributeTypes()
	keys := make([]string, 0, len(types))
	for k := range types {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return strings.Join(keys, "\x00")
}

// find returns the text of an object as it stands in the document, or else the
// order of its keys where an object with the same ones stands there. Objects
// are mostly asked for in their order, so the search goes on where the last
// one ended; it is given up when it has gone through them for a second time.
func (d *document) find(v cty.Value) (raw []byte, keys []string) {
	if d == nil || !v.Type().IsObjectType() {
		return nil, nil
	}
	s := shape(v)
	all := d.objects[s]
	if len(all) == 0 {
		return nil, nil
	}
	from := d.next[s]
	for i := range all {
		if d.misses[s] > 2*len(all) {
			break
		}
		o := all[(from+i)%len(all)]
		if same(o.value, v) {
			d.next[s] = (from + i + 1) % len(all)
			return d.src[o.off:o.end], nil
		}
		d.misses[s]++
	}
	return nil, d.keysOf(all[0])
}

// same reports whether two values are equal down to the spelling of their
// numbers. cty's own comparison writes every number out.
func same(a, b cty.Value) bool {
	a, am := a.Unmark()
	b, bm := b.Unmark()
	if !am.Equal(bm) || !a.IsKnown() || !b.IsKnown() || a.IsNull() != b.IsNull() {
		return false
	}
	switch t := a.Type(); {
	case a.IsNull():
		return true
	case t == cty.String:
		return b.Type() == cty.String && a.AsString() == b.AsString()
	case t == cty.Bool:
		return b.Type() == cty.Bool && a.True() == b.True()
	case t == cty.Number:
		return b.Type() == cty.Number && a.AsBigFloat().Cmp(b.AsBigFloat()) == 0
	case t.IsObjectType() && b.Type().IsObjectType():
		if len(t.AttributeTypes()) != len(b.Type().AttributeTypes()) {
			return false
		}
		for name := range t.AttributeTypes() {
			if !b.Type().HasAttribute(name) || !same(a.GetAttr(name), b.GetAttr(name)) {
				return false
			}
		}
		return true
	case t.IsTupleType() && b.Type().IsTupleType():
		return slices.EqualFunc(a.AsValueSlice(), b.AsValueSlice(), same)
	}
	return false
}

// keysOf are the keys of an object in their order.
func (d *document) keysOf(o object) []string {
	at := &document{src: d.src[o.off:o.end]}
	var keys []string
	for at.pos = 1; ; at.pos++ {
		at.space()
		if at.src[at.pos] == '}' {
			return keys
		}
		if k := cty.NormalizeString(at.text()); !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
		at.space()
		at.pos++
		_, _ = at.value(0)
		at.space()
		if at.src[at.pos] == '}' {
			return keys
		}
	}
}

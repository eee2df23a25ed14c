package http

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/zclconf/go-cty/cty"
)

// maxDepth is how deep a body may nest to become a value.
const maxDepth = 500

// numbers says what a JSON number becomes.
type numbers int

const (
	// exactNumbers keep their digits through a json expression.
	exactNumbers numbers = iota
	// textNumbers are strings where the number would be written otherwise.
	textNumbers
)

func isJSONText(body []byte) bool {
	trimmed := bytes.TrimLeft(body, " \t\r\n")
	return len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid(body)
}

// document is a JSON text with the values that its objects have become, so
// that an object that is picked out of it can be written as it was.
type document struct {
	src     []byte
	numbers numbers
	pos     int
	keep    bool
	objects map[string][]object // by their shape
	next    map[string]int      // where the search in objects goes on
	misses  map[string]int      // objects that were looked at in vain
}

// object is one object of a document.
type object struct {
	off, end int
	value    cty.Value
}

// parseJSON makes a value of a text. With keep, its objects can be found again.
func parseJSON(src []byte, n numbers, keep bool) (cty.Value, *document, error) {
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	if !json.Valid(src) {
		return cty.NilVal, nil, &BodyError{Reason: "it is not valid JSON"}
	}
	d := &document{src: src, numbers: n, keep: keep, objects: map[string][]object{}, next: map[string]int{}, misses: map[string]int{}}
	v, err := d.value(0)
	return v, d, err
}

func (d *document) space() {
	for d.pos < len(d.src) && strings.IndexByte(" \t\r\n", d.src[d.pos]) >= 0 {
		d.pos++
	}
}

// value reads the next value; the text is known to be valid.
func (d *document) value(depth int) (cty.Value, error) {
	if depth > maxDepth {
		return cty.NilVal, &BodyError{Reason: fmt.Sprintf("it nests deeper than %d levels", maxDepth)}
	}
	d.space()
	switch d.src[d.pos] {
	case '{':
		return d.object(depth)
	case '[':
		return d.array(depth)
	case '"':
		return cty.StringVal(d.text()), nil
	case 't':
		d.pos += len("true")
		return cty.True, nil
	case 'f':
		d.pos += len("false")
		return cty.False, nil
	case 'n':
		d.pos += len("null")
		return cty.NullVal(cty.DynamicPseudoType), nil
	}
	start := d.pos
	for d.pos < len(d.src) && strings.IndexByte("+-.0123456789eE", d.src[d.pos]) >= 0 {
		d.pos++
	}
	return number(string(d.src[start:d.pos]), d.numbers)
}

func (d *document) object(depth int) (cty.Value, error) {
	start := d.pos
	attrs := map[string]cty.Value{}
	for d.pos++; ; d.pos++ { // past the brace, or a comma
		d.space()
		if d.src[d.pos] == '}' {
			break
		}
		key := d.text()
		d.space()
		d.pos++ // the colon
		v, err := d.value(depth + 1)
		if err != nil {
			return cty.NilVal, err
		}
		attrs[key] = v
		d.space()
		if d.src[d.pos] == '}' {
			break
		}
	}
	d.pos++
	v := cty.ObjectVal(attrs)
	if d.keep {
		s := shape(v)
		d.objects[s] = append(d.objects[s], object{start, d.pos, v})
	}
	return v, nil
}

func (d *document) array(depth int) (cty.Value, error) {
	vals := []cty.Value{}
	for d.pos++; ; d.pos++ {
		d.space()
		if d.src[d.pos] == ']' {
			break
		}
		v, err := d.value(depth + 1)
		if err != nil {
			return cty.NilVal, err
		}
		vals = append(vals, v)
		d.space()
		if d.src[d.pos] == ']' {
			break
		}
	}
	d.pos++
	return cty.TupleVal(vals), nil
}

// text reads a string with its quotes.
func (d *document) text() string {
	start, plain := d.pos, true
	for d.pos++; d.src[d.pos] != '"'; d.pos++ {
		if d.src[d.pos] == '\\' {
			d.pos++
			plain = false
		}
	}
	d.pos++
	if plain {
		return string(d.src[start+1 : d.pos-1])
	}
	var s string
	_ = json.Unmarshal(d.src[start:d.pos], &s) // it is valid
	return s
}

// maxExactDigits is how many significant digits a double always carries.
const maxExactDigits = 15

// number makes a value of a JSON number without losing a digit. A fraction
// with more digits than a double carries, and a number of an extreme size,
// become strings.
func number(digits string, n numbers) (cty.Value, error) {
	if i, err := strconv.ParseInt(digits, 10, 64); err == nil && digits != "-0" {
		return cty.NumberIntVal(i), nil // the same, without the work
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(digits), "e")
	if e, err := strconv.Atoi(exponent); exponent != "" && (err != nil || e > 400 || e < -400) || len(digits) > 400 {
		return cty.StringVal(digits), nil
	}
	plain := decl.PlainNumber(digits)
	if n == exactNumbers {
		significant := strings.TrimLeft(strings.ReplaceAll(strings.TrimPrefix(mantissa, "-"), ".", ""), "0")
		if strings.ContainsAny(digits, ".eE") && len(significant) > maxExactDigits {
			return cty.StringVal(digits), nil
		}
		if !plain {
			return decl.NumberVal(digits)
		}
	} else if !plain {
		return cty.StringVal(digits), nil
	}
	return cty.ParseNumberVal(digits)
}

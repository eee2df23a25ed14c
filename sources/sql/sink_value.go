package sql

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/zclconf/go-cty/cty"
)

// valueSink makes the values that text and json expressions see.
type valueSink struct {
	source *source
	req    *sources.Request
	json   bool
	cols   []column
	rows   []cty.Value
	uris   []string
	bytes  int64
}

func (s *valueSink) begin(cols []column) { s.cols = cols }

func (s *valueSink) row(cells []cell) error {
	for i := range cells {
		s.bytes += int64(8 + len(cells[i].text) + len(cells[i].bytes))
	}
	if limit := s.source.limits.maxBytes; s.bytes > limit {
		return &TooLargeError{Limit: limit}
	}
	row, err := rowValue(s.cols, cells, s.json)
	if err != nil {
		return err
	}
	s.rows = append(s.rows, row)
	if s.source.settings.rows != rowsEach {
		return nil
	}
	uri, err := s.source.itemURI(s.req, s.cols, cells)
	s.uris = append(s.uris, uri)
	return err
}

func (s *valueSink) result(rows int) (*sources.Result, error) {
	scope := map[string]cty.Value{"rows": cty.EmptyTupleVal}
	if rows > 0 {
		scope["rows"] = cty.TupleVal(s.rows)
	}
	if s.source.settings.rows == rowsOne {
		scope["row"] = cty.NullVal(cty.DynamicPseudoType)
		if rows > 0 {
			scope["row"] = s.rows[0]
		}
	}
	return &sources.Result{Scope: scope, ItemURIs: s.uris}, nil
}

// rowValue makes an object of a row.
func rowValue(cols []column, cells []cell, forJSON bool) (cty.Value, error) {
	attrs := make(map[string]cty.Value, len(cols))
	for i := range cells {
		v, err := cellValue(&cells[i], forJSON)
		if err != nil {
			return cty.NilVal, fmt.Errorf("convert column %q: %w", cols[i].name, err)
		}
		attrs[cols[i].name] = v
	}
	return cty.ObjectVal(attrs), nil
}

// cellValue makes what an expression sees. In json a number that a double
// cannot carry is a string of its digits, as it is in rendered rows; in text a
// decimal is a string, so that 10.00 stays 10.00.
func cellValue(c *cell, forJSON bool) (cty.Value, error) {
	switch c.kind {
	case cellNull:
		return cty.NullVal(cty.DynamicPseudoType), nil
	case cellInt:
		if forJSON && !exactInt(c.n) {
			return cty.StringVal(strconv.FormatInt(c.n, 10)), nil
		}
		return cty.NumberIntVal(c.n), nil
	case cellUint:
		if forJSON && !exactUint(uint64(c.n)) {
			return cty.StringVal(strconv.FormatUint(uint64(c.n), 10)), nil
		}
		return cty.NumberUIntVal(uint64(c.n)), nil
	case cellFloat:
		if s := specialFloat(c.f); s != "" {
			return cty.StringVal(s), nil
		}
		if c.f == 0 && math.Signbit(c.f) {
			return cty.Zero, nil
		}
		return cty.ParseNumberVal(strconv.FormatFloat(c.f, 'f', -1, 64))
	case cellDigits:
		digits := strings.Clone(c.text) // a cell's text does not outlive its row
		if forJSON && sources.ExactDecimal(digits) && isNumber(digits) {
			return decl.NumberVal(digits)
		}
		return cty.StringVal(digits), nil
	case cellBool:
		return cty.BoolVal(c.n != 0), nil
	case cellJSON:
		return jsonValue(c.text, forJSON)
	case cellBinary:
		return cty.StringVal(base64.StdEncoding.EncodeToString(c.bytes)), nil
	}
	return cty.StringVal(strings.Clone(validText(c.text))), nil
}

// jsonValue reads a JSON column with the digits of its numbers untouched.
func jsonValue(text string, forJSON bool) (cty.Value, error) {
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.UseNumber()
	v, err := jsonNext(dec, forJSON, maxDepth)
	if err != nil {
		return cty.NilVal, fmt.Errorf("read json value: %w", err)
	}
	return v, nil
}

// maxDepth is how deep a JSON value may nest, as in encoding/json; the decoder
// of tokens has no limit of its own, and neither has the stack.
const maxDepth = 10000

func jsonNext(dec *json.Decoder, forJSON bool, depth int) (cty.Value, error) {
	if depth == 0 {
		return cty.NilVal, fmt.Errorf("it nests deeper than %d levels", maxDepth)
	}
	tok, err := dec.Token()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return cty.NilVal, err
	}
	switch t := tok.(type) {
	case string:
		return cty.StringVal(t), nil
	case bool:
		return cty.BoolVal(t), nil
	case json.Number:
		return jsonNumber(string(t), forJSON)
	case json.Delim:
		if t == '[' {
			return jsonArray(dec, forJSON, depth-1)
		}
		return jsonObject(dec, forJSON, depth-1)
	}
	return cty.NullVal(cty.DynamicPseudoType), nil
}

func jsonNumber(digits string, forJSON bool) (cty.Value, error) {
	if forJSON {
		return decl.NumberVal(digits)
	}
	v, err := cty.ParseNumberVal(digits)
	if err == nil && v.AsBigFloat().Text('f', -1) != digits {
		return cty.StringVal(digits), nil
	}
	return v, err
}

func jsonArray(dec *json.Decoder, forJSON bool, depth int) (cty.Value, error) {
	vals := []cty.Value{}
	for dec.More() {
		v, err := jsonNext(dec, forJSON, depth)
		if err != nil {
			return cty.NilVal, err
		}
		vals = append(vals, v)
	}
	_, err := dec.Token()
	return cty.TupleVal(vals), err
}

func jsonObject(dec *json.Decoder, forJSON bool, depth int) (cty.Value, error) {
	attrs := map[string]cty.Value{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return cty.NilVal, err
		}
		v, err := jsonNext(dec, forJSON, depth)
		if err != nil {
			return cty.NilVal, err
		}
		attrs[key.(string)] = v
	}
	_, err := dec.Token()
	return cty.ObjectVal(attrs), err
}

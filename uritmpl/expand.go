package uritmpl

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Pair is one entry of an associative array. Expand takes []Pair where the
// order of the entries matters; of a map it takes the keys in sorted order.
type Pair struct {
	Key   string
	Value any
}

// Expand expands the template by RFC 6570. A variable is undefined if it is
// absent, nil, or an empty list or map. Values are strings, booleans, numbers,
// lists ([]string, []any) and associative arrays (map[string]any,
// map[string]string, []Pair) of these. It fails for other values, and for a
// prefix modifier on a list or map.
func (t *Template) Expand(vars map[string]any) (string, error) {
	b := make([]byte, 0, len(t.text)+32)
	for _, p := range t.parts {
		if p.expr == nil {
			b = appendLiteral(b, p.lit)
			continue
		}
		var err error
		if b, err = p.expr.expand(b, vars); err != nil {
			return "", fmt.Errorf("expand template %s: %w", quote(t.text), err)
		}
	}
	return string(b), nil
}

// How each operator expands, RFC 6570 appendix A.
type expansion struct {
	first, sep string
	named      bool
	ifEmpty    string // behind the name of an empty value
	reserved   bool   // reserved characters and triplets stay as they are
}

func (x *expression) style() expansion {
	switch x.op {
	case '+':
		return expansion{"", ",", false, "", true}
	case '#':
		return expansion{"#", ",", false, "", true}
	case '.':
		return expansion{".", ".", false, "", false}
	case '/':
		return expansion{"/", "/", false, "", false}
	case ';':
		return expansion{";", ";", true, "", false}
	case '?':
		return expansion{"?", "&", true, "=", false}
	case '&':
		return expansion{"&", "&", true, "=", false}
	}
	return expansion{"", ",", false, "", false}
}

func (x *expression) expand(b []byte, vars map[string]any) ([]byte, error) {
	st := x.style()
	lead := st.first
	for _, v := range x.vars {
		val, err := readValue(vars[v.name])
		if err != nil {
			return nil, fmt.Errorf("variable %q: %w", v.name, err)
		}
		if !val.defined {
			continue
		}
		if v.prefix > 0 && val.composite() {
			return nil, fmt.Errorf("variable %q: a prefix of a list or map is not defined", v.name)
		}
		b = append(b, lead...)
		lead = st.sep
		switch {
		case !val.composite():
			b = st.appendNamed(b, v.name, prefix(val.text, v.prefix))
		case v.explode:
			b = st.appendExploded(b, v.name, val)
		default:
			b = st.appendJoined(b, v.name, val)
		}
	}
	return b, nil
}

func (st expansion) appendNamed(b []byte, name, text string) []byte {
	if st.named {
		b = appendLiteral(b, name)
		if text == "" {
			return append(b, st.ifEmpty...)
		}
		b = append(b, '=')
	}
	return st.appendText(b, text)
}

func (st expansion) appendExploded(b []byte, name string, val expandable) []byte {
	for i, item := range val.list {
		if i > 0 {
			b = append(b, st.sep...)
		}
		b = st.appendNamed(b, name, item)
	}
	for i, p := range val.pairs {
		if i > 0 {
			b = append(b, st.sep...)
		}
		b = st.appendText(b, p[0])
		if st.named && p[1] == "" {
			b = append(b, st.ifEmpty...)
			continue
		}
		b = append(b, '=')
		b = st.appendText(b, p[1])
	}
	return b
}

func (st expansion) appendJoined(b []byte, name string, val expandable) []byte {
	if st.named {
		b = appendLiteral(b, name)
		if len(val.list) == 1 && val.list[0] == "" {
			return append(b, st.ifEmpty...)
		}
		b = append(b, '=')
	}
	for i, item := range val.list {
		if i > 0 {
			b = append(b, ',')
		}
		b = st.appendText(b, item)
	}
	for i, p := range val.pairs {
		if i > 0 {
			b = append(b, ',')
		}
		b = st.appendText(b, p[0])
		b = append(b, ',')
		b = st.appendText(b, p[1])
	}
	return b
}

func (st expansion) appendText(b []byte, s string) []byte {
	if st.reserved {
		return appendLiteral(b, s)
	}
	for i := 0; i < len(s); i++ {
		if isUnreserved(s[i]) {
			b = append(b, s[i])
		} else {
			b = appendTriplet(b, s[i])
		}
	}
	return b
}

// appendLiteral encodes what is neither unreserved, reserved nor a triplet.
func appendLiteral(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		_, encoded := triplet(s, i)
		if encoded || isLiteral(s[i]) {
			b = append(b, s[i])
		} else {
			b = appendTriplet(b, s[i])
		}
	}
	return b
}

// prefix returns the first n code points of s, all for 0.
func prefix(s string, n int) string {
	if n == 0 {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// expandable is a value as expansion sees it.
type expandable struct {
	defined bool
	text    string
	list    []string
	pairs   [][2]string
}

func (v expandable) composite() bool { return v.list != nil || v.pairs != nil }

func readValue(value any) (expandable, error) {
	switch v := value.(type) {
	case nil:
		return expandable{}, nil
	case []string:
		return expandable{defined: len(v) > 0, list: v}, nil
	case []any:
		return readList(v)
	case map[string]any:
		return readMap(v)
	case map[string]string:
		return readMap(v)
	case []Pair:
		return readPairs(v)
	}
	text, err := scalar(value)
	return expandable{defined: true, text: text}, err
}

func readList(v []any) (expandable, error) {
	list := make([]string, 0, len(v))
	for _, item := range v {
		if item == nil {
			continue
		}
		text, err := scalar(item)
		if err != nil {
			return expandable{}, err
		}
		list = append(list, text)
	}
	return expandable{defined: len(list) > 0, list: list}, nil
}

func readMap[V any](m map[string]V) (expandable, error) {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	pairs := make([]Pair, 0, len(m))
	for _, k := range keys {
		pairs = append(pairs, Pair{k, m[k]})
	}
	return readPairs(pairs)
}

func readPairs(v []Pair) (expandable, error) {
	pairs := make([][2]string, 0, len(v))
	for _, p := range v {
		if p.Value == nil {
			continue
		}
		text, err := scalar(p.Value)
		if err != nil {
			return expandable{}, fmt.Errorf("key %q: %w", p.Key, err)
		}
		pairs = append(pairs, [2]string{p.Key, text})
	}
	return expandable{defined: len(pairs) > 0, pairs: pairs}, nil
}

// scalar returns the text of a string, boolean or number.
func scalar(value any) (string, error) {
	switch v := value.(type) {
	case string:
		if !utf8.ValidString(v) {
			return "", fmt.Errorf("%s is not UTF-8 text", quote(v))
		}
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		return formatFloat(v, 64), nil
	case float32:
		return formatFloat(float64(v), 32), nil
	case fmt.Stringer:
		return v.String(), nil
	}
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.String:
		return v.String(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10), nil
	}
	return "", fmt.Errorf("a value of type %T cannot be expanded", value)
}

// formatFloat writes numbers of common size without an exponent.
func formatFloat(v float64, bits int) string {
	text := strconv.FormatFloat(v, 'f', -1, bits)
	if len(strings.TrimLeft(text, "-")) > 25 {
		return strconv.FormatFloat(v, 'g', -1, bits)
	}
	return text
}

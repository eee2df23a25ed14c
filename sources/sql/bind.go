package sql

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/zclconf/go-cty/cty"
)

// statement is a query with the values of one request, ready to be sent.
type statement struct {
	text string
	// args are the values in the order of the text's placeholders: nil,
	// string, int64, float64, bool, or decimal.
	args []any
	// order and secret belong to args: which of the query's names a value
	// belongs to, and whether it must not be shown.
	order  []int
	secret []bool
	counts []int // lengths of the lists, nil without lists
	source *source
	limits limits
}

// name is the placeholder's name of the i-th value.
func (st *statement) name(i int) string { return st.source.settings.query.names[st.order[i]] }

// mostRows is how many rows are read before reading stops.
func (st *statement) mostRows() int {
	if st.source.settings.rows == rowsOne {
		return 2
	}
	return st.limits.maxRows + 1
}

// decimal is a number that no int64 and no float64 holds, in its digits.
type decimal string

// bind evaluates the args and puts every value behind its placeholder.
func (s *source) bind(req *sources.Request) (*statement, error) {
	q := s.settings.query
	values := make([]any, len(q.names))
	secrets := make([]bool, len(q.names))
	var counts []int
	for i, b := range s.settings.bindings {
		v, secret, err := b.value(req)
		if err != nil {
			return nil, fmt.Errorf("bind :%s: %w", q.names[i], err)
		}
		if l, ok := asList(v); ok {
			if counts == nil {
				counts = noLists(len(q.names))
			}
			if err := s.checkListValue(i, len(l)); err != nil {
				return nil, err
			}
			counts[i], v = len(l), l
		}
		values[i], secrets[i] = v, secret
	}
	st := &statement{text: q.static, source: s, limits: s.limits}
	order := q.order
	if counts != nil {
		st.counts = counts
		st.text, order = s.expanded(counts)
		if len(order) > q.dialect.maxBound {
			return nil, fmt.Errorf("bind values: %d values in lists; %s takes at most %d", len(order), q.dialect.title, q.dialect.maxBound)
		}
	}
	s.place(st, order, values, secrets)
	return st, nil
}

func noLists(n int) []int {
	counts := make([]int, n)
	for i := range counts {
		counts[i] = -1
	}
	return counts
}

// place puts the values in the order of the placeholders; the values of a list
// follow one another.
func (s *source) place(st *statement, order []int, values []any, secrets []bool) {
	if len(order) == 0 {
		return
	}
	st.order = order
	st.args = make([]any, len(order))
	for i := 0; i < len(order); i++ {
		name := order[i]
		if secrets[name] {
			if st.secret == nil {
				st.secret = make([]bool, len(order))
			}
			st.secret[i] = true
		}
		l, ok := values[name].([]any)
		if !ok {
			st.args[i] = values[name]
			continue
		}
		for k, v := range l {
			st.args[i+k] = v
			if st.secret != nil {
				st.secret[i+k] = st.secret[i]
			}
		}
		i += len(l) - 1
	}
}

// checkListValue refuses a list that an arg turned out to be in a place where
// SQL takes one value; parameters were checked at load.
func (s *source) checkListValue(name, count int) error {
	q := s.settings.query
	for _, m := range q.marks {
		if m.name == name && !m.inList {
			return fmt.Errorf("bind :%s: it is a list of %d values and stands outside IN (...)", q.names[name], count)
		}
	}
	return nil
}

// value returns nil, a string, an int64, a float64, a bool, a decimal, or a
// list of these.
func (b *binding) value(req *sources.Request) (v any, secret bool, err error) {
	if b.arg == nil {
		if b.param < 0 || b.param >= len(req.Params) {
			return nil, false, fmt.Errorf("the request has no such parameter")
		}
		return req.Params[b.param], false, nil
	}
	if v, ok := b.arg.Param(req.Scope); ok {
		return v, false, nil // as it came, and not in Unicode NFC
	}
	cv, secret, err := b.arg.SecretValue(req.Scope)
	if err != nil {
		return nil, secret, err
	}
	v, err = fromCty(cv)
	return v, secret || b.arg.Secret, err
}

func asList(v any) ([]any, bool) {
	switch v := v.(type) {
	case []any:
		return v, true
	case []string:
		return toAny(v), true
	case []int64:
		return toAny(v), true
	}
	return nil, false
}

func toAny[T any](vs []T) []any {
	out := make([]any, len(vs))
	for i, v := range vs {
		out[i] = v
	}
	return out
}

// fromCty turns the value of an arg into what is bound.
func fromCty(v cty.Value) (any, error) {
	if v.IsMarked() && v.Type() != cty.Number {
		v, _ = v.Unmark()
	}
	if plain, _ := v.Unmark(); plain.IsNull() {
		return nil, nil
	}
	switch t := v.Type(); {
	case t == cty.String:
		return v.AsString(), nil
	case t == cty.Bool:
		return v.True(), nil
	case t == cty.Number:
		return fromNumber(v), nil
	case isList(t):
		out := make([]any, 0, v.LengthInt())
		for it := v.ElementIterator(); it.Next(); {
			_, e := it.Element()
			one, err := fromCty(e)
			if err != nil {
				return nil, err
			}
			if _, nested := one.([]any); nested {
				return nil, fmt.Errorf("it is a list of lists, which SQL cannot take")
			}
			out = append(out, one)
		}
		return out, nil
	default:
		return nil, fmt.Errorf("it is of type %s, which SQL cannot take; use jsonencode", t.FriendlyName())
	}
}

func fromNumber(v cty.Value) any {
	digits, plain := decl.Digits(v)
	f := plain.AsBigFloat()
	if n, acc := f.Int64(); acc == big.Exact {
		return n
	}
	if d, _ := f.Float64(); strconv.FormatFloat(d, 'f', -1, 64) == strings.TrimSuffix(digits, ".0") {
		return d
	}
	return decimal(digits)
}

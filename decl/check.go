package decl

import (
	"fmt"
	"math/big"
	"net/mail"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// Broken says which rule of a parameter a value breaks. Rule is the name of
// the attribute, or "type" or "required".
type Broken struct {
	Parameter, Rule, Message string
}

func (b *Broken) Error() string {
	return fmt.Sprintf("parameter %q: %s", b.Parameter, b.Message)
}

func (p *Param) broken(rule, format string, args ...any) *Broken {
	return &Broken{p.Name, rule, fmt.Sprintf(format, args...)}
}

// ConvertString reads the decoded text of a URI's variable as the parameter's
// type and checks it against the constraints.
func (p *Param) ConvertString(s string) (any, *Broken) {
	v, ok := parse(p.Type, s)
	if !ok {
		return nil, p.broken("type", "%s is not %s", quoteShort(s), notType(p.Type, s))
	}
	return v, p.Check(v)
}

// ConvertStrings is ConvertString for the values of an exploded variable.
func (p *Param) ConvertStrings(ss []string) (any, *Broken) {
	if p.Type == TypeStringList {
		return ss, p.Check(ss)
	}
	ints := make([]int64, len(ss))
	for i, s := range ss {
		n, ok := parse(TypeInteger, s)
		if !ok {
			return nil, p.broken("type", "%s is not %s", quoteShort(s), notType(TypeInteger, s))
		}
		ints[i] = n.(int64)
	}
	return ints, p.Check(ints)
}

// parse reads the one spelling that a type has in a URI: integers in decimal
// without a plus sign, numbers as in JSON, bools as true or false.
func parse(t Type, s string) (any, bool) {
	switch t {
	case TypeInteger:
		n, err := strconv.ParseInt(s, 10, 64)
		return n, err == nil && !strings.HasPrefix(s, "+")
	case TypeNumber:
		if !jsonNumber.MatchString(s) {
			return nil, false
		}
		f, err := strconv.ParseFloat(s, 64)
		return f, err == nil && isExactFloat(s, f)
	case TypeBool:
		return s == "true", s == "true" || s == "false"
	}
	return s, true
}

// isExactFloat reports whether a double stands for exactly the decimal that was
// written, by the shortest spelling of the double: a value that would match
// another one is refused, not rounded.
func isExactFloat(s string, f float64) bool {
	if len(s) > 400 || f == 0 {
		return len(s) <= 400 && strings.Trim(strings.FieldsFunc(s, func(r rune) bool { return r == 'e' || r == 'E' })[0], "-0.") == ""
	}
	written, ok1 := new(big.Rat).SetString(s)
	kept, ok2 := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	return ok1 && ok2 && written.Cmp(kept) == 0
}

var jsonNumber = regexp.MustCompile(`^-?\d+(\.\d+)?([eE][+-]?\d+)?$`)

// notType says what a text is not that cannot be read as a type.
func notType(t Type, s string) string {
	switch {
	case t == TypeInteger && jsonNumber.MatchString(s) && !strings.ContainsAny(s, ".eE"):
		return "an integer of 64 bits"
	case t == TypeNumber && jsonNumber.MatchString(s):
		return "a number that a double carries exactly"
	}
	return describeParamType(t)
}

func describeParamType(t Type) string {
	switch t {
	case TypeInteger:
		return "an integer"
	case TypeNumber:
		return "a number"
	case TypeBool:
		return "true or false"
	}
	return "a " + t.String()
}

// Check holds a typed value against the constraints; nil breaks none.
func (p *Param) Check(v any) *Broken {
	switch v := v.(type) {
	case nil:
		return nil
	case []string:
		return checkList(p, v)
	case []int64:
		return checkList(p, v)
	}
	if s, ok := v.(string); ok {
		if b := p.checkLength(utf8.RuneCountInString(s), "characters"); b != nil {
			return b
		}
	}
	return p.checkOne(v)
}

func checkList[T any](p *Param, vs []T) *Broken {
	if b := p.checkLength(len(vs), "entries"); b != nil {
		return b
	}
	for _, v := range vs {
		if b := p.checkOne(v); b != nil {
			return b
		}
	}
	return nil
}

func (p *Param) checkLength(n int, what string) *Broken {
	if p.MinLength != nil && int64(n) < *p.MinLength {
		return p.broken("min_length", "it has %d %s; at least %d are needed", n, what, *p.MinLength)
	}
	if p.MaxLength != nil && int64(n) > *p.MaxLength {
		return p.broken("max_length", "it has %d %s; at most %d are allowed", n, what, *p.MaxLength)
	}
	return nil
}

func (p *Param) checkOne(v any) *Broken {
	if len(p.Enum) > 0 && !slices.Contains(p.Enum, v) {
		allowed := make([]string, len(p.Enum))
		for i, e := range p.Enum {
			allowed[i] = show(e)
		}
		return p.broken("enum", "%s is not one of %s", show(v), list(allowed))
	}
	if p.Minimum != nil && bigNumber(v).Cmp(p.Minimum) < 0 {
		return p.broken("minimum", "%s is below the minimum %s", show(v), p.Minimum.Text('f', -1))
	}
	if p.Maximum != nil && bigNumber(v).Cmp(p.Maximum) > 0 {
		return p.broken("maximum", "%s is above the maximum %s", show(v), p.Maximum.Text('f', -1))
	}
	s, ok := v.(string)
	if !ok {
		return nil
	}
	if p.Pattern != nil && !p.Pattern.MatchString(s) {
		return p.broken("pattern", "%s does not match %s", quoteShort(s), p.Pattern)
	}
	if p.Format != "" && !formats[p.Format](s) {
		return p.broken("format", "%s is not a valid %s", quoteShort(s), p.Format)
	}
	return nil
}

// bigNumber compares an int64 with its bound exactly; only numbers have bounds.
func bigNumber(v any) *big.Float {
	if n, ok := v.(int64); ok {
		return new(big.Float).SetInt64(n)
	}
	return big.NewFloat(v.(float64))
}

// show writes a typed value for a message.
func show(v any) string {
	if s, ok := v.(string); ok {
		return quoteShort(s)
	}
	return fmt.Sprint(v)
}

// quoteShort quotes a value of a client; a long one is cut, so that an error
// stays readable.
func quoteShort(s string) string {
	const most = 80
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "..."
	}
	return strconv.Quote(s)
}

var uuidPattern = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)

var dateTime = regexp.MustCompile(`^[0-9-]{10}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$`)

// formats are the formats of JSON Schema that a parameter may have.
var formats = map[string]func(string) bool{
	"uuid": uuidPattern.MatchString,
	"date": func(s string) bool {
		_, err := time.Parse(time.DateOnly, s)
		return err == nil
	},
	"date-time": func(s string) bool {
		_, err := time.Parse(time.RFC3339, strings.ToUpper(s))
		return err == nil && dateTime.MatchString(s) // Go takes a comma and short hours
	},
	"email": func(s string) bool {
		a, err := mail.ParseAddress(s)
		return err == nil && a.Address == s && a.Name == ""
	},
}

// Holds evaluates the condition of a validation for a request.
func (v Validation) Holds(s *Scope) (bool, error) {
	cond, err := v.Condition.Value(s)
	if err != nil {
		return false, err
	}
	cond, _ = cond.UnmarkDeep()
	if cond.IsNull() || cond.Type() != cty.Bool {
		return false, fmt.Errorf("evaluate condition at %s: the result is not true or false", v.Condition.Range)
	}
	return cond.True(), nil
}

// Broken is the error of a validation that does not hold.
func (v Validation) Broken(param string, s *Scope) error {
	m, err := v.Message.Value(s)
	if err != nil {
		return err
	}
	m, _ = m.UnmarkDeep()
	if text, err := convert.Convert(m, cty.String); err == nil && !text.IsNull() {
		return &Broken{param, "validation", text.AsString()}
	}
	return fmt.Errorf("evaluate error_message at %s: the result is not a plain string", v.Message.Range)
}

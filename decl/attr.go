package decl

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// decodeAttr fills in what the attribute's type asks for.
func (b *Block) decodeAttr(a *attribute) {
	switch a.spec.Type {
	case Expression:
		a.expr = b.loader.newExpr(a.hcl.Expr)
	case Object:
		a.entries = b.objectEntries(a)
	case ValueType:
		a.valueType = b.valueType(a)
	case TypeConstraint:
		// read by its variable
	case Reference:
		a.conn = b.loader.reference(b, a)
	default:
		b.decodeStatic(a)
	}
}

func (b *Block) decodeStatic(a *attribute) {
	l := b.loader
	v, ok := l.evalStatic(a.hcl.Expr, a.spec.Template)
	if !ok {
		return
	}
	plain, secret := unmark(v)
	a.secret = secret
	// A secret is known already. A password in a URL may be written beside one.
	if a.spec.Secret == SecretInURL || a.spec.Secret == SecretValue && !secret {
		l.config.Secrets.addAttr(a.spec.Secret, plain)
	}
	if secret && !b.acceptSecret(a, v) {
		return
	}
	at := l.exprRange(a.hcl.Expr)
	if plain.IsNull() {
		a.null = true
		return // as if it were absent, so that a variable can switch it off
	}
	if !plain.IsWhollyKnown() {
		return // depends on something that was reported already
	}
	want := staticType(a.spec.Type)
	if want == cty.DynamicPseudoType {
		a.value = plain
		return
	}
	if isExact(plain.Type(), want) {
		if c, err := convert.Convert(plain, want); err == nil {
			a.value = b.checkStatic(a, c, at)
			return
		}
	}
	d := b.Errorf(at, "wrong_type", "%s must be %s", a.spec.Name, describeType(a.spec.Type))
	hint := spellingHint(a.spec.Type)
	if a.spec.Type == String && !plain.Type().IsPrimitiveType() {
		hint = " Write one string in quotes."
	}
	d.Detail = fmt.Sprintf("It is %s.%s", describeValue(plain, secret), hint)
}

// secretPlaces says where a secret may stand.
const secretPlaces = "Values of env and of sensitive variables can stand in connections, args, header values and request bodies only."

// acceptSecret reports a secret where clients may see it. One that may stand in
// its place becomes known, since a backend may repeat a part of it.
func (b *Block) acceptSecret(a *attribute, v cty.Value) bool {
	if b.secrets || a.spec.Secret != NoSecret {
		b.loader.config.Secrets.addValue(v)
		return true
	}
	d := b.Errorf(b.loader.exprRange(a.hcl.Expr), "secret_shown", "%s is shown to clients and contains a secret", a.spec.Name)
	d.Detail = secretPlaces
	return false
}

// isExact reports whether a value of type got may stand for want without a
// surprise: no number becomes a string and no string a number or a bool.
func isExact(got, want cty.Type) bool {
	switch {
	case want == cty.String || want == cty.Number || want == cty.Bool:
		return got == want
	case want.IsListType():
		if got.IsTupleType() {
			for _, e := range got.TupleElementTypes() {
				if !isExact(e, want.ElementType()) {
					return false
				}
			}
			return true
		}
		return (got.IsListType() || got.IsSetType()) && isExact(got.ElementType(), want.ElementType())
	case want.IsMapType():
		if got.IsObjectType() {
			for _, e := range got.AttributeTypes() {
				if !isExact(e, want.ElementType()) {
					return false
				}
			}
			return true
		}
		return got.IsMapType() && isExact(got.ElementType(), want.ElementType())
	}
	return true
}

// checkStatic applies the rules of the attribute's type and spec to a value of
// the right cty type; it returns cty.NilVal when one is broken.
func (b *Block) checkStatic(a *attribute, v cty.Value, at Range) cty.Value {
	fail := func(code, summary, detail string) cty.Value {
		if a.secret {
			detail = "The value comes from a secret and is not shown."
		}
		b.Errorf(at, code, "%s", summary).Detail = detail
		return cty.NilVal
	}
	name := a.spec.Name
	switch a.spec.Type {
	case Integer, IntList:
		for _, n := range numbersOf(v) {
			if !n.IsInt() || !isInt64(n) {
				return fail("wrong_type", name+" must be a whole number", n.Text('f', -1)+" is not one.")
			}
		}
		if min := a.spec.Min; min != "" && a.spec.Type == Integer {
			lowest, _ := strconv.ParseInt(min, 10, 64)
			if n, _ := v.AsBigFloat().Int64(); n < lowest {
				return fail("invalid_value", name+" must be at least "+min, fmt.Sprintf("It is %d.", n))
			}
		}
	case Duration:
		d, err := ParseDuration(v.AsString())
		if err != nil {
			return fail("invalid_value", name+" must be a duration", sentence(err))
		}
		if min, _ := ParseDuration(a.spec.Min); a.spec.Min != "" && d < min {
			return fail("invalid_value", name+" must be at least "+a.spec.Min, fmt.Sprintf("It is %s.", v.AsString()))
		}
	case Size:
		n, err := ParseSize(v.AsString())
		if err != nil {
			return fail("invalid_value", name+" must be a size", sentence(err))
		}
		if min, _ := ParseSize(a.spec.Min); a.spec.Min != "" && n < min {
			return fail("invalid_value", name+" must be at least "+a.spec.Min, fmt.Sprintf("It is %s.", v.AsString()))
		}
	case String:
		if len(a.spec.Enum) > 0 && !slices.Contains(a.spec.Enum, v.AsString()) {
			detail := fmt.Sprintf("Allowed are %s.", list(quoteAll(a.spec.Enum)))
			mean, candidate := DidYouMean(v.AsString(), a.spec.Enum)
			r := fail("invalid_value", fmt.Sprintf("%s has no value %q", name, v.AsString()), strings.TrimSpace(detail+" "+mean))
			if candidate != "" {
				b.loader.last().Suggestion = strconv.Quote(candidate)
			}
			return r
		}
	case StringList, StringMap:
		for it := v.ElementIterator(); it.Next(); {
			if _, e := it.Element(); e.IsNull() {
				return fail("wrong_type", name+" must not contain null", "Remove the null.")
			}
		}
	}
	return v
}

func numbersOf(v cty.Value) []*big.Float {
	if v.Type() == cty.Number {
		return []*big.Float{v.AsBigFloat()}
	}
	var out []*big.Float
	for _, e := range v.AsValueSlice() {
		if !e.IsNull() {
			out = append(out, e.AsBigFloat())
		}
	}
	return out
}

func isInt64(f *big.Float) bool {
	i, _ := f.Int(nil)
	return i != nil && i.IsInt64()
}

func sentence(err error) string {
	s := err.Error()
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

func staticType(t AttrType) cty.Type {
	switch t {
	case Integer, Number:
		return cty.Number
	case Bool:
		return cty.Bool
	case StringList:
		return cty.List(cty.String)
	case IntList:
		return cty.List(cty.Number)
	case StringMap:
		return cty.Map(cty.String)
	case AnyValue:
		return cty.DynamicPseudoType
	default:
		return cty.String
	}
}

func describeType(t AttrType) string {
	switch t {
	case Integer:
		return "a whole number"
	case Number:
		return "a number"
	case Bool:
		return "true or false"
	case Duration:
		return "a duration"
	case Size:
		return "a size"
	case StringList:
		return "a list of strings"
	case IntList:
		return "a list of whole numbers"
	case StringMap:
		return "a map of strings"
	default:
		return "a string"
	}
}

func spellingHint(t AttrType) string {
	switch t {
	case Integer, Number, Bool:
		return " Write it without quotes."
	case Duration:
		return " Write a number and a unit in quotes, such as \"10s\"."
	case Size:
		return " Write a number and a unit in quotes, such as \"8MiB\"."
	case StringList:
		return " Write [\"a\", \"b\"]."
	case StringMap:
		return " Write { name = \"value\" }."
	case String:
		return " Write it in quotes."
	}
	return ""
}

func describeValue(v cty.Value, secret bool) string {
	if secret {
		return "a secret of type " + v.Type().FriendlyName()
	}
	switch {
	case v.Type() == cty.String:
		return fmt.Sprintf("the string %q", v.AsString())
	case v.Type() == cty.Number:
		return "the number " + v.AsBigFloat().Text('f', -1)
	case v.Type() == cty.Bool:
		return fmt.Sprintf("the bool %t", v.True())
	case v.Type().IsTupleType():
		return "a list"
	default:
		return "of type " + v.Type().FriendlyName()
	}
}

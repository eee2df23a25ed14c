package sql

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpdecl/mcpdecl/decl"
)

// family is what the values of a database type look like as texts.
type family int

const (
	anyText family = iota // everything fits, or what fits is not known
	integers
	numbers
	bools
	uuids
	times
	spans    // times of day and intervals: some numbers are such
	compound // addresses, ranges and arrays: no number or bool is one
)

func familyOf(databaseType string) family {
	switch databaseType {
	case "smallint", "integer", "bigint":
		return integers
	case "numeric", "real", "double precision":
		return numbers
	case "boolean":
		return bools
	case "uuid":
		return uuids
	case "date", "timestamp with time zone", "timestamp without time zone":
		return times
	case "time without time zone", "time with time zone", "interval":
		return spans
	case "inet", "cidr", "macaddr":
		return compound
	}
	if strings.HasSuffix(databaseType, "[]") || strings.HasSuffix(databaseType, "range") {
		return compound
	}
	return anyText
}

// typeRemedy says what a parameter lacks where the database takes another
// type; "" where its values fit, or may.
func typeRemedy(p *decl.Param, databaseType string) string {
	f := familyOf(databaseType)
	if p == nil || f == anyText || fits(p, f) {
		return ""
	}
	typ := func(name string) string {
		if p.Type.IsList() {
			return "type = list(" + name + ")"
		}
		return "type = " + name
	}
	switch f {
	case integers:
		return typ("integer")
	case numbers, bools:
		if p.Type.IsList() {
			return "" // there are no lists of these
		}
		return typ(map[family]string{numbers: "number", bools: "bool"}[f])
	case spans, compound:
		return typ("string")
	}
	format := "date-time"
	if databaseType == "uuid" || databaseType == "date" {
		format = databaseType
	}
	if p.Type.Element() == decl.TypeString {
		return fmt.Sprintf("format = %q", format)
	}
	return fmt.Sprintf("%s and format = %q", typ("string"), format)
}

// fits reports whether the values that the declaration lets through may all be
// ones of the family.
func fits(p *decl.Param, f family) bool {
	switch p.Type.Element() {
	case decl.TypeInteger:
		// 20260102 is a date.
		return f == integers || f == numbers || f == times || f == spans || f == bools && within(p, 0, 1)
	case decl.TypeNumber:
		return f == numbers || f == spans || f == integers && len(p.Enum) > 0 || f == bools && within(p, 0, 1)
	case decl.TypeBool:
		return f == bools
	}
	switch {
	case f == spans || f == compound:
		return true
	case len(p.Enum) > 0:
		return !slices.ContainsFunc(p.Enum, func(v any) bool { return !textFits(v, f) })
	case p.Format == "uuid":
		return f == uuids
	case p.Format == "date" || p.Format == "date-time":
		return f == times
	}
	return p.Pattern != nil && p.Format == ""
}

// within reports whether no value of the parameter is below or above.
func within(p *decl.Param, low, high int64) bool {
	inside := func(n *big.Float) bool {
		return n != nil && n.Cmp(big.NewFloat(float64(low))) >= 0 && n.Cmp(big.NewFloat(float64(high))) <= 0
	}
	if len(p.Enum) == 0 {
		return inside(p.Minimum) && inside(p.Maximum)
	}
	return !slices.ContainsFunc(p.Enum, func(v any) bool {
		n, ok := v.(int64)
		return !ok || !inside(new(big.Float).SetInt64(n))
	})
}

// textFits judges one value of an enum; texts of other families are left to
// the database.
func textFits(v any, f family) bool {
	s, ok := v.(string)
	s = strings.ToLower(strings.TrimSpace(s))
	if !ok {
		return true
	}
	var err error
	switch f {
	case integers:
		_, err = strconv.ParseInt(s, 10, 64)
	case numbers:
		_, err = strconv.ParseFloat(s, 64)
	case bools:
		return slices.Contains([]string{"true", "false", "t", "f", "yes", "no", "y", "n", "on", "off", "1", "0"}, s)
	}
	return err == nil
}

func withArticle(t decl.Type) string {
	if t == decl.TypeInteger {
		return "an integer"
	}
	return "a " + t.String()
}

package file

import (
	"cmp"
	"math"
	"regexp"
	"strconv"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// partExprs are the attributes that choose a part of a file.
type partExprs struct {
	lines, offset, limit *decl.Expr
}

// part is what a request wants of a file.
type part struct {
	// lines from first to last, counted from 1, last 0 for the end; or the last
	// tail ones. All 0: bytes.
	first, last, tail int64
	// limit bytes from offset on, limit -1 for the rest.
	offset, limit int64
}

// eval returns nil where the whole file is wanted: no attribute, or nulls.
func (x *partExprs) eval(scope *decl.Scope) (*part, error) {
	if x.lines != nil {
		return evalLines(x.lines, scope)
	}
	offset, given, err := evalCount("offset", x.offset, scope, 0)
	if err != nil {
		return nil, err
	}
	limit, limited, err := evalCount("limit", x.limit, scope, 1)
	if err != nil || !given && !limited {
		return nil, err
	}
	if !limited {
		limit = -1
	}
	return &part{offset: offset, limit: limit}, nil
}

// lineRange is "10-80", "10-" to the end, "10" for one line, or "-20" for the
// last 20 lines.
var lineRange = regexp.MustCompile(`^(?:([0-9]{1,15})(?:(-)([0-9]{1,15})?)?|-([0-9]{1,15}))$`)

func evalLines(e *decl.Expr, scope *decl.Scope) (*part, error) {
	v, err := evalAs(e, scope, cty.String)
	if err != nil {
		return nil, broken("lines", e, "must be a range of lines, such as \"10-80\"")
	}
	if v.IsNull() {
		return nil, nil
	}
	m := lineRange.FindStringSubmatch(v.AsString())
	if m == nil {
		return nil, broken("lines", e, "must be \"10-80\" (from line 10 to line 80), \"10-\" (from line 10 on), \"10\" or \"-20\" (the last 20 lines)")
	}
	number := func(s string) int64 { n, _ := strconv.ParseInt(s, 10, 64); return n }
	p := &part{first: number(m[1]), last: number(m[3]), tail: number(m[4])}
	switch {
	case m[4] != "":
		if p.tail == 0 {
			return nil, broken("lines", e, "must ask for one line at least")
		}
		return p, nil
	case m[2] == "":
		p.last = p.first
	case m[3] == "":
		p.last = math.MaxInt64
	}
	if p.first == 0 || p.last < p.first {
		return nil, broken("lines", e, "must go from a line, counted from 1, to the same or a later one")
	}
	return p, nil
}

// evalCount evaluates offset or limit; given is false when it is null.
func evalCount(name string, e *decl.Expr, scope *decl.Scope, least int64) (n int64, given bool, err error) {
	if e == nil {
		return 0, false, nil
	}
	v, err := evalAs(e, scope, cty.Number)
	if err != nil {
		return 0, false, broken(name, e, "must be a whole number of bytes")
	}
	if v.IsNull() {
		return 0, false, nil
	}
	f := v.AsBigFloat()
	n, exact := f.Int64()
	if !f.IsInt() || exact != 0 || n < least {
		return 0, false, broken(name, e, "must be a whole number from "+strconv.FormatInt(least, 10)+" on")
	}
	return n, true, nil
}

func evalAs(e *decl.Expr, scope *decl.Scope, t cty.Type) (cty.Value, error) {
	v, err := e.Value(scope)
	if err != nil {
		return cty.NilVal, err
	}
	v, _ = v.UnmarkDeep()
	return convert.Convert(v, t)
}

// broken is a value of the request that no part of a file can be made of. The
// client knows its parameter, not the attribute that it is used in.
func broken(attribute string, e *decl.Expr, message string) error {
	return &decl.Broken{Parameter: cmp.Or(e.ParamName(), attribute), Rule: attribute, Message: message}
}

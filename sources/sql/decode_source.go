package sql

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/zclconf/go-cty/cty"
)

func decodeSource(b *decl.Block, in *decl.SourceContext) *decl.Source {
	c := b.Connection("connection")
	src := &decl.Source{Connection: c, Scope: scopeTypes(b, in)}
	s := &sourceSettings{

		rows:      rowsMode(max(0, slices.Index([]string{"list", "one", "each"}, b.String("rows")))),
		format:    format(max(0, slices.Index([]string{"json", "ndjson", "csv", "markdown"}, b.String("format")))),
		formatSet: b.Has("format"), allowEmpty: b.Bool("allow_empty"),
		limits:  limits{b.Duration("timeout"), int(b.Int("max_rows")), b.Size("max_bytes")},
		itemURI: b.Expr("item_uri"),
		at:      func(offset, n int) decl.Range { return b.At("query", offset, n) },
	}
	src.Settings = s
	if s.itemURI != nil {
		src.RowExprs = []*decl.Expr{s.itemURI}
	}
	if c != nil {
		conn, ok := c.Settings.(*settings)
		src.Writes = ok && !conn.readOnly
	}
	checkItemURI(b, in, s)
	args := decodeArgs(b, in)
	d := connectionDialect(b, c)
	if d == nil || !b.Known("query") {
		return src
	}
	q, problems := parseQuery(d, b.String("query"))
	s.query = q
	for _, p := range problems {
		b.Errorf(b.At("query", p.offset, p.n), p.code, "%s", p.summary).Detail = p.detail
	}
	s.bindings = bindNames(b, in, q, args)
	for _, bind := range s.bindings {
		s.types += string(rune(bind.typ))
		if bind.param >= 0 && !slices.Contains(src.Uses, bind.param) {
			src.Uses = append(src.Uses, bind.param)
		}
	}
	checkLists(b, s, args)
	reportUnusedArgs(b, q, args)
	checkVerb(b, c, q)
	return src
}

// scopeTypes says what the rows offer to expressions. The columns are known to
// the database only, so the types stay open.
func scopeTypes(b *decl.Block, in *decl.SourceContext) map[string]cty.Type {
	scope := map[string]cty.Type{"rows": cty.DynamicPseudoType}
	if b.String("rows") != "list" || in.Place == "list" {
		scope["row"] = cty.DynamicPseudoType
	}
	return scope
}

func connectionDialect(b *decl.Block, c *decl.Connection) *dialect {
	if c == nil {
		return nil
	}
	d := dialectOf(c.Kind)
	if d == nil {
		diag := b.Errorf(b.ValueRange("connection"), "wrong_connection_kind", "a sql source cannot use connection.%s", c.ID())
		diag.Detail = fmt.Sprintf("It is a connection of kind %s. Name a sqlite, postgres or mysql connection.", c.Kind)
	}
	return d
}

func checkItemURI(b *decl.Block, in *decl.SourceContext, s *sourceSettings) {
	switch {
	case s.rows == rowsEach && s.itemURI == nil && !b.Has("item_uri"):
		d := b.Errorf(b.ValueRange("rows"), "missing_item_uri", "rows = \"each\" needs item_uri")
		d.Detail = "Every row becomes a content of its own, and each needs a URI. Add item_uri, such as item_uri = \"shop://customers/${row.id}\"."
	case s.rows != rowsEach && b.Has("item_uri"):
		d := b.Errorf(b.NameRange("item_uri"), "item_uri_without_each", "item_uri is for rows = \"each\"")
		d.Detail = fmt.Sprintf("With rows = %q the result has the URI of the request. Set rows = \"each\" for one content per row, or remove item_uri.", b.String("rows"))
	}
	if s.itemURI == nil {
		return
	}
	v, ok := in.Check(s.itemURI, map[string]cty.Type{"row": cty.DynamicPseudoType})
	if !ok {
		return
	}
	if s.itemURI.Secret {
		d := b.Errorf(s.itemURI.Range, "secret_shown", "item_uri is sent to clients and contains a secret")
		d.Detail = "Build it from the columns of row and from parameters only."
		return
	}
	if t := v.Type(); t != cty.DynamicPseudoType && t != cty.String || v.IsNull() {
		d := b.Errorf(s.itemURI.Range, "wrong_type", "item_uri must be a string")
		d.Detail = fmt.Sprintf("It is of type %s.", t.FriendlyName())
	}
}

// arg is one entry of args after its check; typ is cty.DynamicPseudoType when
// only a request can tell.
type arg struct {
	decl.NamedExpr
	typ cty.Type
}

func decodeArgs(b *decl.Block, in *decl.SourceContext) []arg {
	var out []arg
	for _, e := range b.Exprs("args") {
		a := arg{e, cty.DynamicPseudoType}
		if v, ok := in.Check(e.Expr, nil); ok {
			a.typ = v.Type()
			if !bindable(a.typ) {
				d := b.Errorf(e.Expr.Range, "wrong_type", "the arg %q cannot be bound", e.Name)
				d.Detail = fmt.Sprintf("It is of type %s. Bind a string, a number, a bool, a list of these, or jsonencode(...) of it.", a.typ.FriendlyName())
			}
		}
		out = append(out, a)
	}
	return out
}

func bindable(t cty.Type) bool {
	switch {
	case t.IsTupleType():
		for _, e := range t.TupleElementTypes() {
			if !e.IsPrimitiveType() && e != cty.DynamicPseudoType {
				return false
			}
		}
		return true
	case t.IsListType() || t.IsSetType():
		return bindable(t.ElementType()) && !isList(t.ElementType())
	}
	return t.IsPrimitiveType() || t == cty.DynamicPseudoType
}

func isList(t cty.Type) bool { return t.IsTupleType() || t.IsListType() || t.IsSetType() }

// bindNames finds a value for every placeholder: the arg of its name, or else
// the parameter.
func bindNames(b *decl.Block, in *decl.SourceContext, q *query, args []arg) []binding {
	out := make([]binding, len(q.names))
	for i, name := range q.names {
		out[i] = binding{param: -1}
		if k := slices.IndexFunc(args, func(a arg) bool { return a.Name == name }); k >= 0 {
			out[i].arg, out[i].typ = args[k].Expr, boundType(args[k].typ)
			continue
		}
		if k := in.Param(name); k >= 0 {
			out[i].param, out[i].typ, out[i].decl = k, in.Params[k].Type, in.Params[k]
			continue
		}
		reportUnknownPlaceholder(b, in, q, i, args)
	}
	return out
}

// boundType is the parameter type that is nearest to that of an arg.
func boundType(t cty.Type) decl.Type {
	switch t {
	case cty.Number:
		return decl.TypeNumber
	case cty.Bool:
		return decl.TypeBool
	}
	return decl.TypeString
}

func reportUnknownPlaceholder(b *decl.Block, in *decl.SourceContext, q *query, name int, args []arg) {
	var params, known []string
	for _, p := range in.Params {
		params = append(params, p.Name)
	}
	known = append(known, params...)
	for _, a := range args {
		known = append(known, a.Name)
	}
	_, candidate := decl.DidYouMean(q.names[name], known)
	for _, m := range q.marks {
		if m.name != name {
			continue
		}
		d := b.Errorf(b.At("query", m.start, m.end-m.start), "unknown_placeholder", "no value for the placeholder :%s", q.names[name])
		d.Detail = decl.DescribeParams(in.Owner, in.URI, params)
		switch {
		case strings.Contains(candidate, "-"):
			name := strings.ReplaceAll(candidate, "-", "_")
			d.Detail += fmt.Sprintf(" A placeholder cannot have a hyphen. Write :%s, and args = { %s = param.%s }.", name, name, candidate)
		case candidate != "":
			d.Suggestion = ":" + candidate
			d.Detail += "\nDid you mean " + d.Suggestion + "?"
		default:
			d.Detail += " Add a parameter of that name, or an entry in args."
		}
	}
}

// checkLists refuses a list where SQL takes one value.
func checkLists(b *decl.Block, s *sourceSettings, args []arg) {
	argTypes := map[*decl.Expr]cty.Type{}
	for _, a := range args {
		argTypes[a.Expr] = a.typ
	}
	for _, m := range s.query.marks {
		bind := s.bindings[m.name]
		list := bind.param >= 0 && bind.typ.IsList() || bind.arg != nil && isList(argTypes[bind.arg])
		if !list || m.inList {
			continue
		}
		name := s.query.names[m.name]
		d := b.Errorf(b.At("query", m.start, m.end-m.start), "list_outside_in", "the list :%s stands outside IN (...)", name)
		d.Detail = fmt.Sprintf("A list is bound as one value for each of its entries, which SQL takes inside IN only. Write IN (:%s), or bind jsonencode(...) of it through args.", name)
	}
}

func reportUnusedArgs(b *decl.Block, q *query, args []arg) {
	for _, a := range args {
		if slices.Contains(q.names, a.Name) {
			continue
		}
		mean, candidate := decl.DidYouMean(a.Name, q.names)
		d := b.Errorf(a.Range, "unused_arg", "the query has no placeholder :%s", a.Name)
		d.Detail = "Every entry of args is bound to the placeholder of its name. Use it in the query, or remove it."
		if candidate != "" {
			d.Detail += " " + mean
			d.Suggestion = candidate
		}
	}
}

// checkVerb catches what can only be a mistake on a read-only connection. The
// database refuses writes in any case.
func checkVerb(b *decl.Block, c *decl.Connection, q *query) {
	s, ok := c.Settings.(*settings)
	if !ok {
		return
	}
	if m := intoFile.FindStringIndex(q.text); m != nil && s.readOnly && s.dialect.name == "mysql" {
		d := b.Errorf(b.At("query", m[0], m[1]-m[0]), "write_on_read_only", "INTO writes outside of the result")
		d.Detail = "A read-only transaction does not keep MySQL from writing files or variables with INTO. " + readOnlyRemedy(c.ID())
		return
	}
	if !s.readOnly || !slices.Contains(writeVerbs, q.verb) || q.verb == "CALL" && s.dialect.name == "postgres" {
		return
	}
	at := strings.Index(strings.ToUpper(q.text), q.verb)
	d := b.Errorf(b.At("query", at, len(q.verb)), "write_on_read_only", "%s on a read-only connection", q.verb)
	d.Detail = readOnlyRemedy(c.ID())
}

// intoFile is what MySQL writes files and variables with.
var intoFile = regexp.MustCompile(`(?i)\binto\s+(outfile|dumpfile|@)`)

var writeVerbs = []string{
	"INSERT", "UPDATE", "DELETE", "REPLACE", "MERGE", "TRUNCATE", "CREATE", "DROP", "ALTER", "GRANT", "REVOKE",
	"VACUUM", "ATTACH", "DETACH", "REINDEX", "COMMIT", "ROLLBACK", "BEGIN", "START", "SAVEPOINT", "RELEASE",
	"SET", "RESET", "LOCK", "UNLOCK", "COPY", "DO", "CALL", "LOAD", "RENAME", "KILL", "FLUSH", "USE", "PREPARE",
	"EXECUTE", "DEALLOCATE", "LISTEN", "NOTIFY", "UNLISTEN", "DISCARD",
}

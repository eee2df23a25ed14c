package http

import (
	"fmt"
	"slices"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/zclconf/go-cty/cty"
)

// answerScope is what the answer of the backend offers to every expression.
func answerScope() map[string]cty.Type {
	return map[string]cty.Type{
		"body": cty.DynamicPseudoType, "status": cty.Number, "header": cty.Map(cty.String),
	}
}

func decodeSource(b *decl.Block, in *decl.SourceContext) *decl.Source {
	src := &decl.Source{Connection: b.Connection("connection"), Scope: answerScope()}
	if src.Connection != nil && src.Connection.Kind != "http" {
		d := b.Errorf(b.ValueRange("connection"), "wrong_connection_kind", "an http source needs an http connection")
		d.Detail = fmt.Sprintf("%s is a %s connection.", src.Connection.ID(), src.Connection.Kind)
	}
	list := in.Place == "list" || in.Place == "complete"
	s := &sourceSettings{
		limits:    limits{b.Duration("timeout"), b.Size("max_bytes")},
		urlSecret: b.IsSecret("url"), method: b.String("method"),
		rows:    rowsMode(max(0, slices.Index([]string{"list", "one", "each"}, b.String("rows")))),
		rowsSet: b.Has("rows") || list, items: b.Expr("items"), itemURI: b.Expr("item_uri"),
		allowEmpty: b.Bool("allow_empty"), idempotent: b.Bool("idempotent"),
	}
	src.Settings = s
	s.target, src.Uses = decodeURL(b, in)
	s.headers = decodeHeaderExprs(b, in)
	s.body = decodeBody(b, in)
	s.notFound = decodeNotFound(b)
	if s.items != nil {
		checkItems(b, in, s.items)
	}
	if s.picks() {
		src.Scope["items"] = cty.DynamicPseudoType
	}
	if s.picks() && s.rows != rowsList || list {
		src.Scope["item"] = cty.DynamicPseudoType
	}
	checkItemURI(b, in, s)
	if b.Has("allow_empty") && !s.picks() && !list {
		d := b.Warnf(b.AttrRange("allow_empty"), "without_effect", "allow_empty says nothing without items")
		d.Detail = "It lets a list of items be empty. Write items, such as items = body.data, or remove it."
	}
	if b.Has("idempotent") && s.method != "POST" {
		d := b.Warnf(b.AttrRange("idempotent"), "without_effect", "idempotent says nothing of a %s request", s.method)
		d.Detail = "It lets a POST be tried again, as all other requests are. Remove it."
	}
	src.SaysTTL = true
	src.Writes = s.method == "POST" && !s.idempotent
	if s.method == "HEAD" && !in.HasBody && (in.Place == "resource" || in.Place == "tool") {
		d := b.Errorf(b.ValueRange("method"), "head_without_content", "an answer to HEAD has no body to pass on")
		d.Detail = "Add text or json over status and header, or use GET."
	}
	return src
}

func decodeBody(b *decl.Block, in *decl.SourceContext) *bodyExpr {
	if b.Has("body") && b.Has("json_body") {
		d := b.Errorf(b.NameRange("json_body"), "two_bodies", "the source has both body and json_body")
		d.Detail = "A request has one body. Remove one of them."
	}
	var out *bodyExpr
	for _, name := range []string{"body", "json_body"} {
		e := b.Expr(name)
		if e == nil {
			continue
		}
		out = &bodyExpr{e, name == "json_body"}
		v, ok := in.Check(e, nil)
		if t := v.Type(); ok && name == "body" && !t.IsPrimitiveType() && t != cty.DynamicPseudoType {
			d := b.Errorf(e.Range, "wrong_type", "body must be a string")
			d.Detail = fmt.Sprintf("It is of type %s. Use json_body for a value.", t.FriendlyName())
		}
		if b.String("method") != "POST" {
			b.Errorf(b.NameRange(name), "body_without_post", "a %s request has no body", b.String("method")).Detail = "Write method = \"POST\", or remove it."
		}
	}
	return out
}

func decodeNotFound(b *decl.Block) []int {
	if b.Value("not_found") == cty.NilVal {
		return []int{404, 410}
	}
	out := []int{}
	for _, n := range b.Ints("not_found") {
		if n < 300 || n > 599 {
			d := b.Errorf(b.ValueRange("not_found"), "invalid_value", "not_found has no status %d", n)
			d.Detail = "It lists statuses from 300 to 599; 204 and an empty body always mean that there is nothing."
			continue
		}
		out = append(out, int(n))
	}
	return out
}

func checkItems(b *decl.Block, in *decl.SourceContext, e *decl.Expr) {
	v, ok := in.Check(e, answerScope())
	if !ok {
		return
	}
	checkNotShown(b, e, "items")
	if t := v.Type(); t.IsPrimitiveType() {
		d := b.Errorf(e.Range, "wrong_type", "items must be a list")
		d.Detail = fmt.Sprintf("It is of type %s. Pick a list out of the response, such as body.data.issues.", t.FriendlyName())
	}
}

func checkNotShown(b *decl.Block, e *decl.Expr, name string) {
	if e.Secret {
		d := b.Errorf(e.Range, "secret_shown", "%s is sent to clients and contains a secret", name)
		d.Detail = "Build it from the answer of the backend and from parameters only."
	}
}

func checkItemURI(b *decl.Block, in *decl.SourceContext, s *sourceSettings) {
	switch each := s.rows == rowsEach; {
	case each && !b.Has("item_uri"):
		d := b.Errorf(b.ValueRange("rows"), "missing_item_uri", "rows = \"each\" needs item_uri")
		d.Detail = "Every item is a content of its own. Say its URI: item_uri = \"scheme://items/${item.id}\"."
	case !each && b.Has("item_uri"):
		d := b.Errorf(b.NameRange("item_uri"), "item_uri_without_each", "item_uri is for rows = \"each\"")
		d.Detail = "Write rows = \"each\", or remove item_uri."
	}
	if s.itemURI == nil {
		return
	}
	names := answerScope()
	names["item"] = cty.DynamicPseudoType
	v, ok := in.Check(s.itemURI, names)
	if !ok {
		return
	}
	checkNotShown(b, s.itemURI, "item_uri")
	if t := v.Type(); t != cty.DynamicPseudoType && t != cty.String || v.IsNull() {
		d := b.Errorf(s.itemURI.Range, "wrong_type", "item_uri must be a string")
		d.Detail = fmt.Sprintf("It is of type %s.", t.FriendlyName())
	}
}

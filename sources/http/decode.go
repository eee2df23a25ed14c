package http

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/zclconf/go-cty/cty"
)

func decodeConnection(b *decl.Block) any {
	checkBaseURL(b)
	methods := []string{}
	if b.Has("bearer") {
		methods = append(methods, "bearer")
	}
	for _, name := range []string{"basic_auth", "oauth2_client_credentials"} {
		if b.Block(name) != nil {
			methods = append(methods, name)
		}
	}
	if len(methods) > 1 {
		d := b.Errorf(b.Range, "two_credentials", "the connection has both %s", strings.Join(methods, " and "))
		d.Detail = "One request carries one Authorization header. Keep one of them."
	}
	checkFile(b, "ca_file")
	if c := b.Block("client_cert"); c != nil {
		checkFile(c, "cert_file")
		checkFile(c, "key_file")
	}
	if r := b.Block("retry"); r != nil && r.Duration("min_wait") > r.Duration("max_wait") {
		r.Errorf(r.ValueRange("min_wait"), "invalid_value", "min_wait is above max_wait").Detail = "Exchange them, or correct one."
	}
	return nil
}

func checkFile(b *decl.Block, name string) {
	path := b.String(name)
	if path == "" || b.FileExists(b.ResolvePath(path)) {
		return
	}
	d := b.Errorf(b.ValueRange(name), "no_such_file", "the file %q does not exist", path)
	d.Detail = "A relative path is relative to the configuration file."
}

func checkBaseURL(b *decl.Block) {
	text := b.String("base_url")
	if text == "" {
		return
	}
	at := b.ValueRange("base_url")
	fail := func(summary, remedy string) { b.Errorf(at, "invalid_url", "%s", summary).Detail = remedy }
	u, err := url.Parse(text)
	switch {
	case strings.ContainsAny(text, "{}"):
		fail("base_url cannot have variables", "Scheme, host and base path are fixed; variables go into the url of a source.")
	case err != nil || u.Host == "" || u.Opaque != "":
		fail("base_url is not an absolute URL", "Write scheme, host and path, such as \"https://api.example.com/v2\".")
	case u.Scheme != "https" && u.Scheme != "http":
		fail("base_url must be http or https", fmt.Sprintf("Its scheme is %q.", u.Scheme))
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		fail("base_url cannot have a query or a fragment", "Write them in the url of each source.")
	case u.User != nil:
		fail("base_url cannot have a user or a password", "Use a basic_auth block, so that the password is kept secret.")
	}
}

func decodeSource(b *decl.Block, in *decl.SourceContext) *decl.Source {
	s := &decl.Source{
		Connection: b.Connection("connection"),
		Scope: map[string]cty.Type{
			"body": cty.DynamicPseudoType, "status": cty.Number, "header": cty.Map(cty.String),
			"items": cty.DynamicPseudoType, "item": cty.DynamicPseudoType,
		},
	}
	if s.Connection != nil && s.Connection.Kind != "http" {
		d := b.Errorf(b.ValueRange("connection"), "wrong_connection_kind", "an http source needs an http connection")
		d.Detail = fmt.Sprintf("%s is a %s connection.", s.Connection.ID(), s.Connection.Kind)
	}
	s.Uses = decodeURL(b, in)
	for _, h := range b.Exprs("headers") {
		in.Check(h.Expr, nil)
	}
	if b.Has("body") && b.Has("json_body") {
		d := b.Errorf(b.NameRange("json_body"), "two_bodies", "the source has both body and json_body")
		d.Detail = "A request has one body. Remove one of them."
	}
	for _, name := range []string{"body", "json_body"} {
		if e := b.Expr(name); e != nil {
			in.Check(e, nil)
			if b.String("method") != "POST" {
				b.Errorf(b.NameRange(name), "body_without_post", "a %s request has no body", b.String("method")).Detail = "Write method = \"POST\", or remove it."
			}
		}
	}
	if e := b.Expr("items"); e != nil {
		in.Check(e, map[string]cty.Type{"body": cty.DynamicPseudoType, "status": cty.Number, "header": cty.Map(cty.String)})
	}
	if e := b.Expr("item_uri"); e != nil {
		in.Check(e, s.Scope)
	}
	switch each := b.String("rows") == "each"; {
	case each && !b.Has("item_uri"):
		d := b.Errorf(b.ValueRange("rows"), "missing_item_uri", "rows = \"each\" needs item_uri")
		d.Detail = "Every item is a content of its own. Say its URI: item_uri = \"scheme://items/${item.id}\"."
	case !each && b.Has("item_uri"):
		d := b.Errorf(b.NameRange("item_uri"), "item_uri_without_each", "item_uri is for rows = \"each\"")
		d.Detail = "Write rows = \"each\", or remove item_uri."
	}
	return s
}

// decodeURL checks the template and returns the parameters that it uses.
func decodeURL(b *decl.Block, in *decl.SourceContext) []int {
	text := b.String("url")
	if text == "" {
		return nil
	}
	if i := strings.Index(text, "://"); i >= 0 || strings.HasPrefix(text, "//") {
		d := b.Errorf(b.ValueRange("url"), "absolute_url", "url must be relative to base_url")
		d.Detail = "The connection fixes scheme and host, so that no value can reach another one. Write the path only, such as \"/users/{id}\"."
		return nil
	}
	_, uses := in.Template(b, "url")
	return uses
}

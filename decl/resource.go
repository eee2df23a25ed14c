package decl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/mcpdecl/mcpdecl/uritmpl"
	"github.com/zclconf/go-cty/cty"
)

// resources decodes the resource blocks and checks their expressions.
func (l *loader) resources() {
	seen := map[string]Range{}
	l.each("resource", func(b *Block, body hcl.Body) {
		named := l.checkName(b, b.Label(0), b.LabelRange(0), seen)
		b.decodeBody(body)
		if r := l.resource(b); named {
			l.config.Resources = append(l.config.Resources, r)
		}
	})
}

func (l *loader) resource(b *Block) *Resource {
	r := &Resource{
		Name: b.Label(0), URI: b.String("uri"), Title: b.String("title"),
		Description: b.String("description"), MIMEType: b.String("mime_type"),
		Size: -1, Hidden: b.Bool("hidden"), Range: b.Range, URIRange: b.ValueRange("uri"),
	}
	s := &checkScope{owner: b.title(), used: map[string]bool{}}
	var blocks map[string]*Block
	if t := l.template(b); t != nil {
		if len(t.Variables()) > 0 {
			s.uri = r.URI
		}
		r.Params, blocks = l.uriParams(b, b.title(), t)
		r.Matcher = l.matcher(b, t)
	} else {
		r.Params, blocks = l.likelyParams(b)
	}
	s.params = r.Params
	b.checkMIMEType()
	b.checkSize(r)
	b.presentation(r)
	r.Source = l.source(b, s, "resource")
	r.Body = l.body(b, s, r.Source)
	r.Cache, r.Subscribe = l.cache(b, r.Source), l.subscribe(b)
	r.Tool = l.resourceTool(b, r)
	r.List = l.list(b, s, r)
	l.checkParams(r.Params, blocks, s)
	if r.Matcher != nil && (r.Source != nil || r.Body.Expr() != nil) {
		l.unusedParams(r.Params, s, b)
	}
	return r
}

// template parses the uri; nil after a mistake.
func (l *loader) template(b *Block) *uritmpl.Template {
	if !b.Known("uri") {
		return nil
	}
	t, err := uritmpl.Parse(b.String("uri"))
	if err != nil {
		l.templateError(b, "uri", err)
		return nil
	}
	return t
}

// matcher compiles the uri for matching; nil after a mistake.
func (l *loader) matcher(b *Block, t *uritmpl.Template) *uritmpl.Matcher {
	m, err := uritmpl.Compile(t)
	if err != nil {
		l.templateError(b, "uri", err)
		return nil
	}
	return m
}

func (l *loader) templateError(b *Block, attr string, err error) {
	var te *uritmpl.Error
	if !errors.As(err, &te) {
		panic(err) // the package returns no other error
	}
	d := b.Errorf(b.At(attr, te.Offset, te.Length), te.Code, "%s", te.Reason)
	d.Detail, d.Suggestion = te.Fix, te.Suggestion
	if te.Suggestion != "" && !strings.Contains(te.Fix, te.Suggestion) {
		d.Detail = strings.TrimSpace(d.Detail + fmt.Sprintf("\nDid you mean %q?", te.Suggestion))
	}
}

func (b *Block) checkMIMEType() {
	if _, ok := b.static("mime_type"); !ok {
		return
	}
	s := b.String("mime_type")
	typ, sub, ok := strings.Cut(strings.SplitN(s, ";", 2)[0], "/")
	if ok && isToken(strings.TrimSpace(typ)) && isToken(strings.TrimSpace(sub)) {
		return
	}
	d := b.Errorf(b.ValueRange("mime_type"), "invalid_mime_type", "%q is not a media type", s)
	d.Detail = "A media type has the form type/subtype, such as \"application/json\" or \"text/markdown; charset=utf-8\"."
}

// isToken follows RFC 6838, section 4.2.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		alnum := r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		return !alnum && !strings.ContainsRune("!#$&-^_.+*", r)
	})
}

func (b *Block) checkSize(r *Resource) {
	if _, ok := b.static("size"); !ok {
		return
	}
	r.Size = b.Int("size")
	if r.Matcher != nil && !r.Matcher.Static() {
		d := b.Errorf(b.NameRange("size"), "size_of_template", "a resource template has no size")
		d.Detail = "size is for a resource whose uri has no variables. Remove it."
	}
}

// presentation decodes annotations and icons.
func (b *Block) presentation(r *Resource) {
	if a := b.Block("annotations"); a != nil {
		r.Audience = a.Strings("audience")
		for _, who := range r.Audience {
			if who != "user" && who != "assistant" {
				d := a.Errorf(a.ValueRange("audience"), "invalid_value", "audience has no value %q", who)
				d.Detail = "Allowed are \"user\" and \"assistant\"."
			}
		}
		if _, ok := a.static("priority"); ok {
			f := a.Float("priority")
			r.Priority = &f
			if f < 0 || f > 1 {
				a.Errorf(a.ValueRange("priority"), "invalid_value", "priority must be from 0 to 1").Detail = "1 is the most important."
			}
		}
	}
	for _, i := range b.Blocks("icon") {
		r.Icons = append(r.Icons, Icon{i.String("src"), i.String("mime_type"), i.Strings("sizes")})
	}
}

func (l *loader) cache(b *Block, src *Source) *Cache {
	cb := b.Block("cache")
	if cb == nil {
		return nil
	}
	c := &Cache{Public: cb.String("scope") == "public", Range: cb.Range}
	if ttl := cb.String("ttl"); ttl == "upstream" {
		c.Upstream = true
		if b.Block("source") == nil || src != nil && !src.SaysTTL {
			d := cb.Errorf(cb.ValueRange("ttl"), "invalid_value", "ttl = \"upstream\" needs an http source")
			d.Detail = "Only an HTTP backend says how long its answers stay fresh. Write a duration, such as \"30s\"."
		}
	} else if _, ok := cb.static("ttl"); ok {
		d, err := ParseDuration(ttl)
		if err != nil || d == 0 {
			diag := cb.Errorf(cb.ValueRange("ttl"), "invalid_value", "ttl must be a duration above zero")
			diag.Detail = "Write a number and a unit in quotes, such as \"30s\", or \"upstream\" for what the HTTP backend says."
		}
		c.TTL = d
	}
	return c
}

func (l *loader) subscribe(b *Block) *Subscribe {
	sb := b.Block("subscribe")
	if sb == nil {
		return nil
	}
	if !sb.Has("every") && !sb.Has("channel") {
		sb.Errorf(sb.Range, "missing_attribute", "subscribe has neither \"every\" nor \"channel\"").Detail =
			"Write every = \"5s\" to look for changes, or channel = \"...\" for PostgreSQL notifications."
	}
	return &Subscribe{sb.Duration("every"), sb.String("channel"), sb.Range}
}

func (l *loader) resourceTool(b *Block, r *Resource) *ResourceTool {
	tb := b.Block("tool")
	if tb == nil {
		return nil
	}
	t := &ResourceTool{tb.String("name"), tb.String("title"), tb.String("description"), tb.Range}
	if t.Name == "" {
		t.Name = r.Name
	}
	if t.Description == "" {
		t.Description = r.Description
	}
	if !toolName.MatchString(t.Name) {
		tb.reportToolName(tb.ValueRange("name"), t.Name)
	}
	return t
}

// list decodes a list block: each row, or each file, becomes one resource.
func (l *loader) list(b *Block, s *checkScope, r *Resource) *List {
	lb := b.Block("list")
	if lb == nil {
		return nil
	}
	if r.Matcher != nil && r.Matcher.Static() {
		d := lb.Errorf(lb.Range, "list_of_static", "a resource without variables has no list")
		d.Detail = "It is listed by itself. Remove the block, or add variables to the uri."
	}
	ls := &checkScope{owner: lb.title(), used: s.used}
	out := &List{
		Params: lb.Exprs("params"), Name: lb.Expr("name"), Title: lb.Expr("title"),
		Description: lb.Expr("description"), MIMEType: lb.Expr("mime_type"), Range: lb.Range,
	}
	out.Source = l.source(lb, ls, "list")
	src := out.Source
	if lb.Block("source") == nil {
		if src = r.Source; src == nil || src.Kind != "file" {
			d := lb.Errorf(lb.Range, "missing_block", "list has no source block")
			d.Detail = "Only a file source lists by itself. Add a source whose rows are the entries."
			return out
		}
	}
	if src == nil {
		return out
	}
	ls.names = src.Scope
	for _, name := range []string{"name", "title", "description", "mime_type"} {
		if e := lb.Expr(name); e != nil {
			l.checkShown(lb, name, e, ls)
		}
	}
	var names []string
	for _, p := range r.Params {
		names = append(names, p.Name)
	}
	for _, e := range out.Params {
		if !slices.Contains(names, e.Name) {
			d := lb.Errorf(e.Range, "unknown_parameter", "no parameter named %q", e.Name)
			d.Detail = DescribeParams(s.owner, s.uri, names)
		}
		l.checkShown(lb, e.Name, e.Expr, ls)
	}
	if lb.Block("source") == nil {
		l.checkListed(lb, r, out)
	}
	return out
}

// checkListed reports a variable to which no file that is listed can give a
// value: a file gives one to the variables of its path only.
func (l *loader) checkListed(lb *Block, r *Resource, out *List) {
	for i, p := range r.Params {
		given := slices.ContainsFunc(out.Params, func(e NamedExpr) bool { return e.Name == p.Name })
		if p.Required && !given && !slices.Contains(r.Source.Uses, i) {
			d := lb.Errorf(lb.Range, "unlisted_parameter", "list gives no value to the parameter %q", p.Name)
			d.Detail = fmt.Sprintf("Every entry needs a URI. Use {%s} in the path of the source, or write params = { %s = ... } in the list.", p.Name, p.Name)
		}
	}
}

// checkShown is checkExpr for a value that goes to clients.
func (l *loader) checkShown(b *Block, name string, e *Expr, s *checkScope) (cty.Value, bool) {
	v, ok := l.checkExpr(e, s)
	if ok && e.Secret {
		d := b.Errorf(e.Range, "secret_shown", "%s is sent to clients and contains a secret", name)
		d.Detail = secretPlaces
		return cty.NilVal, false
	}
	return v, ok
}

// checkParams checks what param blocks hold that may refer to the parameters.
func (l *loader) checkParams(params []*Param, blocks map[string]*Block, s *checkScope) {
	for _, p := range params {
		own := &checkScope{owner: s.owner, uri: s.uri, params: params}
		for _, v := range p.Validations {
			if v.Condition == nil || v.Message == nil {
				continue
			}
			own.used = s.used
			if cond, ok := l.checkExpr(v.Condition, own); ok {
				l.isCondition(v.Condition, cond)
				if v.Condition.Secret {
					l.add(Error, v.Condition.Range, "secret_shown", "condition tells clients about a secret").Detail =
						"Whether it holds is what a client learns, so that it could guess the secret letter by letter. Who may call is for a proxy in front of the server to say."
				}
			}
			if _, ok := l.checkExpr(v.Message, own); ok && v.Message.Secret {
				l.add(Error, v.Message.Range, "secret_shown", "error_message is sent to clients and contains a secret").Detail =
					"Remove the secret from the message."
			}
		}
		if pb := blocks[p.Name]; pb != nil {
			p.Complete = l.complete(pb, params, s)
		}
	}
}

func (l *loader) complete(pb *Block, params []*Param, s *checkScope) *Complete {
	cb := pb.Block("complete")
	if cb == nil {
		return nil
	}
	c := &Complete{Values: cb.Strings("values"), Range: cb.Range}
	if cb.Has("values") == (cb.Block("source") != nil) {
		d := cb.Errorf(cb.Range, "complete_needs_one", "complete needs either values or a source")
		d.Detail = "Write values = [\"a\", \"b\"], or a source block whose first column is the value."
	}
	all := append(slices.Clone(params), &Param{Name: "prefix", Type: TypeString})
	cs := &checkScope{owner: cb.title(), params: all, used: map[string]bool{}}
	c.Source = l.source(cb, cs, "complete")
	return c
}

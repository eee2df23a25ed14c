package decl

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/mcpdecl/mcpdecl/uritmpl"
	"github.com/zclconf/go-cty/cty"
)

// toolName is what the protocol allows as the name of a tool.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

func (b *Block) reportToolName(at Range, name string) {
	d := b.Errorf(at, "invalid_name", "%q is not a valid tool name", name)
	d.Detail = "The protocol allows 1 to 128 ASCII letters, digits, \"_\", \"-\" and \".\"."
}

// tools decodes the tool blocks at the top level and reports names that two
// tools share, whichever way they are declared.
func (l *loader) tools() {
	seen := map[string]Range{}
	l.each("tool", func(b *Block, body hcl.Body) {
		named := l.checkName(b, b.Label(0), b.LabelRange(0), seen)
		b.decodeBody(body)
		if t := l.tool(b); named {
			l.config.Tools = append(l.config.Tools, t)
		}
	})
	offered := map[string]Range{}
	if l.config.Server.ResourceTool {
		offered["read_resource"] = l.config.Server.Range
	}
	for _, t := range l.config.Tools {
		l.offer(offered, t.Name, t.Range)
	}
	for _, r := range l.config.Resources {
		if r.Tool == nil {
			continue
		}
		l.offer(offered, r.Tool.Name, r.Tool.Range)
	}
}

func (l *loader) offer(offered map[string]Range, name string, at Range) {
	if first, ok := offered[name]; ok {
		d := l.add(Error, at, "duplicate_name", "two tools are named %q", name)
		d.Detail = fmt.Sprintf("The other one is at %s. Give this one a name of its own.", first)
		d.Related = []Related{{first, "the other tool"}}
		return
	}
	offered[name] = at
}

func (l *loader) tool(b *Block) *Tool {
	t := &Tool{Name: b.Label(0), Title: b.String("title"), Description: b.String("description"), Range: b.Range}
	if !toolName.MatchString(t.Name) {
		b.reportToolName(b.LabelRange(0), t.Name)
	}
	s := &checkScope{owner: b.title(), used: map[string]bool{}}
	var blocks map[string]*Block
	t.Params, blocks = l.ownParams(b)
	s.params = t.Params
	t.Source = l.source(b, s, "tool")
	t.Body = l.body(b, s, t.Source)
	l.checkParams(t.Params, blocks, s)
	if t.Source != nil || t.Body.Expr() != nil {
		l.unusedParams(t.Params, s, b)
	}
	return t
}

// ownParams makes the parameters of a block without a uri: its param blocks in
// their order. One without a default is required.
func (l *loader) ownParams(b *Block) ([]*Param, map[string]*Block) {
	blocks := l.paramBlocks(b)
	var params []*Param
	for _, pb := range b.Blocks("param") {
		if blocks[pb.Label(0)] != pb {
			continue
		}
		p := &Param{Name: pb.Label(0), Required: !pb.stands("default")}
		l.decodeParam(pb, p)
		params = append(params, p)
	}
	return params, blocks
}

// prompts decodes the prompt blocks.
func (l *loader) prompts() {
	seen := map[string]Range{}
	l.each("prompt", func(b *Block, body hcl.Body) {
		named := l.checkName(b, b.Label(0), b.LabelRange(0), seen)
		b.decodeBody(body)
		if p := l.prompt(b); named {
			l.config.Prompts = append(l.config.Prompts, p)
		}
	})
}

func (l *loader) prompt(b *Block) *Prompt {
	p := &Prompt{Name: b.Label(0), Title: b.String("title"), Description: b.String("description"), Range: b.Range}
	s := &checkScope{owner: b.title(), used: map[string]bool{}}
	var blocks map[string]*Block
	p.Params, blocks = l.ownParams(b)
	s.params = p.Params
	for _, mb := range b.Blocks("message") {
		p.Messages = append(p.Messages, l.message(mb, s))
	}
	l.checkParams(p.Params, blocks, s)
	l.unusedParams(p.Params, s, b)
	return p
}

func (l *loader) message(b *Block, s *checkScope) Message {
	m := Message{Role: b.String("role"), Text: b.Expr("text"), Range: b.Range}
	if b.Has("text") == b.Has("resource") {
		d := b.Errorf(b.Range, "message_needs_one", "a message needs either text or resource")
		d.Detail = "Write text = \"...\", or resource = \"scheme://{name}\"."
	}
	if m.Text != nil {
		if v, ok := l.checkExpr(m.Text, s); ok {
			b.checkMessageText(m.Text, v)
		}
	}
	if _, ok := b.static("resource"); !ok {
		return m
	}
	t, err := uritmpl.Parse(b.String("resource"))
	if err != nil {
		l.templateError(b, "resource", err)
		return m
	}
	m.Resource = t
	for _, v := range t.Variables() {
		if !s.has(v.Name) {
			var names []string
			for _, p := range s.params {
				names = append(names, p.Name)
			}
			d := b.Errorf(b.At("resource", v.Offset, v.Length), "unknown_parameter", "no parameter named %q", v.Name)
			mean, _ := DidYouMean(v.Name, names)
			d.Detail = strings.TrimSpace(s.describeParams(names) + " " + mean)
			continue
		}
		s.use(v.Name)
	}
	return m
}

func (s *checkScope) has(name string) bool {
	for _, p := range s.params {
		if p.Name == name {
			return true
		}
	}
	return false
}

func (b *Block) checkMessageText(e *Expr, v cty.Value) {
	if e.Secret {
		b.Errorf(e.Range, "secret_shown", "text is sent to clients and contains a secret").Detail = "Remove the secret."
		return
	}
	if v.IsNull() || v.Type() != cty.DynamicPseudoType && !v.Type().IsPrimitiveType() {
		b.Errorf(e.Range, "wrong_type", "text must be a string").Detail = "It is of type " + v.Type().FriendlyName() + "."
	}
}

package http

import (
	"slices"
	"strings"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/uritmpl"
)

// decodeURL checks the template and takes it apart; it also returns the
// parameters that it uses. The target is nil after a mistake.
func decodeURL(b *decl.Block, in *decl.SourceContext) (*target, []int) {
	if !b.Has("url") {
		return nil, nil
	}
	text := b.String("url")
	if isAbsolute(text) {
		d := b.Errorf(b.ValueRange("url"), "absolute_url", "url must be relative to base_url")
		d.Detail = "The connection fixes scheme and host, so that no value can reach another one. Write the path only, such as \"/users/{id}\"."
		return nil, nil
	}
	tmpl, params := in.Template(b, "url")
	if tmpl == nil {
		return nil, nil
	}
	pieces := splitTemplate(tmpl)
	ok := checkFragment(b, pieces)
	ok = checkQuery(b, pieces) && ok
	ok = checkDotSegments(b, text) && ok
	vars := tmpl.Variables()
	if !ok || slices.ContainsFunc(vars, func(v uritmpl.Variable) bool { return in.Param(v.Name) < 0 }) {
		return nil, params
	}
	return newTarget(tmpl, pieces, in), params
}

// isAbsolute reports whether the text names a host, with or without a scheme.
func isAbsolute(text string) bool {
	if strings.HasPrefix(text, "//") || strings.HasPrefix(text, `\\`) {
		return true
	}
	i := strings.Index(text, "://")
	return i >= 0 && !strings.ContainsAny(text[:i], "/?#")
}

// piece is a stretch of a template: literal text or one expression.
type piece struct {
	off, end int
	text     string
	op       string // of an expression
	literal  bool
	query    bool // it stands in the query
}

// splitTemplate cuts a valid template at its braces.
func splitTemplate(t *uritmpl.Template) []piece {
	var out []piece
	text, query := t.String(), false
	for at := 0; at < len(text); {
		p := piece{off: at, end: len(text)}
		if text[at] == '{' {
			p.end = at + strings.IndexByte(text[at:], '}') + 1
			if c := text[at+1]; strings.IndexByte("+#./;?&", c) >= 0 {
				p.op = string(c)
			}
			query = query || p.op == "?" || p.op == "&"
			p.query = query
		} else {
			if n := strings.IndexByte(text[at:], '{'); n >= 0 {
				p.end = at + n
			}
			p.literal, p.query = true, query
			query = query || strings.Contains(text[at:p.end], "?")
		}
		p.text = text[at:p.end]
		out = append(out, p)
		at = p.end
	}
	return out
}

// checkFragment refuses what no request carries.
func checkFragment(b *decl.Block, pieces []piece) bool {
	for _, p := range pieces {
		off, n := p.off, p.end-p.off
		if p.literal {
			i := strings.IndexByte(p.text, '#')
			if i < 0 {
				continue
			}
			off, n = p.off+i, 1
		} else if p.op != "#" {
			continue
		}
		d := b.Errorf(b.At("url", off, n), "fragment_in_url", "url has a fragment")
		d.Detail = "What stands behind \"#\" is never sent to a backend. Write %23 for the character itself, or remove it."
		return false
	}
	return true
}

// checkQuery refuses values that could add pairs to the query, and a second
// beginning of it.
func checkQuery(b *decl.Block, pieces []piece) bool {
	ok, begun := true, false
	for _, p := range pieces {
		switch {
		case p.literal:
			begun = begun || strings.Contains(p.text, "?")
		case p.op == "+" && p.query:
			name := strings.Trim(p.text, "{+}")
			d := b.Errorf(b.At("url", p.off, p.end-p.off), "reserved_in_query", "%s stands in the query", p.text)
			d.Detail = "A value with an \"&\" would add further pairs to the query. Write {" + name + "}, which encodes it, or {?" + name + "}."
			ok = false
		case p.op == "?":
			if begun {
				d := b.Errorf(b.At("url", p.off, p.end-p.off), "second_query", "the query begins twice")
				d.Suggestion = "{&" + strings.TrimPrefix(p.text, "{?")
				d.Detail = "The url has a \"?\" already. Write " + d.Suggestion + "."
				ok = false
			}
			begun = true
		}
	}
	return ok
}

// checkDotSegments refuses a url that climbs by itself.
func checkDotSegments(b *decl.Block, text string) bool {
	var plain strings.Builder
	for rest := text; rest != ""; {
		lit, expr, found := strings.Cut(rest, "{")
		plain.WriteString(lit)
		if !found {
			break
		}
		plain.WriteByte('x')
		_, rest, _ = strings.Cut(expr, "}")
	}
	path, _, _ := strings.Cut(plain.String(), "?")
	if !climbs(path) {
		return true
	}
	d := b.Errorf(b.ValueRange("url"), "dot_segment", "url has a \".\" or \"..\" segment")
	d.Detail = "Such a segment leads to another endpoint than the one that is written. Write the path that is meant, or change base_url."
	return false
}

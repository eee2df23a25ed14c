package file

import (
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/mcpdecl/mcpdecl/decl"
)

// globVariable is {name} in a pattern; {a,b} there is a choice.
var globVariable = regexp.MustCompile(`\{[A-Za-z_][A-Za-z0-9_]*\}`)

// globOperator is {+name}, {name*} and the like, which a template has and a
// pattern not. It has the operator, the name and the modifier.
var globOperator = regexp.MustCompile(`\{([+#./;?&]?)([A-Za-z_][A-Za-z0-9_]*)(\*|:[0-9]+)?\}`)

// globTemplate is a pattern in which parameters may stand.
type globTemplate struct {
	// texts are what stands around the variables: one more than there are.
	texts []string
	vars  []globVar
}

type globVar struct {
	param int // its place in Request.Params
	// deep says that the value may have slashes: its variable in the URI can
	// span several segments.
	deep bool
}

// expand puts the values in, literally. False when a value cannot be part of a
// path, or is absent: then nothing matches.
func (g *globTemplate) expand(params []any) (pattern, bool) {
	var b strings.Builder
	for i, v := range g.vars {
		b.WriteString(g.texts[i])
		var text string
		ok := v.param < len(params)
		if ok {
			text, ok = textOf(params[v.param], "/")
		}
		if !ok || text == "" || !v.deep && strings.Contains(text, "/") {
			return pattern{}, false
		}
		for j := 0; j < len(text); j++ {
			if strings.IndexByte(`*?[]{}\,!^-`, text[j]) >= 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(text[j])
		}
	}
	b.WriteString(g.texts[len(g.vars)])
	return newPattern(b.String()), true
}

// widest is a pattern that matches whatever the template does for any values.
func (g *globTemplate) widest() pattern {
	text := g.texts[0]
	for i, v := range g.vars {
		if v.deep {
			return newPattern(text[:strings.LastIndexByte(text, '/')+1] + "**")
		}
		text += "*" + g.texts[i+1]
	}
	return newPattern(text)
}

// pattern is a glob over paths below the root.
type pattern struct {
	text string // composed
	segs []string
	// deep is the number of segments from which on a match may be at any depth;
	// -1 when its depth is that of the pattern.
	deep int
}

func newPattern(text string) pattern {
	text = composed(text)
	p := pattern{text: text, deep: -1}
	choice, start := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '[':
			i = endOfClass(text, i)
		case '{':
			choice++
		case '}':
			choice = max(0, choice-1)
		case '/':
			if choice == 0 {
				p.segs = append(p.segs, text[start:i])
				start = i + 1
				continue
			}
		}
		// From a choice over several segments on the depth is open, too.
		if strings.HasPrefix(text[i:], "**") || choice > 0 && text[i] == '/' {
			p.deep = len(p.segs)
			return p
		}
	}
	p.segs = append(p.segs, text[start:])
	return p
}

// endOfClass returns the place of the bracket that closes the class at i.
func endOfClass(text string, i int) int {
	for j := i + 1; j < len(text); j++ {
		switch text[j] {
		case '\\':
			j++
		case ']':
			return j
		}
	}
	return i
}

// matches reports whether a path matches as a whole. Names and patterns are
// compared in one Unicode normal form.
func (p pattern) matches(name string) bool {
	return doublestar.MatchUnvalidated(p.text, composed(name))
}

// mayHold reports whether a directory may have matches below it, so that the
// others need not be read.
func (p pattern) mayHold(dir string) bool {
	i := 0
	for c := range strings.SplitSeq(dir, "/") {
		if i == p.deep {
			return true
		}
		if i >= len(p.segs)-1 && p.deep < 0 || !doublestar.MatchUnvalidated(p.segs[i], composed(c)) {
			return false
		}
		i++
	}
	return true
}

// decodeGlob checks the glob and notes the parameters that it uses.
func decodeGlob(b *decl.Block, in *decl.SourceContext) (g *globTemplate, uses []int) {
	if !b.Known("glob") {
		return nil, nil
	}
	text := b.String("glob")
	for _, m := range globOperator.FindAllStringSubmatch(text, -1) {
		if name := m[2]; m[1]+m[3] != "" && in.Param(name) >= 0 {
			d := b.Errorf(b.At("glob", strings.Index(text, m[0]), len(m[0])), "invalid_glob", "a variable in a glob has no operator")
			d.Detail = "Write {" + name + "}. Its value may have slashes when its variable in the uri may, as {+" + name + "} does there."
			return nil, nil
		}
	}
	if !doublestar.ValidatePattern(globVariable.ReplaceAllString(text, "x")) {
		d := b.Errorf(b.ValueRange("glob"), "invalid_glob", "glob is not a pattern")
		d.Detail = "A bracket or a brace is not closed, or a backslash stands at the end. Write a pattern such as \"**/*.md\" or \"*.{md,txt}\"."
		return nil, nil
	}
	for c := range strings.SplitSeq(text, "/") {
		if c == "" || c == "." || c == ".." {
			d := b.Errorf(b.ValueRange("glob"), "invalid_glob", "glob matches nothing")
			d.Detail = "It is held against paths relative to the root, which have no empty, \".\" or \"..\" segment. Write a pattern such as \"**/*.md\"."
			return nil, nil
		}
	}
	g = &globTemplate{}
	deep, end := deepVariables(in), 0
	for _, m := range globVariable.FindAllStringIndex(text, -1) {
		name := text[m[0]+1 : m[1]-1]
		i, ok := in.Variable(b, name, b.At("glob", m[0]+1, len(name)))
		if !ok {
			continue
		}
		uses = append(uses, i)
		g.texts = append(g.texts, text[end:m[0]])
		g.vars = append(g.vars, globVar{param: i, deep: deep[name]})
		end = m[1]
	}
	g.texts = append(g.texts, text[end:])
	return g, uses
}

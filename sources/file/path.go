package file

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/mcpdecl/mcpdecl/decl"
)

// pathTemplate is a path in which parameters stand as in a URI template. Other
// than there, what comes out is a name as the file system has it: nothing in
// it is encoded.
type pathTemplate struct {
	parts []pathPart
	// inverse finds the values in a path, one group for each variable.
	inverse *regexp.Regexp
	vars    []pathVar // all of them, in the order of the groups
}

// pathPart is literal text, decoded, or an expression.
type pathPart struct {
	literal string
	op      byte // 0, '+', '.' or '/'
	vars    []pathVar
}

type pathVar struct {
	param *decl.Param
	index int // its place in Request.Params
}

// expand returns the path for the values of a request. It is false when no
// file can have it: an absent value, or a slash where only a part of a name
// can stand.
func (t *pathTemplate) expand(params []any) (string, bool) {
	var b strings.Builder
	for _, p := range t.parts {
		b.WriteString(p.literal)
		for _, v := range p.vars {
			if !v.expand(&b, p.op, params[v.index]) {
				return "", false
			}
		}
	}
	out := b.String()
	if t.rooted() {
		out = strings.TrimPrefix(out, "/")
	}
	return out, validName(out)
}

func (v *pathVar) expand(b *strings.Builder, op byte, value any) bool {
	sep := ""
	if op == '/' || op == '.' {
		if value == nil {
			return true
		}
		sep = string(op)
	}
	texts := []string{""}
	if v.param.Type.IsList() {
		texts = textsOf(value)
	} else {
		text, ok := textOf(value, "")
		if !ok {
			return false
		}
		texts[0] = text
	}
	for _, text := range texts {
		if text == "" || op != '+' && strings.Contains(text, "/") {
			return false
		}
		b.WriteString(sep)
		b.WriteString(text)
	}
	return true
}

// rooted reports whether the template itself makes the path begin with a
// slash, which is not part of a name below the root.
func (t *pathTemplate) rooted() bool {
	if len(t.parts) == 0 {
		return false
	}
	return strings.HasPrefix(t.parts[0].literal, "/") || t.parts[0].op == '/'
}

// match reads from a path the texts of the parameters that expand to it, and
// their values in the order of Request.Params, as far as they go.
func (t *pathTemplate) match(name string) (texts map[string]any, values []any, ok bool) {
	groups := t.inverse.FindStringSubmatch(name)
	if groups == nil && t.rooted() {
		groups = t.inverse.FindStringSubmatch("/" + name)
	}
	if groups == nil {
		return nil, nil, false
	}
	texts = map[string]any{}
	for i, v := range t.vars {
		for v.index >= len(values) {
			values = append(values, nil)
		}
		text := groups[i+1]
		var broken *decl.Broken
		switch {
		case text == "":
			continue
		case v.param.Type.IsList():
			list := strings.Split(strings.TrimPrefix(text, "/"), "/")
			texts[v.param.Name] = list
			values[v.index], broken = v.param.ConvertStrings(list)
		default:
			texts[v.param.Name] = text
			values[v.index], broken = v.param.ConvertString(text)
		}
		if broken != nil {
			return nil, nil, false
		}
	}
	// 007 is the number 7, which leads to another file.
	again, ok := t.expand(values)
	return texts, values, ok && again == name
}

// pattern is a glob that every path of the template matches, to keep a walk
// out of the directories that cannot have any.
func (t *pathTemplate) pattern() pattern {
	var b strings.Builder
	for _, p := range t.parts {
		for i := 0; i < len(p.literal); i++ {
			if strings.IndexByte(`*?[]{}\`, p.literal[i]) >= 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(p.literal[i])
		}
		switch {
		case p.vars == nil:
		case p.op == '+' || p.op == '/':
			// The rest may be at any depth; so may what stands before it in
			// the same segment.
			text := b.String()
			return newPattern(strings.TrimPrefix(text[:strings.LastIndexByte(text, '/')+1]+"**", "/"))
		default:
			b.WriteString("*")
		}
	}
	return newPattern(strings.TrimPrefix(b.String(), "/"))
}

// textOf is a value as it stands in a path; a list is joined. False when it is
// absent, or a list that cannot be joined.
func textOf(v any, sep string) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case bool:
		return strconv.FormatBool(v), true
	case []string, []int64:
		texts := textsOf(v)
		for _, t := range texts {
			if t == "" || strings.Contains(t, "/") {
				return "", false
			}
		}
		return strings.Join(texts, sep), sep != ""
	}
	return "", false
}

func textsOf(v any) []string {
	switch v := v.(type) {
	case []string:
		return v
	case []int64:
		out := make([]string, len(v))
		for i, n := range v {
			out[i] = strconv.FormatInt(n, 10)
		}
		return out
	}
	return nil
}

package uritmpl

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Parse reads a template of RFC 6570, levels 1 to 4. The error is an *Error
// about the first mistake in the text.
//
// A template that parses can be expanded. Whether URIs can be matched against
// it is for Compile to say.
func Parse(s string) (*Template, error) {
	t, err := parse(s)
	if err == nil {
		return t, nil
	}
	// A text with two mistakes has no correction in one step.
	if _, again := parse(err.Suggestion); again != nil {
		err.Suggestion = ""
	}
	return nil, err
}

func parse(s string) (*Template, *Error) {
	t := &Template{text: s}
	for i := 0; i < len(s); {
		var p part
		var err *Error
		switch s[i] {
		case '{':
			p, err = t.parseExpression(i)
		case '}':
			err = t.strayBrace(i)
		default:
			p, err = t.parseLiteral(i)
		}
		if err != nil {
			return nil, err
		}
		t.parts = append(t.parts, p)
		i = p.end
	}
	t.collectVariables()
	return t, nil
}

func (t *Template) strayBrace(i int) *Error {
	e := t.fail(CodeStrayCloseBrace, i, i+1, `"}" closes no expression`,
		`Remove it, or write a literal brace as %7D.`)
	e.Suggestion = t.with(i, i+1, "")
	return e
}

func (t *Template) parseLiteral(from int) (part, *Error) {
	s := t.text
	i := from
	for i < len(s) && s[i] != '{' && s[i] != '}' {
		switch {
		case s[i] == '%':
			if _, ok := triplet(s, i); !ok {
				return part{}, t.badPercent(i)
			}
			i += 3
		case s[i] >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 || r < 0xA0 {
				return part{}, t.fail(CodeIllegalLiteralChar, i, i+n,
					fmt.Sprintf("%s is not UTF-8 text", quote(s[i:i+n])), "Write the template in UTF-8.")
			}
			i += n
		case isLiteral(s[i]):
			i++
		default:
			return part{}, t.illegalChar(i)
		}
	}
	return part{off: from, end: i, lit: s[from:i]}, nil
}

func (t *Template) badPercent(i int) *Error {
	end := min(i+3, len(t.text))
	e := t.fail(CodeBadPercent, i, end,
		fmt.Sprintf("%s is not a percent-encoded octet", quote(t.text[i:end])),
		"Write two hexadecimal digits after %, or %25 for a percent sign.")
	e.Suggestion = t.with(i, i+1, "%25")
	return e
}

func (t *Template) illegalChar(i int) *Error {
	c := t.text[i]
	enc := string(appendTriplet(nil, c))
	e := t.fail(CodeIllegalLiteralChar, i, i+1,
		fmt.Sprintf("%s may not stand in a URI", quote(t.text[i:i+1])),
		"Write it percent-encoded, as "+enc+".")
	if c == '\n' || c == '\r' {
		e.Fix = "Write the template on one line, in quotes."
	}
	if c >= ' ' && c != 0x7f && strings.TrimSpace(t.text) != "" {
		e.Suggestion = t.with(i, i+1, enc)
	}
	return e
}

// parseExpression reads from the brace at off to the first closing brace.
func (t *Template) parseExpression(off int) (part, *Error) {
	n := strings.IndexByte(t.text[off:], '}')
	if n < 0 {
		e := t.fail(CodeUnclosedExpression, off, len(t.text),
			fmt.Sprintf("%s has no closing brace", quote(t.text[off:])), `Add "}" after the last variable.`)
		e.Suggestion = t.text + "}"
		return part{}, e
	}
	end := off + n + 1
	body := t.text[off+1 : end-1]
	x := &expression{off: off, end: end}
	if body == "" {
		return part{}, t.fail(CodeEmptyExpression, off, end, `"{}" has no variable`,
			"Name a variable between the braces, as in {id}.")
	}
	at := off + 1
	if strings.IndexByte("+#./;?&", body[0]) >= 0 {
		x.op = body[0]
		at++
	} else if strings.IndexByte("=,!@|", body[0]) >= 0 {
		return part{}, t.reservedOperator(x, body)
	}
	if at == end-1 {
		return part{}, t.fail(CodeOperatorWithoutVariable, off, end,
			fmt.Sprintf("%s has an operator and no variable", quote(t.text[off:end])),
			fmt.Sprintf("Name a variable after %s, as in {%sname}.", quote(body[:1]), body[:1]))
	}
	for _, spec := range strings.Split(t.text[at:end-1], ",") {
		v, err := t.parseVarspec(x, spec, at)
		if err != nil {
			return part{}, err
		}
		x.vars = append(x.vars, v)
		at = v.end + 1
	}
	return part{off: off, end: end, expr: x}, nil
}

func (t *Template) reservedOperator(x *expression, body string) *Error {
	e := t.fail(CodeReservedOperator, x.off+1, x.off+2,
		fmt.Sprintf("operator %s is reserved and has no meaning", quote(body[:1])),
		"Remove it, or use one of + # . / ; ? &.")
	e.Suggestion = t.with(x.off+1, x.off+2, "")
	return e
}

// parseVarspec reads a name with its modifier; at is where spec stands.
func (t *Template) parseVarspec(x *expression, spec string, at int) (varspec, *Error) {
	v := varspec{name: spec, off: at, end: at + len(spec)}
	if name, mod, found := strings.Cut(spec, ":"); found {
		if !strings.HasSuffix(name, "*") && validName(name) != 0 {
			return v, t.badName(x, name, at)
		}
		n, ok := prefixLength(mod)
		if !ok || strings.HasSuffix(name, "*") {
			return v, t.badPrefix(spec, at)
		}
		v.name, v.prefix = name, n
		return v, nil
	}
	if strings.HasSuffix(spec, "*") {
		v.name, v.explode = spec[:len(spec)-1], true
	}
	if validName(v.name) != 0 {
		return v, t.badName(x, v.name, at)
	}
	return v, nil
}

func (t *Template) badPrefix(spec string, at int) *Error {
	e := t.fail(CodeBadPrefixModifier, at, at+len(spec),
		fmt.Sprintf("%s has no valid prefix length", quote(spec)),
		"A prefix is :1 to :9999 and never stands together with *.")
	name, _, _ := strings.Cut(spec, ":")
	e.Suggestion = t.with(at, at+len(spec), strings.TrimSuffix(name, "*"))
	return e
}

// prefixLength reads max-length of RFC 6570 section 2.4.1.
func prefixLength(s string) (int, bool) {
	if len(s) < 1 || len(s) > 4 || s[0] == '0' {
		return 0, false
	}
	n := 0
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

// validName returns 0 for a varname of RFC 6570 section 2.3, otherwise the
// offset of the first wrong byte plus one.
func validName(s string) int {
	dot := true // a dot may not come first, and not twice
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isAlpha(c) || isDigit(c) || c == '_':
			dot = false
		case c == '%':
			if _, ok := triplet(s, i); !ok {
				return i + 1
			}
			i += 2
			dot = false
		case c == '.' && !dot:
			dot = true
		default:
			return i + 1
		}
	}
	if dot {
		return len(s) + 1
	}
	return 0
}

func (t *Template) badName(x *expression, name string, at int) *Error {
	if name == "" {
		e := t.fail(CodeBadVariableName, at, at, fmt.Sprintf("%s has an empty variable name", quote(t.text[x.off:x.end])),
			"Name the variable, or remove the comma.")
		e.Suggestion = t.with(x.off, x.end, strings.NewReplacer(",,", ",", "{,", "{", ",}", "}").Replace(t.text[x.off:x.end]))
		return e
	}
	bad := validName(name) - 1
	what := "the end"
	if bad < len(name) {
		_, n := utf8.DecodeRuneInString(name[bad:])
		what = quote(name[bad : bad+n])
	}
	e := t.fail(CodeBadVariableName, at, at+len(name),
		fmt.Sprintf("%s is not a variable name: %s is not allowed there", quote(name), what),
		"A name has letters, digits, _ and single dots inside.")
	if fixed := repairName(name); fixed != "" {
		e.Suggestion = t.with(at, at+len(name), fixed)
	}
	return e
}

// repairName replaces what may not stand in a name by underscores, or returns
// "" where that would not look like what was meant.
func repairName(name string) string {
	name = strings.Trim(name, " .-")
	out := []byte(name)
	for i, c := range out {
		switch {
		case c == '-' || c == ' ':
			out[i] = '_'
		case !isAlpha(c) && !isDigit(c) && c != '_' && c != '.':
			return ""
		}
	}
	fixed := string(out)
	for strings.Contains(fixed, "..") {
		fixed = strings.ReplaceAll(fixed, "..", ".")
	}
	if validName(fixed) != 0 {
		return ""
	}
	return fixed
}

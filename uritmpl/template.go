package uritmpl

// A Template is a parsed RFC 6570 template of any level. It is immutable.
type Template struct {
	text  string
	parts []part
	vars  []Variable
}

// A part is either literal text or an expression.
type part struct {
	off, end int
	lit      string // as written; empty for an expression
	expr     *expression
}

type expression struct {
	op       byte // 0 for simple expansion, else one of + # . / ; ? &
	off, end int  // from the opening brace to behind the closing one
	vars     []varspec
}

type varspec struct {
	name     string
	prefix   int // 0 for none
	explode  bool
	off, end int // name and modifier
}

// A Variable is one variable of a template, in the order of the text.
type Variable struct {
	Name         string
	Operator     string // "" or one of + # . / ; ? &
	Required     bool   // a URI without it does not match
	List         bool   // exploded: its value is a list
	MultiSegment bool   // its value may span several path segments
	Offset       int    // of the name, in bytes of the template
	Length       int    // of the name with its modifier
}

// String returns the template as it was parsed.
func (t *Template) String() string { return t.text }

// Variables returns the variables in the order of the text. The slice is the
// caller's.
func (t *Template) Variables() []Variable {
	return append([]Variable(nil), t.vars...)
}

func (t *Template) collectVariables() {
	for _, p := range t.parts {
		if p.expr == nil {
			continue
		}
		op := p.expr.op
		for _, v := range p.expr.vars {
			out := Variable{
				Name: v.name, Required: op == 0 || op == '+', List: v.explode,
				MultiSegment: op == '+' || op == '#' || op == '/' && v.explode,
				Offset:       v.off, Length: v.end - v.off,
			}
			if op != 0 {
				out.Operator = string(op)
			}
			t.vars = append(t.vars, out)
		}
	}
}

// fail makes an Error about t[off:end].
func (t *Template) fail(code string, off, end int, reason, fix string) *Error {
	return &Error{Code: code, Template: t.text, Offset: off, Length: end - off, Reason: reason, Fix: fix}
}

// with returns the template with text[off:end] replaced, for suggestions.
func (t *Template) with(off, end int, text string) string {
	return t.text[:off] + text + t.text[end:]
}

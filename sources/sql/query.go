package sql

import (
	"fmt"
	"slices"
	"strings"
)

// query is a statement split at its placeholders. It is immutable.
type query struct {
	dialect *dialect
	text    string
	marks   []mark
	names   []string // distinct placeholder names in order of first appearance
	verb    string   // the first word, in upper case
	static  string   // the text to send when no name is a list
	order   []int    // for static: the name bound at each position
	locks   bool     // it may take locks that outlive its transaction
	assigns bool     // it sets variables of the session
}

// mark is one placeholder in the text.
type mark struct {
	start, end int
	name       int  // index into query.names
	inList     bool // an element of IN (...)
	alone      bool // the only element of IN (...)
	negated    bool // of NOT IN (...)
}

// problem is a mistake in the text of a query, at n bytes from offset.
type problem struct {
	offset, n             int
	code, summary, detail string
}

// parseQuery splits the text; the problems are what can be said of it without
// knowing the parameters.
func parseQuery(d *dialect, text string) (*query, []problem) {
	p := &queryParser{q: &query{dialect: d, text: text}, lexer: lexer{rules: d.lex, src: text}}
	p.run()
	q := p.q
	if p.tokens == 0 {
		p.report(token{end: len(text)}, "empty_query", "the query is empty", "Write one statement, such as \"SELECT * FROM customers WHERE id = :id\".")
	}
	q.static, q.order = q.expand(nil, nil)
	q.locks = d.locks != "" && strings.Contains(strings.ToLower(text), d.locks)
	return q, p.problems
}

type queryParser struct {
	lexer    lexer
	q        *query
	problems []problem
	tokens   int
	ended    bool // a semicolon was seen
	several  bool // reported
	parens   []paren
	prev     token // the last token that is not space
	before   token // the one before it
}

// paren is an open parenthesis.
type paren struct {
	in, negated bool // it opens the list of [NOT] IN
	elements    int  // that have ended
	words       int  // tokens in the current element
}

func (p *queryParser) run() {
	for {
		t, ok := p.lexer.next()
		if !ok {
			p.endElement(true)
			return
		}
		if t.open {
			p.reportOpen(t)
		}
		if t.kind == tokenSpace {
			continue
		}
		p.token(t)
		p.before, p.prev = p.prev, t
	}
}

func (p *queryParser) token(t token) {
	if p.ended && t.kind != tokenSemicolon && !p.several {
		p.several = true
		p.report(t, "several_statements", "the query has more than one statement",
			"A query is one statement. Remove what follows the \";\", or declare a second source for it.")
	}
	switch t.kind {
	case tokenSemicolon:
		if p.tokens > 0 {
			p.ended = true
		}
		return
	case tokenNative:
		p.reportNative(t)
	case tokenPlaceholder:
		p.placeholder(t)
	case tokenOpen:
		p.word()
		p.open(t)
		p.tokens++
		return
	case tokenClose:
		p.endElement(true)
		if n := len(p.parens); n > 0 {
			p.parens = p.parens[:n-1]
		}
		p.tokens++
		return
	case tokenComma:
		p.endElement(false)
		p.tokens++
		return
	case tokenOther:
		if p.q.dialect.assigns && strings.HasPrefix(p.q.text[t.start:], ":=") {
			p.q.assigns = true
		}
	case tokenWord:
		if p.q.verb == "" {
			p.q.verb = strings.ToUpper(p.text(t))
		}
	}
	p.tokens++
	p.word()
}

// word counts a token of the current element.
func (p *queryParser) word() {
	if n := len(p.parens); n > 0 {
		p.parens[n-1].words++
	}
}

func (p *queryParser) text(t token) string { return p.q.text[t.start:t.end] }

func (p *queryParser) isWord(t token, word string) bool {
	return t.kind == tokenWord && strings.EqualFold(p.text(t), word)
}

func (p *queryParser) open(t token) {
	in := p.isWord(p.prev, "in") && p.q.text[t.start] == '('
	p.parens = append(p.parens, paren{in: in, negated: in && p.isWord(p.before, "not")})
}

func (p *queryParser) placeholder(t token) {
	name := p.q.text[t.start+1 : t.end]
	p.q.marks = append(p.q.marks, mark{start: t.start, end: t.end, name: p.nameIndex(name)})
}

// endElement ends an element of a list: a placeholder in it is an element of
// IN (...) only when nothing else is in the element.
func (p *queryParser) endElement(closing bool) {
	if len(p.parens) == 0 {
		return
	}
	top := &p.parens[len(p.parens)-1]
	if top.in && top.words == 1 && p.prev.kind == tokenPlaceholder {
		m := &p.q.marks[len(p.q.marks)-1]
		m.inList, m.negated, m.alone = true, top.negated, closing && top.elements == 0
	}
	top.elements++
	top.words = 0
}

func (p *queryParser) nameIndex(name string) int {
	for i, n := range p.q.names {
		if n == name {
			return i
		}
	}
	p.q.names = append(p.q.names, name)
	return len(p.q.names) - 1
}

func (p *queryParser) report(t token, code, summary, detail string) {
	p.problems = append(p.problems, problem{t.start, t.end - t.start, code, summary, detail})
}

func (p *queryParser) reportOpen(t token) {
	what := map[tokenKind]string{tokenSpace: "comment", tokenQuoted: "quoted name"}[t.kind]
	if what == "" {
		what = "string"
	}
	t.end = min(t.end, t.start+1)
	p.report(t, "unclosed_quote", "the "+what+" that starts here is never closed",
		"Close it, or double a quote that belongs to the text.")
}

func (p *queryParser) reportNative(t token) {
	written := p.text(t)
	name := strings.TrimLeft(written, "?$@#:")
	if name == "" || isDigit(name[0]) {
		name = "name"
	}
	p.report(t, "native_placeholder", fmt.Sprintf("%q is not a placeholder here", written),
		fmt.Sprintf("Values are bound by name in every database: write :%s, where the name is that of a parameter or of an entry of args.", name))
}

// expand writes the text with the dialect's own placeholders. counts[name] is
// the number of values of a list, or -1 for one value; nil means no lists. The
// order says, for each value to bind, which name it comes from; a list's
// values follow one another. types names the database's types of lists that
// are empty, where it matters.
func (q *query) expand(counts []int, types []string) (text string, order []int) {
	buf := make([]byte, 0, len(q.text)+8*len(q.marks))
	first := make([]int, len(q.names)) // the number of a name's first placeholder
	at := 0
	for _, m := range q.marks {
		buf = append(buf, q.text[at:m.start]...)
		at = m.end
		count := 1
		if counts != nil && counts[m.name] >= 0 {
			count = counts[m.name]
		}
		if count == 0 {
			buf = append(buf, q.emptyList(m, types)...)
			continue
		}
		known := q.dialect.numbered && first[m.name] > 0
		if !known {
			first[m.name] = len(order) + 1
		}
		for i := range count {
			if i > 0 {
				buf = append(buf, ", "...)
			}
			if !known {
				order = append(order, m.name)
			}
			buf = q.dialect.placeholder(buf, first[m.name]+i)
		}
	}
	return string(append(buf, q.text[at:]...)), order
}

func (q *query) emptyList(m mark, types []string) string {
	switch {
	case !m.alone:
		return "NULL"
	case m.negated && types != nil && types[m.name] != "":
		return "SELECT NULL::" + types[m.name] + " WHERE FALSE"
	}
	return q.dialect.emptyList
}

// untypedEmpty returns the names of lists that are empty inside NOT IN, for a
// database in which only a typed nothing is in no list.
func (q *query) untypedEmpty(counts []int) []int {
	if !q.dialect.typedEmpty {
		return nil
	}
	var names []int
	for _, m := range q.marks {
		if m.alone && m.negated && counts[m.name] == 0 && !slices.Contains(names, m.name) {
			names = append(names, m.name)
		}
	}
	return names
}

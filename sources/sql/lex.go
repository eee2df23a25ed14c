package sql

import "strings"

// tokenKind is what a stretch of a statement is.
type tokenKind int

const (
	tokenSpace       tokenKind = iota // white space and comments
	tokenWord                         // a keyword or an identifier
	tokenNumber                       // 1, 1.5e3, 0xff
	tokenString                       // a string in whatever quotes
	tokenQuoted                       // a quoted identifier
	tokenPlaceholder                  // :name
	tokenNative                       // a placeholder of the database's own
	tokenSemicolon                    // ;
	tokenOpen                         // ( or [
	tokenClose                        // ) or ]
	tokenComma                        // ,
	tokenSlice                        // the colon of a[1:n]
	tokenOther                        // operators and anything else
)

// token is a stretch of the text. The tokens of a text follow one another
// without a gap, so that whatever is not replaced stays as it was written.
type token struct {
	kind       tokenKind
	start, end int
	open       bool // a quote or comment that the text never closes
}

// lexer cuts a statement into tokens by the rules of its dialect. It never
// fails: what it does not know is tokenOther.
type lexer struct {
	rules lexRules
	src   string
	pos   int
	// last is the last token that is not space; brackets counts the [ that are
	// open. Both tell the colon of a slice from that of a placeholder.
	last     token
	brackets int
}

func (l *lexer) next() (token, bool) {
	if l.pos >= len(l.src) {
		return token{}, false
	}
	t := token{start: l.pos}
	t.kind, t.end, t.open = l.scan(l.pos)
	l.pos = t.end
	if t.kind != tokenSpace {
		l.last = t
	}
	return t, true
}

// scan returns the kind and the end of the token at i.
func (l *lexer) scan(i int) (kind tokenKind, end int, open bool) {
	r, s := &l.rules, l.src
	switch c := s[i]; {
	case isSpace(c):
		return tokenSpace, l.skip(i, isSpace), false
	case l.lineComment(i):
		if n := strings.IndexAny(s[i:], r.lineEnds()); n >= 0 {
			return tokenSpace, i + n + 1, false
		}
		return tokenSpace, len(s), false
	case r.hashComments && (strings.HasPrefix(s[i:], "/*!") || strings.HasPrefix(s[i:], "/*M!")):
		// MySQL executes what stands in such a comment.
		return tokenSpace, l.skip(strings.IndexByte(s[i:], '!')+i+1, isDigit), false
	case r.hashComments && strings.HasPrefix(s[i:], "*/"):
		return tokenSpace, i + 2, false
	case strings.HasPrefix(s[i:], "/*"):
		end, open = l.blockComment(i)
		return tokenSpace, end, open
	case c == '\'':
		end, open = l.quoted(i, '\'', r.backslash)
		return tokenString, end, open
	case c == '"':
		end, open = l.quoted(i, '"', r.backslash)
		return r.doubleQuoted, end, open
	case c == '`' && r.backticks:
		end, open = l.quoted(i, '`', false)
		return tokenQuoted, end, open
	case c == '[' && r.brackets:
		if n := strings.IndexByte(s[i:], ']'); n >= 0 {
			return tokenQuoted, i + n + 1, false
		}
		return tokenQuoted, len(s), true
	case isDigit(c) || c == '.' && i+1 < len(s) && isDigit(s[i+1]):
		return tokenNumber, l.number(i), false
	case isWordStart(c):
		end = l.skip(i, isWordPart)
		if r.eStrings && end == i+1 && (c == 'e' || c == 'E') && end < len(s) && s[end] == '\'' {
			end, open = l.escapeString(end)
			return tokenString, end, open
		}
		return tokenWord, end, false
	case c == ':':
		return l.colon(i)
	}
	return l.sign(i)
}

// sign scans what starts with a sign other than a quote, a comment or a colon.
func (l *lexer) sign(i int) (kind tokenKind, end int, open bool) {
	r, s := &l.rules, l.src
	switch c := s[i]; c {
	case '$':
		return l.dollar(i)
	case '@', '#':
		if r.named && i+1 < len(s) && isWordPart(s[i+1]) {
			return tokenNative, l.skip(i+1, isWordPart), false
		}
	case '?':
		if r.questionMark {
			return tokenNative, l.skip(i+1, isDigit), false
		}
	case ';':
		return tokenSemicolon, i + 1, false
	case ',':
		return tokenComma, i + 1, false
	case '(', '[':
		if c == '[' {
			l.brackets++
		}
		return tokenOpen, i + 1, false
	case ')', ']':
		if c == ']' && l.brackets > 0 {
			l.brackets--
		}
		return tokenClose, i + 1, false
	}
	return tokenOther, i + 1, false
}

// colon scans :name, ::, :=, the colon of a slice, and :1, which SQLite takes for
// a placeholder as well.
func (l *lexer) colon(i int) (kind tokenKind, end int, open bool) {
	end = l.skip(i, func(c byte) bool { return c == ':' })
	if l.rules.named && end < len(l.src) && isWordPart(l.src[end]) && (end-i > 1 || !isWordStart(l.src[end])) {
		return tokenNative, l.skip(end, isWordPart), false
	}
	if end-i > 1 || end == len(l.src) || !isWordStart(l.src[end]) {
		if end-i == 1 && l.rules.subscripts && l.brackets > 0 {
			return tokenSlice, end, false
		}
		return tokenOther, end, false
	}
	if l.rules.subscripts && l.brackets > 0 && l.operandBefore() {
		return tokenSlice, end, false
	}
	return tokenPlaceholder, l.skip(end, isNamePart), false
}

// operandBefore reports whether an operand has just ended. In a[lo:hi] the
// colon follows one; a placeholder never does.
func (l *lexer) operandBefore() bool {
	switch l.last.kind {
	case tokenNumber, tokenString, tokenQuoted, tokenClose, tokenPlaceholder:
		return true
	case tokenWord:
		switch strings.ToLower(l.src[l.last.start:l.last.end]) {
		case "and", "or", "not", "in", "like", "ilike", "is", "between", "case", "when", "then", "else", "distinct", "from":
			return false
		}
		return true
	}
	return false
}

// dollar scans $tag$ ... $tag$, $1 and $name.
func (l *lexer) dollar(i int) (kind tokenKind, end int, open bool) {
	s := l.src
	after := l.skip(i+1, isNamePart)
	if l.rules.dollarQuotes && after < len(s) && s[after] == '$' && (after == i+1 || !isDigit(s[i+1])) {
		tag := s[i : after+1]
		if n := strings.Index(s[after+1:], tag); n >= 0 {
			return tokenString, after + 1 + n + len(tag), false
		}
		return tokenString, len(s), true
	}
	if i+1 < len(s) && isDigit(s[i+1]) && l.rules.dollarNumber {
		return tokenNative, l.skip(i+1, isDigit), false
	}
	if after > i+1 && l.rules.named {
		return tokenNative, after, false
	}
	return tokenOther, i + 1, false
}

func (l *lexer) lineComment(i int) bool {
	s := l.src[i:]
	if s[0] == '#' {
		return l.rules.hashComments
	}
	if !strings.HasPrefix(s, "--") {
		return false
	}
	return !l.rules.dashSpace || len(s) == 2 || s[2] <= ' '
}

func (l *lexer) blockComment(i int) (end int, open bool) {
	s, depth := l.src, 1
	for i += 2; i < len(s); {
		switch {
		case strings.HasPrefix(s[i:], "*/"):
			i += 2
			if depth--; depth == 0 {
				return i, false
			}
		case l.rules.nestedComments && strings.HasPrefix(s[i:], "/*"):
			i += 2
			depth++
		default:
			i++
		}
	}
	return i, true
}

// quoted scans a string whose quote is doubled inside it.
func (l *lexer) quoted(i int, quote byte, backslash bool) (end int, open bool) {
	s := l.src
	for i++; i < len(s); i++ {
		switch {
		case s[i] == '\\' && backslash:
			i++
		case s[i] == quote:
			if i+1 < len(s) && s[i+1] == quote {
				i++
				continue
			}
			return i + 1, false
		}
	}
	return len(s), true
}

// escapeString scans a string with escapes. Where one ends and another begins
// after a line break, the other is a part of it, with escapes too.
func (l *lexer) escapeString(i int) (end int, open bool) {
	for {
		if end, open = l.quoted(i, '\'', true); open {
			return end, open
		}
		if i = l.continuation(end); i < 0 {
			return end, false
		}
	}
}

// continuation returns where a string that ended goes on, or -1: behind white
// space with a line break, in which comments to the end of a line may stand.
func (l *lexer) continuation(i int) int {
	broken := false
	for i < len(l.src) {
		switch c := l.src[i]; {
		case isSpace(c):
			broken = broken || c == '\n' || c == '\r'
			i++
		case l.lineComment(i):
			i = l.skip(i, func(c byte) bool { return c != '\n' && c != '\r' })
		case broken && c == '\'':
			return i
		default:
			return -1
		}
	}
	return -1
}

// number scans a number; what a dialect would refuse in one is left to it.
func (l *lexer) number(i int) int {
	s := l.src
	hex := strings.HasPrefix(s[i:], "0x") || strings.HasPrefix(s[i:], "0X")
	for ; i < len(s); i++ {
		c := s[i]
		if (c == '+' || c == '-') && !hex && (s[i-1] == 'e' || s[i-1] == 'E') && i+1 < len(s) && isDigit(s[i+1]) {
			continue
		}
		if !isWordPart(c) && c != '.' || c == '$' {
			break
		}
	}
	return i
}

func (l *lexer) skip(i int, in func(byte) bool) int {
	for i < len(l.src) && in(l.src[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func isWordPart(c byte) bool { return isWordStart(c) || isDigit(c) || c == '$' }

// isNamePart are the letters of a placeholder's name: those of an HCL
// identifier but the hyphen, which is a minus in SQL.
func isNamePart(c byte) bool { return isWordStart(c) || isDigit(c) }

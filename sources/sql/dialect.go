package sql

import "strconv"

// dialect is how a database reads the text of a statement.
type dialect struct {
	name  string // as in the label of the connection block
	title string // as in messages
	lex   lexRules
	// placeholder appends the n-th placeholder, counted from 1.
	placeholder func(buf []byte, n int) []byte
	// numbered says that a placeholder carries its number, so that a name that
	// stands twice is bound once.
	numbered bool
	// emptyList stands for the values of an empty list inside IN (...), when
	// the list is all there is between the parentheses.
	emptyList string
	// typedEmpty says that NOT IN with nothing in the list needs to know the
	// type of what is not there: NOT IN (NULL) is never true.
	typedEmpty bool
	// locks is a part of the names of functions that take locks for the session,
	// in lower case. What takes them inside a function of the database's own is
	// not seen.
	locks string
	// assigns says that a := in a query sets a variable of the session.
	assigns bool
	// unchecked says what the database tells of no statement without running it.
	unchecked string
	// maxBound is how many values one statement takes.
	maxBound int
}

// lexRules are the rules in which dialects differ.
type lexRules struct {
	backslash      bool // 'it\'s' is one string
	eStrings       bool // E'it\'s' is one string
	dollarQuotes   bool // $tag$ ... $tag$
	brackets       bool // [a name] is a quoted identifier
	subscripts     bool // a[1:n] is a slice
	nestedComments bool
	hashComments   bool
	dashSpace      bool // -- starts a comment only before white space
	returnEnds     bool // a carriage return ends a -- comment
	doubleQuoted   tokenKind
	backticks      bool
	// natives are the placeholders that the database itself knows. Named ones
	// begin with $, @, # or : and go on with letters, digits, _ and $.
	questionMark, dollarNumber, named bool
}

func (r *lexRules) lineEnds() string {
	if r.returnEnds {
		return "\r\n"
	}
	return "\n"
}

func questionNumber(buf []byte, n int) []byte {
	return strconv.AppendInt(append(buf, '?'), int64(n), 10)
}

func dollarNumber(buf []byte, n int) []byte {
	return strconv.AppendInt(append(buf, '$'), int64(n), 10)
}

func question(buf []byte, _ int) []byte { return append(buf, '?') }

// dialectOf returns the dialect of a connection kind, or nil.
func dialectOf(kind string) *dialect {
	switch kind {
	case "sqlite":
		return sqliteDialect()
	case "postgres":
		return postgresDialect()
	case "mysql":
		return mysqlDialect()
	}
	return nil
}

func sqliteDialect() *dialect {
	return &dialect{
		name: "sqlite", title: "SQLite",
		lex: lexRules{
			brackets: true, backticks: true, doubleQuoted: tokenQuoted,
			questionMark: true, dollarNumber: true, named: true,
		},
		placeholder: questionNumber, numbered: true,
		emptyList: "", // IN () is false and NOT IN () is true
		maxBound:  32766,
		unchecked: "SQLite columns take values of any type, so parameter types were not checked.",
	}
}

func postgresDialect() *dialect {
	return &dialect{
		name: "postgres", title: "PostgreSQL",
		lex: lexRules{
			eStrings: true, dollarQuotes: true, subscripts: true,
			nestedComments: true, returnEnds: true, doubleQuoted: tokenQuoted, dollarNumber: true,
		},
		placeholder: dollarNumber, numbered: true,
		emptyList:  "NULL", // no value is in it; its type is that of the left side
		typedEmpty: true,
		unchecked:  "What functions do was not checked.",
		locks:      "advisory", // pg_advisory_lock, pg_try_advisory_lock_shared
		maxBound:   65535,
	}
}

func mysqlDialect() *dialect {
	return &dialect{
		name: "mysql", title: "MySQL",
		lex: lexRules{
			backslash: true, hashComments: true, dashSpace: true, backticks: true,
			doubleQuoted: tokenString, questionMark: true,
		},
		placeholder: question,
		emptyList:   "SELECT NULL FROM DUAL WHERE FALSE",
		locks:       "get_lock",
		assigns:     true,
		unchecked:   "MySQL does not tell the types of values, so parameter types were not checked.",
		maxBound:    65535,
	}
}

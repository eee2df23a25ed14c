package sql

import (
	"slices"
	"strings"
	"testing"
)

func allDialects() []*dialect {
	return []*dialect{sqliteDialect(), postgresDialect(), mysqlDialect()}
}

func TestB3_OnlyPlaceholdersAreReplaced(t *testing.T) {
	for _, c := range []struct{ dialect, query, want string }{
		{"postgres", `SELECT name::text, ':x', 'it''s -- :y', d->>'k' FROM t /* :z */ WHERE d ? 'a' AND id = :id -- it's :w`,
			`SELECT name::text, ':x', 'it''s -- :y', d->>'k' FROM t /* :z */ WHERE d ? 'a' AND id = $1 -- it's :w`},
		{"postgres", `SELECT E'it\'s :x', $$ :y $$, $t$ $$ :z $t$, U&"a:b", "q"":r" WHERE a = :a /* /* :n */ :m */ AND b = :b`,
			`SELECT E'it\'s :x', $$ :y $$, $t$ $$ :z $t$, U&"a:b", "q"":r" WHERE a = $1 /* /* :n */ :m */ AND b = $2`},
		{"postgres", `SELECT a[1:2], a[:lo], a[lo:hi], a[1:hi], ARRAY[:x, :y], a[n + :z], f(n := :v), a[:lo : :hi]`,
			`SELECT a[1:2], a[$1], a[lo:hi], a[1:hi], ARRAY[$2, $3], a[n + $4], f(n := $5), a[$1 : $6]`},
		{"postgres", `SELECT 'a\' , :x, d @> :y, d ?| :z, d ?& ARRAY['a'], d @? '$.a', d #>> '{a}', a$1, :x::int, 5--:q` + "\r" + `, :w`,
			`SELECT 'a\' , $1, d @> $2, d ?| $3, d ?& ARRAY['a'], d @? '$.a', d #>> '{a}', a$1, $1::int, 5--:q` + "\r" + `, $4`},
		{"postgres", `SELECT 0xe--:c` + "\n" + `, 1e5, 1.5e-3, .5, :a`, `SELECT 0xe--:c` + "\n" + `, 1e5, 1.5e-3, .5, $1`},
		{"mysql", `SELECT 'it\'s :x', "say \":y\"", ` + "`:z`" + `, a--:b # :c` + "\n" + `-- :d` + "\n" + `/* :e */ WHERE x = :x AND y = :x AND @v := :v`,
			`SELECT 'it\'s :x', "say \":y\"", ` + "`:z`" + `, a--? # :c` + "\n" + `-- :d` + "\n" + `/* :e */ WHERE x = ? AND y = ? AND @v := ?`},
		{"mysql", `SELECT 1 /*!50000 + :x */ /*M! , :y */ /* :z */`, `SELECT 1 /*!50000 + ? */ /*M! , ? */ /* :z */`},
		{"sqlite", `SELECT [a :b], "c :d", ` + "`e :f`" + `, 'g\', :h, x'00', d->>'$.x' FROM t WHERE i = :h AND j = :j`,
			`SELECT [a :b], "c :d", ` + "`e :f`" + `, 'g\', ?1, x'00', d->>'$.x' FROM t WHERE i = ?1 AND j = ?2`},
		{"postgres", "SELECT E'a'\n'\\':x' AS a, E'a' '\\' , :v", "SELECT E'a'\n'\\':x' AS a, E'a' '\\' , $1"},
		{"postgres", "SELECT E'a' -- it's\n -- :y\r\n '\\':x', :v", "SELECT E'a' -- it's\n -- :y\r\n '\\':x', $1"},
		{"postgres", "SELECT 'a'\n'\\', :v", "SELECT 'a'\n'\\', $1"},
		{"sqlite", `SELECT :größe, :_a1, 1 AS "ü:x" /* open?*/;`, `SELECT ?1, ?2, 1 AS "ü:x" /* open?*/;`},
	} {
		q, problems := parseQuery(dialectOf(c.dialect), c.query)
		if q.static != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.dialect, q.static, c.want)
		}
		if len(problems) > 0 {
			t.Errorf("%s: %s: %v", c.dialect, c.query, problems)
		}
	}
}

func TestQueryProblems(t *testing.T) {
	for _, c := range []struct{ dialects, query, code, at string }{
		{"sqlite mysql", "SELECT ? FROM t", "native_placeholder", "?"},
		{"sqlite", "SELECT ?1 FROM t", "native_placeholder", "?1"},
		{"sqlite", "SELECT $name FROM t", "native_placeholder", "$name"},
		{"sqlite", "SELECT @name FROM t", "native_placeholder", "@name"},
		{"sqlite", "SELECT #x FROM t", "native_placeholder", "#x"},
		{"sqlite", "SELECT :1 FROM t", "native_placeholder", ":1"},
		{"sqlite", "SELECT :1a FROM t", "native_placeholder", ":1a"},
		{"sqlite", "SELECT :::x FROM t", "native_placeholder", ":::x"},
		{"sqlite", "SELECT :$x FROM t", "native_placeholder", ":$x"},
		{"postgres", "SELECT $1 FROM t", "native_placeholder", "$1"},
		{"sqlite mysql postgres", "SELECT 1; SELECT 2", "several_statements", "SELECT"},
		{"sqlite mysql postgres", "/*x*/ COMMIT; DROP TABLE t", "several_statements", "DROP"},
		{"sqlite mysql postgres", "", "empty_query", ""},
		{"mysql", "SELECT 1 /*! ; DROP TABLE t */", "several_statements", "DROP"},
		{"sqlite mysql postgres", " -- nothing\n ; ", "empty_query", ""},
		{"sqlite mysql postgres", "SELECT 'open", "unclosed_quote", "'"},
		{"sqlite mysql postgres", "SELECT 1 /* open", "unclosed_quote", "/"},
		{"sqlite mysql", "SELECT `open", "unclosed_quote", "`"},
		{"sqlite", "SELECT [open", "unclosed_quote", "["},
		{"postgres", "SELECT $$open", "unclosed_quote", "$"},
	} {
		for _, d := range strings.Fields(c.dialects) {
			_, problems := parseQuery(dialectOf(d), c.query)
			if len(problems) != 1 || problems[0].code != c.code {
				t.Errorf("%s: %q: got %v, want %s", d, c.query, problems, c.code)
				continue
			}
			if p := problems[0]; c.at != "" && c.query[p.offset:p.offset+p.n] != c.at {
				t.Errorf("%s: %q: at %q, want %q", d, c.query, c.query[p.offset:p.offset+p.n], c.at)
			}
		}
	}
	for _, d := range allDialects() {
		if _, problems := parseQuery(d, "SELECT 1 ; ; -- done"); len(problems) > 0 {
			t.Errorf("%s: %v", d.name, problems)
		}
	}
	// Operators and variables that are no placeholders.
	for d, query := range map[string]string{"postgres": "SELECT d ? 'a', @ -1, a$1", "mysql": "SELECT @v, @@version, $x"} {
		if _, problems := parseQuery(dialectOf(d), query); len(problems) > 0 {
			t.Errorf("%s: %v", d, problems)
		}
	}
}

func TestListsExpandInsideIn(t *testing.T) {
	query := "WHERE a IN (:l) AND b NOT IN ( :l ) AND c IN (:l, :x) AND d = :x AND e IN (lower(:x))"
	for d, want := range map[string][2]string{
		"sqlite": {
			"WHERE a IN (?1, ?2) AND b NOT IN ( ?1, ?2 ) AND c IN (?1, ?2, ?3) AND d = ?3 AND e IN (lower(?3))",
			"WHERE a IN () AND b NOT IN (  ) AND c IN (NULL, ?1) AND d = ?1 AND e IN (lower(?1))",
		},
		"postgres": {
			"WHERE a IN ($1, $2) AND b NOT IN ( $1, $2 ) AND c IN ($1, $2, $3) AND d = $3 AND e IN (lower($3))",
			"WHERE a IN (NULL) AND b NOT IN ( NULL ) AND c IN (NULL, $1) AND d = $1 AND e IN (lower($1))",
		},
		"mysql": {
			"WHERE a IN (?, ?) AND b NOT IN ( ?, ? ) AND c IN (?, ?, ?) AND d = ? AND e IN (lower(?))",
			"WHERE a IN (SELECT NULL FROM DUAL WHERE FALSE) AND b NOT IN ( SELECT NULL FROM DUAL WHERE FALSE ) AND c IN (NULL, ?) AND d = ? AND e IN (lower(?))",
		},
	} {
		q, _ := parseQuery(dialectOf(d), query)
		var inList []bool
		for _, m := range q.marks {
			inList = append(inList, m.inList)
		}
		if want := []bool{true, true, true, true, false, false}; !slices.Equal(inList, want) {
			t.Errorf("%s: in a list: %v, want %v", d, inList, want)
		}
		if got, _ := q.expand([]int{2, -1}, nil); got != want[0] {
			t.Errorf("%s:\ngot  %s\nwant %s", d, got, want[0])
		}
		if got, _ := q.expand([]int{0, -1}, nil); got != want[1] {
			t.Errorf("%s, empty:\ngot  %s\nwant %s", d, got, want[1])
		}
	}
}

// FuzzQuery holds the splitter to its promise: what it does not replace is
// byte for byte what was written.
func FuzzQuery(f *testing.F) {
	for _, s := range []string{
		"SELECT name::text, ':x', 'it''s -- :y' FROM t /* :z */ WHERE d ? 'a' AND id = :id -- :w",
		"SELECT E'\\':a', $$:b$$, $t$:c$t$, [x:y], `:d`, \"e\" IN (:l, :m)", "a[1:2] := : :: ::: $ $1 ?1 @x #:y\n:z", "'", "/*", "$a$", "E'\\", "x'", ":é", "--", "-",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, d := range allDialects() {
			l := lexer{rules: d.lex, src: text}
			at := 0
			for {
				tok, ok := l.next()
				if !ok {
					break
				}
				if tok.start != at || tok.end <= tok.start || tok.end > len(text) {
					t.Fatalf("%s: token %+v at %d of %q", d.name, tok, at, text)
				}
				at = tok.end
			}
			if at != len(text) {
				t.Fatalf("%s: ended at %d of %d", d.name, at, len(text))
			}
			q, _ := parseQuery(d, text)
			var back strings.Builder
			at = 0
			for _, m := range q.marks {
				back.WriteString(text[at:m.start])
				if written := text[m.start:m.end]; written != ":"+q.names[m.name] {
					t.Fatalf("%s: mark %q is not :%s", d.name, written, q.names[m.name])
				}
				back.WriteString(":" + q.names[m.name])
				at = m.end
			}
			back.WriteString(text[at:])
			if back.String() != text {
				t.Fatalf("%s: %q became %q", d.name, text, back.String())
			}
			if want := len(q.marks); d.name == "mysql" && len(q.order) != want {
				t.Fatalf("%s: %d values for %d placeholders", d.name, len(q.order), want)
			}
		}
	})
}

package uritmpl

import "strings"

// A query is what a template says about a URI's query: pairs that must be
// there, in any order, and names that may be.
type query struct {
	pieces []piece
	names  []named
}

// A piece is one pair of a literal query, "k=v" or "q={q}".
type piece struct {
	text string   // the pair, if it has no variables
	pat  *pattern // otherwise: the value if the pair has a key, else the pair
	key  string
	// hasKey: literal text with "=" stands before the first variable.
	hasKey bool
}

// match matches the query of a URI; a nil query wants none.
func (q *query) match(u *URI, c *Captures) bool {
	if q == nil {
		return u.query < 0
	}
	if c != nil {
		for i := range q.names {
			c[q.names[i].v] = absent
		}
	}
	if u.query < 0 {
		return len(q.pieces) == 0
	}
	s := u.text
	var used, seen uint64
	all := Span{int16(u.query + 1), int16(u.queryEnd)}
	for at := u.query + 1; ; {
		end := at
		for end < u.queryEnd && s[end] != '&' {
			end++
		}
		if !q.takePiece(s, at, end, &used, c) &&
			!take(q.names, s, at, end, all, &seen, c) &&
			!q.takeUnnamed(s, at, end, &used, c) {
			return false
		}
		if end == u.queryEnd {
			break
		}
		at = end + 1
	}
	return used == 1<<len(q.pieces)-1
}

// takePiece gives the pair s[lo:hi] to the first free piece that is equal, or
// else has its key.
func (q *query) takePiece(s string, lo, hi int, used *uint64, c *Captures) bool {
	for i := range q.pieces {
		p := &q.pieces[i]
		if *used>>i&1 == 0 && p.pat == nil && p.text == s[lo:hi] {
			*used |= 1 << i
			return true
		}
	}
	for i := range q.pieces {
		p := &q.pieces[i]
		if *used>>i&1 != 0 || !p.hasKey || !strings.HasPrefix(s[lo:hi], p.key) {
			continue
		}
		at := lo + len(p.key)
		if at < hi && s[at] == '=' && p.pat.match(s, at+1, hi, c) {
			*used |= 1 << i
			return true
		}
	}
	return false
}

// takeUnnamed gives the pair to the next free piece without a key.
func (q *query) takeUnnamed(s string, lo, hi int, used *uint64, c *Captures) bool {
	for i := range q.pieces {
		p := &q.pieces[i]
		if *used>>i&1 != 0 || p.pat == nil || p.hasKey {
			continue
		}
		// A declared name never stands for a value.
		key, _, _ := strings.Cut(s[lo:hi], "=")
		for j := range q.names {
			if q.names[j].name == key {
				return false
			}
		}
		*used |= 1 << i
		return p.pat.match(s, lo, hi, c)
	}
	return false
}

// A fragment is what a template says about a URI's fragment: literal text and
// simple variables, or {#v}.
type fragment struct {
	pat *pattern
	v   int // of {#v}, if pat is nil
}

// match matches the fragment of a URI; a nil fragment wants none.
func (f *fragment) match(u *URI, c *Captures) bool {
	if f == nil {
		return u.fragment < 0
	}
	if f.pat != nil {
		return u.fragment >= 0 && f.pat.match(u.text, u.fragment+1, len(u.text), c)
	}
	span := absent
	if u.fragment >= 0 {
		if u.fragment+1 == len(u.text) {
			return false
		}
		span = Span{int16(u.fragment + 1), int16(len(u.text))}
	}
	if c != nil {
		c[f.v] = span
	}
	return true
}

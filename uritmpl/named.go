package uritmpl

import "strings"

// A named is a variable that a URI gives by name, as ";name=value" or
// "name=value" in a query.
type named struct {
	name string // in normal form
	v    int
	list bool
}

// A matrix is the parameters that may end a path segment: any order, each
// name once unless it is a list.
type matrix struct{ names []named }

// match matches s[lo:hi], which is empty or begins with a semicolon.
func (m *matrix) match(s string, lo, hi int, c *Captures) bool {
	if c != nil {
		for i := range m.names {
			c[m.names[i].v] = absent
		}
	}
	var seen uint64
	for at := lo; at < hi; {
		at++ // the semicolon
		end := at + strings.IndexByte(s[at:hi], ';')
		if end < at {
			end = hi
		}
		if !take(m.names, s, at, end, Span{int16(lo), int16(hi)}, &seen, c) {
			return false
		}
		at = end
	}
	return true
}

// take stores the pair s[lo:hi] as the variable of its name. A list gets the
// span of all pairs, from which Decode picks those with its name.
func take(names []named, s string, lo, hi int, all Span, seen *uint64, c *Captures) bool {
	key := lo
	for key < hi && s[key] != '=' {
		key++
	}
	for i := range names {
		n := &names[i]
		if n.name != s[lo:key] {
			continue
		}
		if *seen>>i&1 != 0 && !n.list {
			return false
		}
		*seen |= 1 << i
		if c != nil {
			c[n.v] = Span{int16(min(key+1, hi)), int16(hi)}
			if n.list {
				c[n.v] = all
			}
		}
		return true
	}
	return false
}

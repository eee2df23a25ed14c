package uritmpl

import "strings"

// many stands for any number of pairs.
const many = 1 << 20

// A keyRule is what a query wants of the pairs with one key: some exact ones,
// some whose value fits a pattern, and up to extra others of any value.
type keyRule struct {
	exact    []string
	patterns []*pattern
	extra    int
}

// keyRules sorts a query by key. ok is false if it has pairs without a key,
// which may stand for pairs with any.
func (q *query) keyRules() (rules map[string]*keyRule, order []string, ok bool) {
	rules = map[string]*keyRule{}
	rule := func(key string) *keyRule {
		if rules[key] == nil {
			rules[key] = &keyRule{}
			order = append(order, key)
		}
		return rules[key]
	}
	for i := range q.pieces {
		p := &q.pieces[i]
		switch {
		case p.pat == nil:
			key, _, _ := strings.Cut(p.text, "=")
			rule(key).exact = append(rule(key).exact, p.text)
		case p.hasKey:
			rule(p.key).patterns = append(rule(p.key).patterns, p.pat)
		default:
			return nil, nil, false
		}
	}
	for _, n := range q.names {
		rule(n.name).extra++
		if n.list {
			rule(n.name).extra = many
		}
	}
	return rules, order, true
}

func compareQueries(a, b *query) relation {
	switch {
	case a == nil && b == nil:
		return equal
	case a == nil:
		return relation{meet: len(b.pieces) == 0, aInB: len(b.pieces) == 0}
	case b == nil:
		return relation{meet: len(a.pieces) == 0, bInA: len(a.pieces) == 0}
	}
	ra, order, ok := a.keyRules()
	rb, more, ok2 := b.keyRules()
	if !ok || !ok2 {
		return compareUnnamed(a, b)
	}
	for _, key := range more {
		if ra[key] == nil {
			ra[key] = &keyRule{}
			order = append(order, key)
		} else if rb[key] == nil {
			rb[key] = &keyRule{}
		}
	}
	r := relation{meet: true, aInB: true, bInA: true}
	var pairs []string
	for _, key := range order {
		if rb[key] == nil {
			rb[key] = &keyRule{}
		}
		k := compareKeys(key, ra[key], rb[key])
		if k.never() {
			return apart
		}
		if k.witness != "" || len(ra[key].exact)+len(rb[key].exact) > 0 {
			pairs = append(pairs, k.witness)
		}
		k.witness = ""
		r = r.and(k)
	}
	if len(pairs) > 0 {
		r.witness = "?" + strings.Join(pairs, "&")
	}
	return r
}

// compareUnnamed compares two queries of which one has a pair without a key.
// It is exact where that pair is alone.
func compareUnnamed(a, b *query) relation {
	if a.sameAs(b) {
		return relation{meet: true, aInB: true, bInA: true, witness: a.sample()}
	}
	if !a.isUnnamed() {
		if !b.isUnnamed() {
			return relation{unsure: true}
		}
		r := compareUnnamed(b, a)
		r.aInB, r.bInA = r.bInA, r.aInB
		return r
	}
	r := apart
	na := a.onePair(true)[0]
	pairs := b.onePair(true)
	for i, nb := range pairs {
		w, ok := intersect(na, nb, segmentOther)
		if !ok {
			continue
		}
		only := len(pairs) == 1 && len(b.pieces) == 1 && len(b.names) == 0
		return relation{
			meet: true, aInB: only && includes(b.onePair(false)[i], na), bInA: only && includes(a.onePair(false)[0], nb), witness: "?" + w,
		}
	}
	return r
}

// isUnnamed reports whether the query is one pair without a key.
func (q *query) isUnnamed() bool {
	return len(q.pieces) == 1 && q.pieces[0].pat != nil && !q.pieces[0].hasKey && len(q.names) == 0
}

// onePair returns the ways in which the query can be a single pair that it
// matches, or answers.
func (q *query) onePair(answers bool) []*nfa {
	var out []*nfa
	if len(q.pieces) > 1 {
		return nil
	}
	if len(q.pieces) == 1 {
		p := &q.pieces[0]
		n := &nfa{answers: answers}
		at := n.state()
		switch {
		case p.pat == nil:
			at = n.text(at, p.text, false)
		case p.hasKey:
			at = n.pattern(n.text(at, p.key+"=", false), p.pat)
		default:
			at = n.pattern(at, p.pat)
		}
		n.accept = at
		return append(out, n)
	}
	for _, name := range q.names {
		n := &nfa{answers: answers}
		end := n.text(n.state(), name.name, false)
		n.accept = n.state()
		n.edge(end, edge{to: n.accept})
		val := n.step(end, symEquals)
		n.edge(val, edge{to: n.accept})
		n.edge(n.value(val, symQuery), edge{to: n.accept})
		out = append(out, n)
	}
	return out
}

// compareKeys compares what two queries want of one key. The witness is the
// pairs, joined.
func compareKeys(key string, a, b *keyRule) relation {
	switch {
	case len(a.patterns) == 0 && len(b.patterns) == 0:
		return compareExact(a, b)
	case !a.single() || !b.single():
		return relation{unsure: true}
	case len(a.patterns) == 1 && len(b.patterns) == 1:
		r := comparePatterns(a.patterns[0], b.patterns[0], segmentOther)
		r.witness = key + "=" + r.witness
		return r
	case len(a.patterns) == 0:
		r := comparePatternExact(key, b.patterns[0], a)
		r.aInB, r.bInA = r.bInA, r.aInB
		return r
	}
	return comparePatternExact(key, a.patterns[0], b)
}

// single reports whether a rule with a pattern has nothing else.
func (k *keyRule) single() bool {
	return len(k.patterns) == 0 || len(k.patterns) == 1 && len(k.exact) == 0 && k.extra == 0
}

// comparePatternExact compares one pair with a pattern to a rule without one.
func comparePatternExact(key string, p *pattern, k *keyRule) relation {
	switch {
	case len(k.exact) > 1 || len(k.exact) == 0 && k.extra == 0:
		return apart
	case len(k.exact) == 0:
		return relation{meet: true, aInB: true, witness: key + "=" + p.sample(true)}
	}
	text := k.exact[0]
	if !strings.HasPrefix(text, key+"=") || !p.match(text, len(key)+1, len(text), nil) {
		return apart
	}
	return relation{meet: true, bInA: k.extra == 0, witness: text}
}

// compareExact compares rules without patterns: exact pairs and extra ones.
func compareExact(a, b *keyRule) relation {
	union := append([]string(nil), a.exact...)
	missing := append([]string(nil), a.exact...)
	inA := true // every exact pair of b is one of a
	for _, text := range b.exact {
		found := false
		for i := range missing {
			if missing[i] == text {
				missing = append(missing[:i], missing[i+1:]...)
				found = true
				break
			}
		}
		if !found {
			union = append(union, text)
			inA = false
		}
	}
	inB := len(missing) == 0
	na, nb := len(a.exact), len(b.exact)
	return relation{
		meet:    len(union)-na <= a.extra && len(union)-nb <= b.extra,
		aInB:    inA && na+a.extra <= nb+b.extra || inA && b.extra == many,
		bInA:    inB && nb+b.extra <= na+a.extra || inB && a.extra == many,
		witness: strings.Join(union, "&"),
	}
}

// sameAs reports whether two queries are written alike but for the names of
// variables that are not in the URI.
func (q *query) sameAs(o *query) bool {
	if len(q.pieces) != len(o.pieces) || len(q.names) != len(o.names) {
		return false
	}
	for i := range q.pieces {
		a, b := &q.pieces[i], &o.pieces[i]
		if a.text != b.text || a.key != b.key || a.hasKey != b.hasKey || (a.pat == nil) != (b.pat == nil) {
			return false
		}
		if a.pat != nil && !a.pat.sameAs(b.pat) {
			return false
		}
	}
	for i := range q.names {
		if q.names[i].name != o.names[i].name || q.names[i].list != o.names[i].list {
			return false
		}
	}
	return true
}

func (p *pattern) sameAs(o *pattern) bool {
	if len(p.items) != len(o.items) || p.suffix != o.suffix || p.fold != o.fold {
		return false
	}
	for i := range p.items {
		a, b := &p.items[i], &o.items[i]
		if a.lit != b.lit || a.kind != b.kind || a.cls != b.cls || a.next != b.next || a.loop != b.loop {
			return false
		}
	}
	return true
}

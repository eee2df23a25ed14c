package uritmpl

// A Relation is how the sets of URIs of two templates relate, and what follows
// for a server that has both.
type Relation int

const (
	Disjoint  Relation = iota // no URI matches both
	Duplicate                 // the same URIs, and nothing but order decides
	Nested                    // one contains the other, and the narrower wins
	Shadowed                  // one can never win
	Overlap                   // some URIs match both, none contains the other
)

// String returns the relation in lower case.
func (r Relation) String() string {
	return [...]string{"disjoint", "duplicate", "nested", "shadowed", "overlap"}[r]
}

// A Comparison is the relation of two templates a and b, a declared first.
type Comparison struct {
	Relation Relation
	Winner   int    // 0: a answers what both match, 1: b, -1: none
	Rule     string // the rule that decides for the winner
	Witness  string // a URI that both match, unless they are disjoint
}

// Compare compares two templates. The answer is exact except where two
// templates have many matrix parameters, several pairs of the same key or
// pairs without a key in a literal query: there, it may call Overlap what is
// Nested, Duplicate or Shadowed, never the other way round. Three literal dots
// may hide that a template meets one with a label behind a variable. The witness
// always matches both.
func Compare(a, b *Matcher) Comparison {
	none := Comparison{Winner: -1}
	if a.scheme != b.scheme {
		return none
	}
	if a.Static() || b.Static() {
		return compareStatic(a, b)
	}
	r := compareParts(a, b)
	if !r.meet && !r.unsure {
		return none
	}
	witness, ok := findWitness(a, b, r.witness)
	if !ok {
		return none
	}
	return judge(a, b, r, witness)
}

// judge makes the verdict from the relation of the sets and the ranks.
func judge(a, b *Matcher, r relation, witness string) Comparison {
	c := Comparison{Relation: Overlap, Witness: witness}
	sign, rule := a.Decide(b)
	c.Rule = rule
	if sign > 0 {
		c.Winner = 1
	}
	loserInWinner := r.bInA
	winnerInLoser := r.aInB
	if c.Winner == 1 {
		loserInWinner, winnerInLoser = winnerInLoser, loserInWinner
	}
	switch {
	case r.aInB && r.bInA && sign == 0:
		return Comparison{Relation: Duplicate, Winner: -1, Witness: witness}
	case loserInWinner:
		c.Relation = Shadowed
	case winnerInLoser:
		c.Relation = Nested
	}
	return c
}

func compareStatic(a, b *Matcher) Comparison {
	c := Comparison{Relation: Nested, Rule: RuleStatic}
	static, other := a, b
	if !a.Static() {
		static, other, c.Winner = b, a, 1
	}
	if !matches(other, static.static) {
		return Comparison{Winner: -1}
	}
	c.Witness = static.static
	if other.Static() {
		return Comparison{Relation: Duplicate, Winner: -1, Witness: c.Witness}
	}
	return c
}

// matches reports whether m answers a URI and does not refuse it.
func matches(m *Matcher, uri string) bool {
	u, r := ReadURI(uri)
	if r != nil {
		return false
	}
	var c Captures
	if !m.Capture(&u, &c) {
		return false
	}
	_, r = m.Decode(&u, &c, nil)
	return r == nil
}

// A relation is how two sets of texts relate. The sets of two templates are
// products of those of their parts, so relations of parts combine.
type relation struct {
	meet       bool // some text is in both
	aInB, bInA bool
	unsure     bool // meet could not be decided
	witness    string
}

var (
	apart = relation{}
	equal = relation{meet: true, aInB: true, bInA: true}
)

// and combines with the relation of a part that follows.
func (r relation) and(next relation) relation {
	if r.never() || next.never() {
		return apart
	}
	return relation{
		meet: r.meet && next.meet, aInB: r.aInB && next.aInB, bInA: r.bInA && next.bInA,
		unsure: r.unsure || next.unsure, witness: r.witness + next.witness,
	}
}

func (r relation) never() bool { return !r.meet && !r.unsure }

func compareParts(a, b *Matcher) relation {
	r := comparePaths(a, b)
	if r.never() {
		return apart
	}
	r.witness = a.scheme + ":" + r.witness
	if r = r.and(compareQueries(a.query, b.query)); r.never() {
		return apart
	}
	return r.and(compareFragments(a.fragment, b.fragment))
}

func comparePatterns(a, b *pattern, begin segmentSoFar) relation {
	if len(a.items) == 0 && len(b.items) == 0 && !a.fold && !b.fold {
		r := apart
		if a.suffix == b.suffix {
			r = equal
			r.witness = a.suffix
		}
		return r
	}
	na, nb := patternNFA(a, true), patternNFA(b, true)
	w, ok := intersect(na, nb, begin)
	if !ok {
		return apart
	}
	return relation{meet: true, aInB: includes(patternNFA(b, false), na), bInA: includes(patternNFA(a, false), nb), witness: w}
}

func compareFragments(a, b *fragment) relation {
	if a == nil || b == nil {
		switch {
		case a == nil && b == nil:
			return equal
		case a == nil && b.pat == nil:
			return relation{meet: true, aInB: true}
		case b == nil && a.pat == nil:
			return relation{meet: true, bInA: true}
		}
		return apart
	}
	switch {
	case a.pat == nil && b.pat == nil:
		return equal
	case a.pat == nil:
		r := compareFragments(b, a)
		r.aInB, r.bInA = r.bInA, r.aInB
		return r
	case b.pat == nil:
		if len(a.pat.items) == 0 && a.pat.suffix == "" {
			return apart // a lone "#"
		}
		return relation{meet: true, aInB: true, witness: "#" + a.pat.sample(true)}
	}
	r := comparePatterns(a.pat, b.pat, segmentOther)
	r.witness = "#" + r.witness
	return r
}

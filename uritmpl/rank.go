package uritmpl

// A Rank counts what decides between two templates that match the same URI.
// Of the first field in which two ranks differ, more Literals wins, and fewer
// of the others.
type Rank struct {
	Literals     int // octets of literal text in normal form; a triplet is one
	MultiSegment int // variables that may span several segments
	Optional     int // variables that may be absent
	Variables    int
}

// The rules that decide between two matchers, by the names that Comparison and
// the index report.
const (
	RuleStatic       = "static"
	RuleLiterals     = "literals"
	RuleMultiSegment = "multi_segment"
	RuleOptional     = "optional"
	RuleVariables    = "variables"
	RuleLeftmost     = "leftmost_literal"
	RuleDeclaration  = "declaration"
)

// Rank returns the matcher's rank.
func (m *Matcher) Rank() Rank { return m.rank }

// Decide reports which of two matchers answers a URI that both match: -1 for
// m, 1 for o, 0 if only the order of declaration can tell. rule names the
// rule that decides.
func (m *Matcher) Decide(o *Matcher) (sign int, rule string) {
	if m.Static() != o.Static() {
		return less(m.Static()), RuleStatic
	}
	a, b := m.rank, o.rank
	switch {
	case a.Literals != b.Literals:
		return less(a.Literals > b.Literals), RuleLiterals
	case a.MultiSegment != b.MultiSegment:
		return less(a.MultiSegment < b.MultiSegment), RuleMultiSegment
	case a.Optional != b.Optional:
		return less(a.Optional < b.Optional), RuleOptional
	case a.Variables != b.Variables:
		return less(a.Variables < b.Variables), RuleVariables
	case m.shape != o.shape:
		return less(m.shape < o.shape), RuleLeftmost
	}
	return 0, RuleDeclaration
}

func less(first bool) int {
	if first {
		return -1
	}
	return 1
}

// The shape of a template has one byte for each literal octet and variable,
// such that comparing two shapes lets a literal win at the first difference.
const (
	shapeLiteral  = 'L'
	shapeVariable = 'V'
)

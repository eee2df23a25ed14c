package decl

import (
	"fmt"

	"github.com/mcpdecl/mcpdecl/uritmpl"
)

// ruleReasons says in words why the winner of a pair wins; the rules are those
// of the rank in docs/matching.md.
var ruleReasons = map[string]string{
	"static":           "a resource without variables comes first",
	"literals":         "it has more literal characters",
	"multi_segment":    "as many literal characters, and fewer variables that span several segments",
	"optional":         "as many literal characters, and fewer optional variables",
	"variables":        "as many literal characters, and fewer variables",
	"leftmost_literal": "as many literal characters, and at the first difference a literal",
	"declaration":      "both are equally specific, and it is declared first",
}

// comparePairs reports resources that answer the same URIs: duplicates and
// resources that can never win are errors, overlaps are warnings.
func (l *loader) comparePairs() {
	var rs []*Resource
	var ms []*uritmpl.Matcher
	for _, r := range l.config.Resources {
		if r.Matcher != nil {
			rs, ms = append(rs, r), append(ms, r.Matcher)
		}
	}
	all := uritmpl.Pairs(ms, mostPairs, func(i, j int, c uritmpl.Comparison) {
		l.reportPair(rs[i], rs[j], c)
	})
	if !all {
		d := l.add(Error, Range{}, "too_many_pairs", "more than %d pairs of resources match the same URIs", mostPairs)
		d.Detail = "The others are not reported. So many overlaps mostly come from templates that begin with a variable; begin them with literal text."
	}
}

// mostPairs is how many pairs are reported; n resources can have n²/2.
const mostPairs = 500

func (l *loader) reportPair(a, b *Resource, c uritmpl.Comparison) {
	winner, loser := a, b
	if c.Winner == 1 {
		winner, loser = b, a
	}
	var d *Diagnostic
	switch c.Relation {
	case uritmpl.Duplicate:
		d = l.add(Error, b.URIRange, "duplicate", "the same URIs as resource %q", a.Name)
		d.Detail = fmt.Sprintf("%q (%s) and this one match exactly the same URIs, such as %q. Change one of them, or remove it.",
			a.URI, a.URIRange, c.Witness)
		d.Related = []Related{{a.URIRange, "the other one"}}
		d.Data = map[string]string{"witness": c.Witness}
		return
	case uritmpl.Shadowed:
		d = l.add(Error, loser.URIRange, "shadowed", "resource %q always wins over this one", winner.Name)
		d.Detail = fmt.Sprintf("Every URI that matches here, such as %q, also matches %q (%s), which wins: %s. Change one of them, or remove this one.",
			c.Witness, winner.URI, winner.URIRange, ruleReasons[c.Rule])
	case uritmpl.Overlap:
		d = l.add(Warning, b.URIRange, "overlap", "%s overlaps resource %q", kindOf(b), a.Name)
		wins := fmt.Sprintf("%q wins", winner.URI)
		if winner.URI == loser.URI {
			wins = fmt.Sprintf("%q wins", winner.Name)
		}
		d.Detail = fmt.Sprintf("%q (%s) and this one both match %q.\n%s: %s.",
			a.URI, a.URIRange, c.Witness, wins, ruleReasons[c.Rule])
		d.Related = []Related{{a.URIRange, "the other one"}}
	default:
		return
	}
	if d.Related == nil {
		d.Related = []Related{{winner.URIRange, "the winner"}}
	}
	d.Data = map[string]string{"witness": c.Witness, "winner": winner.Name}
}

func kindOf(r *Resource) string {
	if r.Matcher.Static() {
		return "resource"
	}
	return "template"
}

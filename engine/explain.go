package engine

import (
	"errors"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/mcpdecl/mcpdecl/uritmpl"
)

// Explanation says what a read of a URI would do, and why.
type Explanation struct {
	URI        string `json:"uri"`
	Normalized string `json:"normalized,omitempty"`
	// Outcome is matched, not_found, refused or invalid_parameter.
	Outcome  string         `json:"outcome"`
	Resource string         `json:"resource,omitempty"`
	Template string         `json:"template,omitempty"`
	Values   map[string]any `json:"values,omitempty"` // decoded: strings, and lists of exploded variables
	Params   map[string]any `json:"params,omitempty"` // typed, with defaults
	Rank     *Rank          `json:"rank,omitempty"`
	// Candidates are the other declarations that match, best first.
	Candidates []LosingCandidate `json:"candidates,omitempty"`
	Nearest    *NearestTemplate  `json:"nearest,omitempty"`
	Refusal    string            `json:"refusal,omitempty"`
	Parameter  string            `json:"parameter,omitempty"`
	Rule       string            `json:"rule,omitempty"`
	Message    string            `json:"message,omitempty"`
	Source     *sources.Plan     `json:"source,omitempty"`
}

// The outcomes of an explanation.
const (
	OutcomeMatched          = "matched"
	OutcomeNotFound         = "not_found"
	OutcomeRefused          = "refused"
	OutcomeInvalidParameter = "invalid_parameter"
)

// Rank is uritmpl.Rank in its JSON form.
type Rank struct {
	Literals     int `json:"literals"`
	MultiSegment int `json:"multi_segment"`
	Optional     int `json:"optional"`
	Variables    int `json:"variables"`
}

// LosingCandidate is a declaration that matches and does not win. LostBy is
// the rule of the rank that decided.
type LosingCandidate struct {
	Resource string `json:"resource"`
	Template string `json:"template"`
	LostBy   string `json:"lost_by"`
}

// NearestTemplate is the template that follows a URI the longest. Offset is
// the byte of the normalised URI where they part.
type NearestTemplate struct {
	Resource string `json:"resource"`
	Template string `json:"template"`
	Offset   int    `json:"offset"`
	Expected string `json:"expected"`
}

// Explain says what Read would do, without doing it.
func (e *Engine) Explain(uri string) (*Explanation, error) {
	x := &Explanation{URI: uri}
	if n, err := uritmpl.Normalize(uri); err == nil {
		x.Normalized = n
	}
	found, err := e.index.Find(uri)
	if err != nil {
		return x.refuse(err), nil
	}
	if found.Entry < 0 {
		return e.explainMiss(x), nil
	}
	r := e.resources[found.Entry]
	x.Resource, x.Template = r.Name, r.URI
	rank := Rank(r.Matcher.Rank())
	x.Rank = &rank
	for _, c := range e.index.Candidates(uri) {
		if c.Entry != found.Entry {
			loser := e.resources[c.Entry]
			x.Candidates = append(x.Candidates, LosingCandidate{loser.Name, loser.URI, c.LostBy})
		}
	}
	raw, err := found.Values(nil)
	if err != nil {
		return x.refuse(err), nil
	}
	x.setValues(r.Params, raw)
	m, err := e.match(uri)
	if err != nil {
		return x.invalid(err)
	}
	x.Outcome = OutcomeMatched
	x.setParams(r.Params, m.params)
	if r.source != nil {
		x.Source, err = r.source.Explain(m.request())
		var broken *decl.Broken
		if errors.As(err, &broken) {
			return x.invalid(invalidParameter(uri, broken))
		}
		if err != nil {
			return nil, err
		}
	}
	return x, nil
}

func (x *Explanation) refuse(err error) *Explanation {
	var r *uritmpl.Refusal
	if errors.As(err, &r) {
		x.Outcome, x.Refusal, x.Parameter = OutcomeRefused, r.Code, r.Parameter
		x.Message = upperFirst(r.Error())
	}
	return x
}

func (e *Engine) explainMiss(x *Explanation) *Explanation {
	x.Outcome = OutcomeNotFound
	x.Message = "no resource matches this URI"
	entry, offset, want := e.index.Nearest(x.URI)
	if entry >= 0 {
		r := e.resources[entry]
		x.Nearest = &NearestTemplate{r.Name, r.URI, offset, want}
	}
	return x
}

func (x *Explanation) setValues(params []*decl.Param, raw []uritmpl.Value) {
	x.Values = map[string]any{}
	for i, p := range params {
		switch v := raw[i]; {
		case !v.Present:
		case v.IsList:
			x.Values[p.Name] = v.List
		default:
			x.Values[p.Name] = v.Text
		}
	}
}

func (x *Explanation) setParams(params []*decl.Param, typed []any) {
	x.Params = map[string]any{}
	for i, p := range params {
		x.Params[p.Name] = typed[i]
	}
}

func (x *Explanation) invalid(err error) (*Explanation, error) {
	var own *Error
	if !errors.As(err, &own) || own.Code != CodeInvalidParams {
		return nil, err
	}
	x.Outcome, x.Message = OutcomeInvalidParameter, own.Message
	x.Parameter, _ = own.Data["parameter"].(string)
	x.Rule, _ = own.Data["rule"].(string)
	return x, nil
}

package uritmpl

import "strings"

// findWitness returns a URI that both matchers match: the example of one that
// matches the other too, since it reads best, or else the constructed text.
func findWitness(a, b *Matcher, constructed string) (string, bool) {
	for _, label := range [...]bool{true, false} {
		for _, pair := range [...][2]*Matcher{{a, b}, {b, a}} {
			if s := pair[0].sample(label); matches(pair[1], s) && matches(pair[0], s) {
				return s, true
			}
		}
	}
	if constructed != "" && matches(a, constructed) && matches(b, constructed) {
		return constructed, true
	}
	return "", false
}

// sample returns an example of a URI: every required variable has a short
// value, optional ones are absent, but labels behind variables if label is
// set.
func (m *Matcher) sample(label bool) string {
	var b strings.Builder
	b.WriteString(m.scheme)
	b.WriteByte(':')
	sep := ""
	for i := range m.before {
		b.WriteString(sep + m.before[i].sample(label))
		sep = "/"
	}
	if e := m.elastic; e != nil && e.kind == elasticRest {
		head := e.head.sample(label)
		b.WriteString(sep + head + fillerBehind(head, 0))
		if e.label >= 0 && label {
			b.WriteString(".e")
		}
		b.WriteString(e.tail.sample(label))
		sep = "/"
	}
	for i := range m.after {
		b.WriteString("/" + m.after[i].sample(label))
	}
	if m.query != nil {
		b.WriteString(m.query.sample())
	}
	if m.fragment != nil && m.fragment.pat != nil {
		b.WriteString("#" + m.fragment.pat.sample(label))
	}
	return b.String()
}

func (q *query) sample() string {
	if len(q.pieces) == 0 {
		return ""
	}
	pairs := make([]string, len(q.pieces))
	for i, p := range q.pieces {
		switch {
		case p.pat == nil:
			pairs[i] = p.text
		case p.hasKey:
			pairs[i] = p.key + "=" + p.pat.sample(true)
		default:
			pairs[i] = p.pat.sample(true)
		}
	}
	return "?" + strings.Join(pairs, "&")
}

// sample returns an example of a pattern's text. It is no dot segment where
// labels can prevent that.
func (p *pattern) sample(label bool) string {
	s := p.example(label, false)
	if s == "." || s == ".." {
		return p.example(label, true)
	}
	return s
}

func (p *pattern) example(label, alone bool) string {
	var b strings.Builder
	for k := range p.items {
		it := &p.items[k]
		b.WriteString(it.lit)
		if it.kind == itemLabel {
			if alone {
				b.WriteString(".e")
			}
			continue
		}
		if it.cls&notComma != 0 {
			b.WriteByte("pqrstuvwxyz"[k%11])
		} else {
			b.WriteString(fillerBehind(b.String(), k))
		}
		if it.label >= 0 && label {
			b.WriteString(".e")
		}
	}
	b.WriteString(p.suffix)
	return b.String()
}

// fillerBehind returns a value that reads well behind a text: a digit behind a
// letter, as in "page1", otherwise a letter.
func fillerBehind(text string, k int) string {
	if text != "" {
		if c := text[len(text)-1]; isAlpha(c) || isDigit(c) {
			return "1"
		}
	}
	return string("vwxyz"[k%5])
}

package http

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/zclconf/go-cty/cty"
)

// parse makes the value of body. Where JSON is asked for, anything else is a
// bad body; otherwise it is the text.
func (s *source) parse(req *sources.Request, a *answer, keep bool) (cty.Value, *document, error) {
	if len(a.body) == 0 { // an answer to HEAD
		return cty.NullVal(cty.DynamicPseudoType), nil, nil
	}
	m := mediaOf(a.header.Get("Content-Type"))
	text, ok := toUTF8(a.body, m)
	if !ok {
		return cty.NilVal, nil, &BodyError{Reason: "it is not text in its charset"}
	}
	// A text over members of the body needs them as much as a json does.
	members := req.Over != nil && len(req.Over.Members("body")) > 0
	asJSON := s.settings.picks() || req.Need == sources.JSONValues || members
	n := exactNumbers
	if req.Need == sources.TextValues {
		n = textNumbers
	}
	switch {
	case m.isJSON():
		return parseJSON(text, n, keep)
	case asJSON:
		v, doc, err := parseJSON(text, n, keep)
		if err != nil && m.essence != "" {
			err = &BodyError{Reason: fmt.Sprintf("it is %s, not JSON", shorten(m.essence))}
		}
		return v, doc, err
	case m.essence == "" && isJSONText(text):
		return parseJSON(text, n, keep)
	}
	return cty.StringVal(string(text)), nil, nil
}

// names are what the answer offers to expressions.
func (a *answer) names(body cty.Value) map[string]cty.Value {
	header := map[string]cty.Value{}
	for name, values := range a.header {
		if name == "Set-Cookie" {
			continue
		}
		text := cty.StringVal(strings.ToValidUTF8(strings.Join(values, ", "), string(utf8.RuneError)))
		header[name], header[strings.ToLower(name)] = text, text
	}
	h := cty.MapValEmpty(cty.String)
	if len(header) > 0 {
		h = cty.MapVal(header)
	}
	return map[string]cty.Value{"body": body, "status": cty.NumberIntVal(int64(a.status)), "header": h}
}

// scope makes the values that text and json expressions see.
func (s *source) scope(req *sources.Request, a *answer) (*sources.Result, error) {
	body, _, err := s.parse(req, a, false)
	if err != nil {
		return nil, err
	}
	names := a.names(body)
	res := &sources.Result{Scope: names}
	if !s.settings.picks() {
		return res, nil
	}
	items, err := s.pick(req, names)
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		if s.settings.rows != rowsEach {
			break
		}
		uri, err := s.itemURI(req, names, item)
		if err != nil {
			return nil, err
		}
		res.ItemURIs = append(res.ItemURIs, uri)
	}
	names["items"] = cty.TupleVal(items)
	if s.settings.rows == rowsOne {
		names["item"] = cty.NullVal(cty.DynamicPseudoType)
		if len(items) == 1 {
			names["item"] = items[0]
		}
	}
	return res, nil
}

// pick returns the items of an answer; none, where that is not allowed, is not
// found.
func (s *source) pick(req *sources.Request, names map[string]cty.Value) ([]cty.Value, error) {
	v := names["body"]
	if e := s.settings.items; e != nil {
		var err error
		if v, err = e.Value(req.Scope.With(names)); err != nil {
			return nil, &BodyError{Reason: fmt.Sprintf("it does not have what items expects: %v", err)}
		}
	}
	v, _ = v.Unmark()
	var items []cty.Value
	switch t := v.Type(); {
	case v.IsNull() || !v.IsKnown():
	case t.IsTupleType() || t.IsListType() || t.IsSetType():
		items = v.AsValueSlice()
	case s.settings.rows == rowsOne:
		items = []cty.Value{v}
	default:
		return nil, &BodyError{Reason: fmt.Sprintf("its items are not a list but %s", t.FriendlyName())}
	}
	if len(items) == 0 && !s.settings.allowEmpty {
		return nil, fmt.Errorf("%w: there are no items", sources.ErrNotFound)
	}
	if len(items) > 1 && s.settings.rows == rowsOne {
		return nil, &BodyError{Reason: "it has more than one item, but rows is \"one\""}
	}
	return items, nil
}

// itemContents renders the items as JSON.
func (s *source) itemContents(req *sources.Request, a *answer) (*sources.Result, error) {
	body, doc, err := s.parse(req, a, true)
	if err != nil {
		return nil, err
	}
	names := a.names(body)
	items, err := s.pick(req, names)
	if err != nil {
		return nil, err
	}
	r := &rendering{source: s, req: req, names: names, doc: doc}
	if s.settings.rows == rowsEach {
		return r.each(items)
	}
	data := make([]byte, 0, len(a.body)/2)
	switch {
	case s.settings.rows == rowsList:
		data, err = appendArray(data, cty.TupleVal(items), doc)
	case len(items) == 0:
		data = append(data, "null"...)
	default:
		data, err = appendValue(data, items[0], doc)
	}
	if err == nil {
		err = r.count(len(data))
	}
	if err != nil {
		return nil, err
	}
	return &sources.Result{Contents: []sources.Content{{Data: data, MIMEType: r.mimeType()}}}, nil
}

// rendering is the writing of one answer's items.
type rendering struct {
	source *source
	req    *sources.Request
	names  map[string]cty.Value
	doc    *document
	bytes  int64
}

func (r *rendering) count(n int) error {
	r.bytes += int64(n)
	if r.bytes > r.source.limits.maxBytes {
		return &TooLargeError{Limit: r.source.limits.maxBytes}
	}
	return nil
}

// mimeType is that of JSON, where the resource declares none.
func (r *rendering) mimeType() string {
	if r.req.MIMEType != "" {
		return ""
	}
	return "application/json"
}

func (r *rendering) each(items []cty.Value) (*sources.Result, error) {
	contents := make([]sources.Content, 0, len(items))
	for _, item := range items {
		data, err := appendValue(nil, item, r.doc)
		if err == nil {
			err = r.count(len(data))
		}
		if err != nil {
			return nil, err
		}
		// The URI is text, so the numbers in it keep their spelling as text.
		if v, _, perr := parseJSON(data, textNumbers, false); perr == nil {
			item = v
		}
		uri, err := r.source.itemURI(r.req, r.names, item)
		if err != nil {
			return nil, err
		}
		contents = append(contents, sources.Content{URI: uri, Data: data, MIMEType: r.mimeType()})
	}
	return &sources.Result{Contents: contents}, nil
}

// itemURI evaluates item_uri for an item.
func (s *source) itemURI(req *sources.Request, names map[string]cty.Value, item cty.Value) (string, error) {
	scope := map[string]cty.Value{"item": item}
	for name := range answerScope() {
		scope[name] = names[name]
	}
	v, err := s.settings.itemURI.Value(req.Scope.With(scope))
	if err != nil {
		return "", fmt.Errorf("evaluate item_uri: %w", err)
	}
	v, _ = v.UnmarkDeep()
	if v.IsNull() || v.Type() != cty.String {
		return "", fmt.Errorf("evaluate item_uri: it is not a string but %s", v.Type().FriendlyName())
	}
	return v.AsString(), nil
}

var _ sources.Checker = (*connection)(nil)

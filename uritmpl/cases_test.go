package uritmpl

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"slices"
	"testing"
)

// The given values: see the "about" of testdata/uri_templates.json.
type caseFile struct {
	Cases []struct {
		ID           string         `json:"id"`
		Templates    []string       `json:"templates"`
		URI          string         `json:"uri"`
		WantTemplate *int           `json:"want_template"`
		WantVars     map[string]any `json:"want_vars"`
		WantError    *string        `json:"want_error"`
		Note         string         `json:"note"`
	} `json:"cases"`
	Registration []struct {
		Template string `json:"template"`
		Accept   bool   `json:"accept"`
		Reason   string `json:"reason"`
	} `json:"registration"`
	Pairs []struct {
		A       string  `json:"a"`
		B       string  `json:"b"`
		Kind    string  `json:"kind"`
		Winner  *string `json:"winner"`
		Witness *string `json:"witness"`
	} `json:"pairs"`
	Expand []struct {
		Template string         `json:"template"`
		Vars     map[string]any `json:"vars"`
		Want     any            `json:"want"`
	} `json:"expand"`
}

func readCases(t testing.TB) *caseFile {
	t.Helper()
	b, err := os.ReadFile("../testdata/uri_templates.json")
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var f caseFile
	if err := d.Decode(&f); err != nil {
		t.Fatal(err)
	}
	return &f
}

// valuesMap makes the form of a case's want_vars.
func valuesMap(m *Matcher, values []Value) map[string]any {
	out := map[string]any{}
	for i, v := range m.Template().Variables() {
		switch {
		case !values[i].Present:
		case v.List:
			list := []any{}
			for _, s := range values[i].List {
				list = append(list, s)
			}
			out[v.Name] = list
		default:
			out[v.Name] = values[i].Text
		}
	}
	return out
}

// TestMatchCases answers every case by trying all matchers and ranking those
// that match.
func TestMatchCases(t *testing.T) {
	for _, c := range readCases(t).Cases {
		t.Run(c.ID, func(t *testing.T) {
			best, vars, code := -1, map[string]any(nil), ""
			var winner *Matcher
			for i, s := range c.Templates {
				m := MustCompile(s)
				got, ok, err := m.Match(c.URI)
				var r *Refusal
				if errors.As(err, &r) {
					ok = true
				} else if err != nil {
					t.Fatal(err)
				}
				if !ok {
					continue
				}
				if winner != nil {
					if sign, _ := winner.Decide(m); sign <= 0 {
						continue
					}
				}
				winner, best, vars, code = m, i, nil, ""
				if r != nil {
					code = r.Code
				} else {
					vars = valuesMap(m, got.Values)
				}
			}
			if c.WantError != nil {
				if code != *c.WantError {
					t.Errorf("%s: got %d %v %q, want refusal %q", c.URI, best, vars, code, *c.WantError)
				}
				return
			}
			want := -1
			if c.WantTemplate != nil {
				want = *c.WantTemplate
			}
			if code != "" || best != want || want >= 0 && !reflect.DeepEqual(vars, c.WantVars) {
				t.Errorf("%v <- %s: got %d %v %q, want %d %v (%s)", c.Templates, c.URI, best, vars, code, want, c.WantVars, c.Note)
			}
		})
	}
}

func TestRegistrationCases(t *testing.T) {
	for _, c := range readCases(t).Registration {
		tmpl, err := Parse(c.Template)
		if err == nil {
			_, err = Compile(tmpl)
		}
		var e *Error
		switch {
		case c.Accept && err != nil:
			t.Errorf("%s: %v, want it accepted", c.Template, err)
		case !c.Accept && err == nil:
			t.Errorf("%s: accepted, want %s", c.Template, c.Reason)
		case !c.Accept:
			if !errors.As(err, &e) || e.Code != c.Reason {
				t.Errorf("%s: %v (%s), want %s", c.Template, err, e.Code, c.Reason)
			}
			checkError(t, e)
		}
	}
}

// checkError checks what holds of every Error.
func checkError(t testing.TB, e *Error) {
	t.Helper()
	if !slices.Contains(Codes(), e.Code) {
		t.Errorf("%s: code %q is not in Codes", e.Template, e.Code)
	}
	if e.Offset < 0 || e.Length < 0 || e.Offset+e.Length > len(e.Template) {
		t.Errorf("%s: mistake at %d+%d lies outside", e.Template, e.Offset, e.Length)
	}
	if e.Reason == "" || e.Fix == "" {
		t.Errorf("%s: %s without reason or fix", e.Template, e.Code)
	}
	if e.Suggestion != "" {
		if _, err := Parse(e.Suggestion); err != nil {
			t.Errorf("%s: suggestion %s: %v", e.Template, e.Suggestion, err)
		}
	}
}

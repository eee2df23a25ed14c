package uritmpl

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"slices"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the messages in testdata/template_errors.json")

// An errorCase is a wrong template with all that is said about it, and how it
// is written right.
type errorCase struct {
	Code       string `json:"code"`
	Template   string `json:"template"`
	Error      string `json:"error"`
	Fix        string `json:"fix"`
	Suggestion string `json:"suggestion,omitempty"`
	Right      string `json:"right"`
}

func compileError(s string) *Error {
	t, err := Parse(s)
	if err == nil {
		_, err = Compile(t)
	}
	var e *Error
	errors.As(err, &e)
	return e
}

func TestErrorCases(t *testing.T) {
	const file = "../testdata/template_errors.json"
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []errorCase
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	var codes []string
	for i, c := range cases {
		codes = append(codes, c.Code)
		if e := compileError(c.Right); e != nil {
			t.Errorf("%s: %v, want it right", c.Right, e)
		}
		e := compileError(c.Template)
		if e == nil {
			t.Errorf("%s: accepted, want %s", c.Template, c.Code)
			continue
		}
		checkError(t, e)
		if e.Suggestion != "" && compileError(e.Suggestion) != nil {
			t.Errorf("%s: suggestion %s is wrong itself", c.Template, e.Suggestion)
		}
		got := errorCase{e.Code, c.Template, e.Error(), e.Fix, e.Suggestion, c.Right}
		if *update {
			cases[i] = got
		} else if got != c {
			t.Errorf("%s:\n got %+v\nwant %+v", c.Template, got, c)
		}
	}
	for _, code := range Codes() {
		if !slices.Contains(codes, code) {
			t.Errorf("code %s has no case", code)
		}
	}
	if *update {
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := errors.Join(enc.Encode(cases), os.WriteFile(file, out.Bytes(), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
}

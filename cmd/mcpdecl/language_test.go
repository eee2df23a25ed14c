package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// TestSpecification validates every construct of the specification; only what
// this version cannot serve is reported.
func TestSpecification(t *testing.T) {
	cmd := exec.Command("mcpdecl", "validate", "--format", "json", "../../testdata/language/spec.hcl")
	cmd.Env = append(os.Environ(), "CRM_URL=postgres://u:pa55word@h/d", "ERP_URL=mysql://u:pa55word@h/d", "TRACKER_TOKEN=t0ken\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var report jsonReport
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	_, listed, _ := strings.Cut(string(page), "## Not in this version")
	for _, d := range report.Diagnostics {
		what, ok := strings.CutSuffix(d.Summary, " blocks are not available in this version")
		if d.Code != "not_available" || !ok || !strings.Contains(listed, "`"+what+"` blocks") {
			t.Errorf("%s: %s; docs/language.md says otherwise", d.Code, d.Summary)
		}
	}
	if n := strings.Count(listed, "` blocks"); n != len(report.Diagnostics) {
		t.Errorf("docs/language.md lists %d kinds of blocks, %d are not available", n, len(report.Diagnostics))
	}
}

// TestJSONForm reads the JSON form of a configuration as the native one.
func TestJSONForm(t *testing.T) {
	const file = "../../testdata/language/json/shop.hcl.json"
	for uri, want := range map[string]string{
		"shop://about":                            "A small shop.",
		"shop://customers/1":                      "# Zoë Müller (first)",
		"shop://customers/2":                      "# ",
		"shop://orders?customer=1&status=shipped": "",
		"shop://orders?customer=1":                `[{"id":1001},`,
	} {
		out, err := exec.Command("mcpdecl", "read", file, uri).Output()
		if want == "" {
			if err == nil {
				t.Errorf("%s: %s", uri, out)
			}
			continue
		}
		if err != nil || !strings.HasPrefix(string(out), want) {
			t.Errorf("%s: %s, %v", uri, out, err)
		}
	}
}

// TestSchema holds the JSON Schema against a configuration that the loader
// takes, and against mistakes that it refuses too.
func TestSchema(t *testing.T) {
	out, err := exec.Command("mcpdecl", "schema").Output()
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(out, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile("../../testdata/language/json/shop.hcl.json")
	if err != nil {
		t.Fatal(err)
	}
	check := func(src []byte) error {
		var v any
		if err := json.Unmarshal(src, &v); err != nil {
			t.Fatal(err)
		}
		return resolved.Validate(v)
	}
	if err := check(src); err != nil {
		t.Errorf("a valid configuration: %v", err)
	}
	for from, to := range map[string]string{
		`"uri": "shop://customers/{id}",`: ``,
		`"mime_type"`:                     `"mimetype"`,
		`"page_size": 50`:                 `"page_size": "many"`,
		`"page_size": 50}`:                `"page_size": 0}`,
		`"type": "integer"`:               `"type": "int"`,
		`"rows": "one"`:                   `"rows": "two"`,
		`{"sqlite": {"shop"`:              `{"sqlight": {"shop"`,
		`"allow_empty": true`:             `"allow_empty": "yes"`,
	} {
		wrong := bytes.Replace(src, []byte(from), []byte(to), 1)
		if bytes.Equal(wrong, src) {
			t.Fatalf("%s is not in the file", from)
		}
		if err := check(wrong); err == nil {
			t.Errorf("the schema takes %s in place of %s", to, from)
		}
	}
}

package uritmpl

import (
	"errors"
	"slices"
	"testing"
)

func TestExpandCases(t *testing.T) {
	for _, c := range readCases(t).Expand {
		tmpl, err := Parse(c.Template)
		var got string
		if err == nil {
			got, err = tmpl.Expand(c.Vars)
		}
		switch want := c.Want.(type) {
		case bool:
			if err == nil {
				t.Errorf("%s: got %q, want an error", c.Template, got)
			}
		case string:
			if err != nil || got != want {
				t.Errorf("%s: got %q, %v, want %q", c.Template, got, err, want)
			}
		case []any:
			if err != nil || !slices.Contains(want, any(got)) {
				t.Errorf("%s: got %q, %v, want one of %q", c.Template, got, err, want)
			}
		}
	}
}

func TestExpandValues(t *testing.T) {
	type id string
	for _, c := range []struct {
		template string
		value    any
		want     string
	}{
		{"{v}", 7, "7"},
		{"{v}", uint8(7), "7"},
		{"{v}", int64(-7), "-7"},
		{"{v}", 1.5, "1.5"},
		{"{v}", 1e6, "1000000"},
		{"{v}", float32(0.1), "0.1"},
		{"{v}", true, "true"},
		{"{v}", id("a b"), "a%20b"},
		{"{v}", nil, ""},
		{"{?v}", []any{"a", nil, 2}, "?v=a,2"},
		{"{?v*}", []any{nil}, ""},
		{"{?v*}", []Pair{{"z", 1}, {"a", "x&y"}}, "?z=1&a=x%26y"},
		{"{?v*}", map[string]string{"z": "1", "a": ""}, "?a=&z=1"},
		{"{;v*}", map[string]any{"z": "", "a": nil}, ";z"},
		{"{v:2}", "日本語", "%E6%97%A5%E6%9C%AC"},
	} {
		tmpl, err := Parse(c.template)
		if err != nil {
			t.Fatal(err)
		}
		got, err := tmpl.Expand(map[string]any{"v": c.value})
		if err != nil || got != c.want {
			t.Errorf("%s of %#v: got %q, %v, want %q", c.template, c.value, got, err, c.want)
		}
	}
}

func TestExpandFails(t *testing.T) {
	for _, c := range []struct {
		template string
		value    any
	}{
		{"{v:1}", []string{"a"}},
		{"{+v:1}", map[string]any{"a": "b"}},
		{"{v}", struct{}{}},
		{"{v}", []any{[]string{"nested"}}},
		{"{v}", map[string]any{"k": []string{"nested"}}},
		{"{v}", "\xff"},
	} {
		tmpl, err := Parse(c.template)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := tmpl.Expand(map[string]any{"v": c.value}); err == nil {
			t.Errorf("%s of %#v: got %q, want an error", c.template, c.value, got)
		} else if errors.Unwrap(err) == nil {
			t.Errorf("%s: %v does not wrap its cause", c.template, err)
		}
	}
}

package decl

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// TestASecretIsNoValueForClients: what a request picks must not be a secret even
// where the checks of Load let it pass.
func TestASecretIsNoValueForClients(t *testing.T) {
	parsed, diags := hclsyntax.ParseExpression([]byte("m[param.key]"), "a.hcl", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	e := &Expr{hcl: parsed, base: &hcl.EvalContext{Variables: map[string]cty.Value{"m": cty.ObjectVal(map[string]cty.Value{
		"secret": cty.StringVal("hunter2").Mark(secretMark{}), "plain": cty.StringVal("x"),
	})}}}
	for key, shown := range map[string]bool{"secret": false, "plain": true} {
		s := &Scope{Params: []*Param{{Name: "key"}}, Values: []any{key}}
		v, err := e.Value(s)
		if shown != (err == nil) || !shown && (v.IsWhollyKnown() || strings.Contains(err.Error(), "hunter2")) {
			t.Errorf("%s: %#v, %v", key, v, err)
		}
		if v, secret, err := e.SecretValue(s); err != nil || secret == shown || v.Type() != cty.String || !v.IsKnown() {
			t.Errorf("%s for a backend: %#v, %t, %v", key, v, secret, err)
		}
	}
}

// TestDefaultsOfEnvAreNotHidden: only what a default has no part in is searched
// for in all output.
func TestDefaultsOfEnvAreNotHidden(t *testing.T) {
	secret, both := cty.NewValueMarks(secretMark{}), cty.NewValueMarks(secretMark{}, defaultMark{})
	s := &Secrets{}
	s.addValue(cty.ObjectVal(map[string]cty.Value{
		"password": cty.StringVal("hunter2").WithMarks(secret),
		"host":     cty.StringVal("localhost").WithMarks(both),
		"list":     cty.ListVal([]cty.Value{cty.StringVal("postgres")}).WithMarks(both),
	}))
	if got := s.Hide("postgres at localhost with hunter2"); got != "postgres at localhost with (secret)" {
		t.Errorf("got %q", got)
	}
	v, found := unmarkSecret(cty.StringVal("localhost").WithMarks(both))
	if !found || v.IsMarked() {
		t.Errorf("%#v, %t", v, found)
	}
}

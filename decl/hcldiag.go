package decl

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// addHCL takes over the diagnostics of the HCL library under our codes and in
// our style.
func (l *loader) addHCL(diags hcl.Diagnostics) {
	for _, d := range diags {
		if d.Severity != hcl.DiagError {
			continue
		}
		n := &Diagnostic{Code: hclCode(d), Summary: lowerFirst(d.Summary), Detail: d.Detail}
		if d.Subject != nil {
			n.Range = l.rng(*d.Subject)
		}
		if n.Code == "syntax" {
			l.unfinished[n.Range.File] = true
		}
		l.refineHCL(d, n)
		l.diags = append(l.diags, n)
	}
}

// hclCode gives a stable code to a diagnostic of the HCL library. Its
// summaries are the only thing to tell them apart by.
func hclCode(d *hcl.Diagnostic) string {
	if d.Expression == nil && d.EvalContext == nil {
		switch d.Summary {
		case "Attribute redefined", "Duplicate attribute", "Duplicate argument":
			return "duplicate_attribute"
		}
		if strings.HasPrefix(d.Summary, "Missing ") && strings.Contains(d.Detail, "blocks must have") || strings.HasPrefix(d.Summary, "Extraneous label for ") {
			return "wrong_labels"
		}
		return "syntax"
	}
	switch d.Summary {
	case "Call to unknown function":
		return "unknown_function"
	case "Not enough function arguments", "Too many function arguments", "Invalid function argument", "Error in function call":
		return "function_call"
	}
	return "invalid_expression"
}

var functionNamed = regexp.MustCompile(`no function named "([^"]+)"`)

var setAt = regexp.MustCompile(`set at (.+):(\d+),(\d+)`)

// refineHCL words the mistakes better of which we know more than the library.
func (l *loader) refineHCL(d *hcl.Diagnostic, n *Diagnostic) {
	if extra, ok := hcl.DiagnosticExtra[hclsyntax.FunctionCallDiagExtra](d); ok {
		var own *functionError
		if errors.As(extra.FunctionCallError(), &own) {
			n.Code, n.Summary, n.Detail = own.code, own.summary, own.detail
			if call, ok := d.Expression.(*hclsyntax.FunctionCallExpr); ok && len(call.Args) > 0 {
				n.Range = l.exprRange(call.Args[0])
			}
			return
		}
	}
	switch {
	case n.Code == "unknown_function":
		if m := functionNamed.FindStringSubmatch(d.Detail); m != nil {
			mean, candidate := DidYouMean(m[1], FunctionNames())
			n.Detail, n.Suggestion = strings.TrimSpace(fmt.Sprintf("There is no function named %q. %s", m[1], mean)), candidate
		}
	case n.Code == "duplicate_attribute":
		n.Summary = fmt.Sprintf("%s is set twice", strings.Trim(l.text(n.Range), `"`))
		n.Detail = "Remove one of them."
		if m := setAt.FindStringSubmatch(d.Detail); m != nil {
			n.Detail = fmt.Sprintf("The first one is at %s:%s:%s. Remove one of them.", m[1], m[2], m[3])
		}
	case n.Code == "wrong_labels":
		l.refineLabels(d, n)
	case d.Summary == "Invalid type specification" && strings.HasPrefix(l.text(n.Range), `"`) && !strings.HasSuffix(n.Range.File, ".json"):
		n.Detail = "A type is written without quotes, such as string or list(string)."
	case strings.Contains(d.Summary, "template directive") || strings.Contains(d.Summary, "template control") ||
		strings.Contains(d.Detail, "template directive") || strings.Contains(d.Detail, "control keyword"):
		n.Code = "template_directive"
		n.Detail += " To write %{ as it is, write %%{."
	}
}

// refineLabels says which labels a block has and how it is written.
func (l *loader) refineLabels(d *hcl.Diagnostic, n *Diagnostic) {
	words := strings.Fields(d.Summary)
	typ := strings.Trim(words[len(words)-1], ".")
	l.root.Spec.walk(func(_ string, s *BlockSpec) {
		if s.Type != typ || strings.HasSuffix(n.Summary, "labels") {
			return
		}
		form := typ
		for _, label := range s.Labels {
			form += fmt.Sprintf(" %q", strings.ToUpper(label))
		}
		n.Summary = fmt.Sprintf("%s has the wrong number of labels", typ)
		n.Detail = fmt.Sprintf("It has %s: %s. Write %s { ... }.", plural(len(s.Labels), "label"), list(s.Labels), form)
		if len(s.Labels) == 0 {
			n.Detail = fmt.Sprintf("It has none. Write %s { ... }.", form)
		}
	})
}

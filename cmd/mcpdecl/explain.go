package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/mcpdecl/mcpdecl/engine"
	"github.com/spf13/cobra"
)

func (p *program) explainCommand() *cobra.Command {
	var f loadFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   "explain PATH URI",
		Short: "Say what a read would do, without doing it",
		Long: "Say which declaration answers a URI and by which rule, the decoded and typed values, and the statement\n" +
			"or request that would run; or, when nothing matches, the nearest template. Nothing is executed.",
		Example: "  mcpdecl explain examples/shop.hcl shop://customers/1\n  mcpdecl explain --json examples/shop.hcl 'shop://orders?status=open'",
		Args:    pathAndURI,
		RunE: func(_ *cobra.Command, args []string) error {
			e, config, err := p.open(args[:1], f, slog.New(slog.DiscardHandler))
			if err != nil {
				return err
			}
			defer e.Close()
			x, err := e.Explain(args[1])
			if err != nil {
				return fmt.Errorf("%s", config.Secrets.Hide(err.Error()))
			}
			if asJSON {
				err = p.printJSON(x)
			} else {
				err = p.printExplanation(x)
			}
			if err != nil {
				return err
			}
			return explainExit(x)
		},
	}
	f.add(c)
	c.Flags().BoolVar(&asJSON, "json", false, "write the explanation as JSON")
	return c
}

func explainExit(x *engine.Explanation) error {
	switch x.Outcome {
	case engine.OutcomeMatched:
		return nil
	case engine.OutcomeNotFound:
		return exit(exitNotFound)
	}
	return exit(exitFailed)
}

// ruleWords says how a candidate lost, by the rule's stable name.
var ruleWords = map[string]string{
	"static":           "a resource without variables comes first",
	"literals":         "it has fewer literal characters",
	"multi_segment":    "it has more variables that span several segments",
	"optional":         "it has more optional variables",
	"variables":        "it has more variables",
	"leftmost_literal": "it has a variable at the first place where the other has a literal",
	"declaration":      "it is declared later",
}

func (p *program) printExplanation(x *engine.Explanation) error {
	w := tabwriter.NewWriter(p.out, 0, 4, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	row("uri", "%s", inline(x.URI))
	if x.Normalized != "" && x.Normalized != x.URI {
		row("normalized", "%s", x.Normalized)
	}
	row("outcome", "%s", strings.ReplaceAll(x.Outcome, "_", " "))
	if x.Message != "" {
		row("", "%s", inline(x.Message))
	}
	if x.Resource != "" {
		row("resource", "%s  (%s)", x.Resource, x.Template)
	}
	if x.Rank != nil {
		row("rank", "literal characters %d, multi-segment %d, optional %d, variables %d",
			x.Rank.Literals, x.Rank.MultiSegment, x.Rank.Optional, x.Rank.Variables)
	}
	for _, name := range slices.Sorted(maps.Keys(x.Params)) {
		row("param "+name, "%s", jsonText(x.Params[name]))
	}
	if x.Params == nil {
		for _, name := range slices.Sorted(maps.Keys(x.Values)) {
			row("value "+name, "%s", jsonText(x.Values[name]))
		}
	}
	for _, c := range x.Candidates {
		row("also matches", "%s  (%s): loses because %s", c.Resource, c.Template, ruleWords[c.LostBy])
	}
	if n := x.Nearest; n != nil {
		row("nearest", "%s  (%s)", n.Resource, n.Template)
		row("", "differs at byte %d: %s", n.Offset+1, n.Expected)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return p.printPlan(x)
}

func (p *program) printPlan(x *engine.Explanation) error {
	s := x.Source
	if s == nil {
		return nil
	}
	fmt.Fprintf(p.out, "\n%s source", s.Kind)
	if s.Connection != "" {
		fmt.Fprintf(p.out, " over %s", s.Connection)
	}
	fmt.Fprintln(p.out)
	for _, line := range []string{s.Statement, strings.TrimSpace(s.Method + " " + s.URL), labelled("root", s.Root), labelled("path", s.Path), labelled("glob", s.Glob)} {
		if line != "" {
			fmt.Fprintf(p.out, "  %s\n", strings.ReplaceAll(strings.TrimSpace(line), "\n", "\n  "))
		}
	}
	for _, b := range s.Bound {
		fmt.Fprintf(p.out, "    %s = %s\n", b.Name, jsonText(b.Value))
	}
	return nil
}

// labelled is "" when there is nothing to label.
func labelled(label, text string) string {
	if text == "" {
		return ""
	}
	return label + " " + text
}

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// inline keeps what a client wrote on one line of a terminal.
func inline(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '\uFFFD'
		}
		return r
	}, s)
}

package main

import (
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/engine"
	"github.com/spf13/cobra"
)

func (p *program) validateCommand() *cobra.Command {
	var f loadFlags
	var format string
	var strict, connect bool
	c := &cobra.Command{
		Use:   "validate [PATH...]",
		Short: "Check a configuration and report every mistake",
		Long: "Check a configuration and report every mistake in it. Nothing is connected to, unless --connect is given:\n" +
			"then every connection is tried and every statement is held against its database, without being run.\n" +
			"PATH is a file or a directory; the working directory when left out.",
		Example: "  mcpdecl validate examples/shop.hcl\n  mcpdecl validate --format json --strict .",
		RunE: func(c *cobra.Command, paths []string) error {
			if f.env != "" && f.env != "ignore" {
				return usageError{fmt.Errorf("--env has no value %q: only --env=ignore is one", f.env)}
			}
			write, ok := formats[format]
			if !ok {
				return usageError{fmt.Errorf("--format has no value %q: it is text, json or sarif", format)}
			}
			config, diags := p.load(paths, f)
			r := report{config: config}
			if connect && !diags.HasErrors() {
				found, unchecked := engine.Check(c.Context(), config, kinds, p.host(slog.New(slog.DiscardHandler), config))
				r.unchecked = unchecked
				for _, d := range found { // what backends say
					d.Summary, d.Detail = config.Secrets.Hide(d.Summary), config.Secrets.Hide(d.Detail)
				}
				diags = append(diags, found...)
			} else if connect {
				r.unchecked = []string{"the backends: the configuration has errors"}
			}
			diags = append(diags, engine.Unavailable(config, kinds)...).Sort()
			if strict {
				for _, d := range diags {
					d.Severity = decl.Error
				}
			}
			r.diags = diags
			if err := write(p, r); err != nil {
				return err
			}
			if diags.HasErrors() {
				return exit(exitFailed)
			}
			return nil
		},
	}
	f.add(c)
	c.Flags().StringVar(&format, "format", "text", "`format` of the report: text, json or sarif")
	c.Flags().BoolVar(&connect, "connect", false, "also check against the live backends")
	c.Flags().BoolVar(&strict, "strict", false, "take warnings for errors")
	c.Flags().StringVar(&f.env, "env", "", "\"ignore\": do not mind environment variables that are not set")
	return c
}

// formats are the values of --format.
var formats = map[string]func(*program, report) error{
	"text": (*program).writeText, "json": (*program).writeJSON, "sarif": (*program).writeSARIF,
}

// report is what validate found.
type report struct {
	config    *decl.Config
	diags     decl.Diagnostics
	unchecked []string // with --connect: what was not checked, and why
}

func (p *program) writeText(r report) error {
	for _, u := range r.unchecked {
		fmt.Fprintf(p.err, "not checked: %s\n", r.config.Secrets.Hide(u))
	}
	if len(r.diags) == 0 {
		_, err := fmt.Fprintf(p.out, "valid: %s\n", summary(r.config))
		return err
	}
	printer := p.printer(r.config)
	printer.Color = p.colorful(p.out)
	return printer.Print(p.out, r.diags)
}

// summary says what a configuration declares.
func summary(c *decl.Config) string {
	s := ""
	for _, part := range []struct {
		n    int
		noun string
	}{
		{len(c.Resources), "resource"}, {len(c.Connections), "connection"}, {len(c.Tools), "tool"}, {len(c.Prompts), "prompt"},
	} {
		if part.n == 0 && s != "" {
			continue
		}
		if s != "" {
			s += ", "
		}
		s += fmt.Sprintf("%d %s", part.n, part.noun)
		if part.n != 1 {
			s += "s"
		}
	}
	return s
}

// The JSON form of a report is a stable interface: docs/cli.md.
type jsonReport struct {
	Valid       bool             `json:"valid"`
	Errors      int              `json:"errors"`
	Warnings    int              `json:"warnings"`
	Diagnostics []jsonDiagnostic `json:"diagnostics"`
	Unchecked   []string         `json:"unchecked,omitempty"` // with --connect
}

type jsonDiagnostic struct {
	Severity   string            `json:"severity"`
	Code       string            `json:"code"`
	Summary    string            `json:"summary"`
	Detail     string            `json:"detail,omitempty"`
	File       string            `json:"file,omitempty"`
	Range      *jsonRange        `json:"range,omitempty"`
	Suggestion string            `json:"suggestion,omitempty"`
	Related    []jsonRelated     `json:"related,omitempty"`
	Data       map[string]string `json:"data,omitempty"`
}

type jsonRelated struct {
	File    string     `json:"file,omitempty"`
	Range   *jsonRange `json:"range,omitempty"`
	Message string     `json:"message"`
}

type jsonRange struct {
	Start decl.Pos `json:"start"`
	End   decl.Pos `json:"end"`
}

func rangeOf(r decl.Range) *jsonRange {
	if r.File == "" {
		return nil
	}
	return &jsonRange{r.Start, r.End}
}

func (p *program) writeJSON(r report) error {
	ds := r.diags
	out := jsonReport{
		Valid: !ds.HasErrors(), Errors: ds.Count(decl.Error), Warnings: ds.Count(decl.Warning),
		Diagnostics: []jsonDiagnostic{},
	}
	for _, u := range r.unchecked {
		out.Unchecked = append(out.Unchecked, r.config.Secrets.Hide(u))
	}
	for _, d := range ds {
		j := jsonDiagnostic{
			Severity: d.Severity.String(), Code: d.Code, Summary: d.Summary, Detail: d.Detail,
			File: d.Range.File, Range: rangeOf(d.Range), Suggestion: d.Suggestion, Data: d.Data,
		}
		for _, rel := range d.Related {
			j.Related = append(j.Related, jsonRelated{rel.Range.File, rangeOf(rel.Range), rel.Message})
		}
		out.Diagnostics = append(out.Diagnostics, j)
	}
	return p.printJSON(out)
}

// printJSON writes a value for programs, indented so that people can read it
// too.
func (p *program) printJSON(v any) error {
	enc := json.NewEncoder(p.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

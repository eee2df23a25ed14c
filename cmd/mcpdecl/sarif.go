package main

import (
	"bytes"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/docs"
)

// writeSARIF writes a report as SARIF 2.1.0 (OASIS), for code scanning.
func (p *program) writeSARIF(rep report) error {
	var rules []sarifRule
	files := rep.config.Files
	results := []sarifResult{}
	for _, d := range rep.diags {
		if !slices.ContainsFunc(rules, func(r sarifRule) bool { return r.ID == d.Code }) {
			rules = append(rules, ruleOf(d.Code))
		}
		r := sarifResult{RuleID: d.Code, Level: d.Severity.String(), Message: sarifText{d.Summary}}
		if d.Detail != "" {
			r.Message.Text = d.Summary + "\n" + d.Detail
		}
		if d.Range.File != "" {
			r.Locations = []sarifLocation{location(files, d.Range, "")}
		}
		for _, rel := range d.Related {
			r.RelatedLocations = append(r.RelatedLocations, location(files, rel.Range, rel.Message))
		}
		results = append(results, r)
	}
	return p.printJSON(sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs: []sarifRun{{
			Tool:    sarifTool{sarifDriver{Name: "mcpdecl", Version: version(), Rules: rules}},
			Results: results,
		}},
	})
}

// ruleOf describes a code in the words of docs/diagnostics.md.
func ruleOf(code string) sarifRule {
	_, section, _ := strings.Cut(docs.Diagnostics, "\n### `"+code+"`\n\n")
	section, _, _ = strings.Cut(section, "\n##")
	section = strings.TrimSpace(section)
	short, _, _ := strings.Cut(section, "\n\n")
	short = strings.ReplaceAll(short, "\n", " ")
	return sarifRule{ID: code, Short: sarifText{short}, Full: sarifText{short}, Help: sarifHelp{short, section}}
}

func location(files map[string][]byte, r decl.Range, message string) sarifLocation {
	l := sarifLocation{}
	path := url.URL{Path: strings.TrimPrefix(filepath.ToSlash(r.File), "./")}
	if filepath.IsAbs(r.File) {
		path.Scheme = "file"
	}
	l.Physical.Artifact.URI = path.String()
	src := files[r.File]
	l.Physical.Region = sarifRegion{
		StartLine: r.Start.Line, StartColumn: utf16Column(src, r.Start), EndLine: r.End.Line, EndColumn: utf16Column(src, r.End),
	}
	if message != "" {
		l.Message = &sarifText{message}
	}
	return l
}

// utf16Column is a place's column in UTF-16 code units, which SARIF counts in
// unless a run says otherwise (section 3.14.17).
func utf16Column(src []byte, p decl.Pos) int {
	if p.Byte > len(src) {
		return p.Column
	}
	before := src[:p.Byte]
	before = before[bytes.LastIndexByte(before, '\n')+1:]
	return len(utf16.Encode([]rune(string(bytes.TrimPrefix(before, []byte("\uFEFF")))))) + 1
}

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool    sarifTool     `json:"tool"`
	Results []sarifResult `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	Rules   []sarifRule `json:"rules,omitempty"`
}

type sarifRule struct {
	ID    string    `json:"id"`
	Short sarifText `json:"shortDescription"`
	Full  sarifText `json:"fullDescription"`
	Help  sarifHelp `json:"help"`
}

type sarifHelp struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown"`
}

type sarifResult struct {
	RuleID           string          `json:"ruleId"`
	Level            string          `json:"level"`
	Message          sarifText       `json:"message"`
	Locations        []sarifLocation `json:"locations,omitempty"`
	RelatedLocations []sarifLocation `json:"relatedLocations,omitempty"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region sarifRegion `json:"region"`
	} `json:"physicalLocation"`
	Message *sarifText `json:"message,omitempty"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

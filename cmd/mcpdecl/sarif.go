package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpdecl/mcpdecl/decl"
)

// writeSARIF writes a report as SARIF 2.1.0 (OASIS), for code scanning.
func (p *program) writeSARIF(rep report) error {
	var rules []sarifRule
	results := []sarifResult{}
	for _, d := range rep.diags {
		if !slices.ContainsFunc(rules, func(r sarifRule) bool { return r.ID == d.Code }) {
			rules = append(rules, sarifRule{ID: d.Code})
		}
		r := sarifResult{RuleID: d.Code, Level: d.Severity.String(), Message: sarifText{d.Summary}}
		if d.Detail != "" {
			r.Message.Text = d.Summary + "\n" + d.Detail
		}
		if d.Range.File != "" {
			r.Locations = []sarifLocation{location(d.Range, "")}
		}
		for _, rel := range d.Related {
			r.RelatedLocations = append(r.RelatedLocations, location(rel.Range, rel.Message))
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

func location(r decl.Range, message string) sarifLocation {
	l := sarifLocation{}
	l.Physical.Artifact.URI = strings.TrimPrefix(filepath.ToSlash(r.File), "./")
	l.Physical.Region = sarifRegion{
		StartLine: r.Start.Line, StartColumn: r.Start.Column, EndLine: r.End.Line, EndColumn: r.End.Column,
	}
	if message != "" {
		l.Message = &sarifText{message}
	}
	return l
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
	ID string `json:"id"`
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

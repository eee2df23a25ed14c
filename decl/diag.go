package decl

import (
	"cmp"
	"fmt"
	"slices"
)

// Severity tells an error, which keeps a configuration from being served, from
// a warning, which does not (unless the user asked for --strict).
type Severity int

// The severities of a diagnostic.
const (
	Error Severity = iota
	Warning
)

func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Pos is a place in a file. Line and Column count from 1, Byte from 0; columns
// count user-perceived characters, as HCL does.
type Pos struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Byte   int `json:"byte"`
}

// Range is a stretch of a file; End is the place behind its last byte. A zero
// Range belongs to no file.
type Range struct {
	File       string
	Start, End Pos
}

func (r Range) String() string {
	if r.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d", r.File, r.Start.Line, r.Start.Column)
}

// Related points to a second place that a diagnostic speaks of.
type Related struct {
	Range   Range
	Message string
}

// Diagnostic is one mistake: what is wrong (Summary), why and what to do about
// it (Detail), and where.
type Diagnostic struct {
	Severity Severity
	Code     string // stable, documented in docs/diagnostics.md
	Summary  string // lower case, no full stop: states the fact
	Detail   string // cause, then remedy; may have several lines
	Range    Range
	// Suggestion is text that could stand in place of the Range, or empty.
	Suggestion string
	Related    []Related
	// Data holds facts for programs, such as the witness of an overlap.
	Data map[string]string
}

func (d *Diagnostic) String() string {
	s := d.Severity.String() + ": " + d.Summary
	if at := d.Range.String(); at != "" {
		s = at + ": " + s
	}
	return s
}

// Diagnostics is the list of the mistakes of a run.
type Diagnostics []*Diagnostic

// HasErrors reports whether at least one diagnostic is an error.
func (ds Diagnostics) HasErrors() bool { return ds.Count(Error) > 0 }

// Count returns how many diagnostics have the severity.
func (ds Diagnostics) Count(s Severity) int {
	n := 0
	for _, d := range ds {
		if d.Severity == s {
			n++
		}
	}
	return n
}

// Sort orders the diagnostics by place, keeping the order of discovery among
// those at one place, and drops exact repetitions.
func (ds Diagnostics) Sort() Diagnostics {
	slices.SortStableFunc(ds, func(a, b *Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.Range.File, b.Range.File),
			cmp.Compare(a.Range.Start.Byte, b.Range.Start.Byte),
			cmp.Compare(a.Range.End.Byte, b.Range.End.Byte),
		)
	})
	return slices.CompactFunc(ds, func(a, b *Diagnostic) bool {
		return a.Range == b.Range && a.Code == b.Code && a.Summary == b.Summary
	})
}

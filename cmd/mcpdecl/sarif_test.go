package main

import (
	"encoding/json"
	"net/url"
	"testing"

	"github.com/mcpdecl/mcpdecl/decl"
)

// TestSARIFPlaces holds places against what SARIF counts in: UTF-16 code units
// behind a byte order mark, and URIs of files.
func TestSARIFPlaces(t *testing.T) {
	const dir = "conf 100%"
	for _, c := range []struct {
		file, src, uri string
		byte           int
		line, column   int
	}{
		{"a.hcl", "abc", "a.hcl", 1, 1, 2},
		{"./b.hcl", "abc", "b.hcl", 3, 1, 4},
		{dir + "/c#?.hcl", "\n  \U0001F600 e\u0301 x", "conf%20100%25/c%23%3F.hcl", 12, 2, 9},
		{"/etc/d e.hcl", "\uFEFFabc", "file:///etc/d%20e.hcl", 4, 1, 2},
	} {
		at := decl.Pos{Line: c.line, Column: -1, Byte: c.byte}
		l := location(map[string][]byte{c.file: []byte(c.src)}, decl.Range{File: c.file, Start: at, End: at}, "")
		if got := l.Physical.Region; got.StartLine != c.line || got.StartColumn != c.column || got.EndColumn != c.column {
			t.Errorf("%s: %+v", c.file, got)
		}
		if l.Physical.Artifact.URI != c.uri {
			t.Errorf("%s: %s", c.file, l.Physical.Artifact.URI)
		}
		if _, err := url.Parse(l.Physical.Artifact.URI); err != nil {
			t.Error(err)
		}
		if _, err := json.Marshal(l); err != nil {
			t.Error(err)
		}
	}
}

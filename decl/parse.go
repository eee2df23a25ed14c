package decl

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	hcljson "github.com/hashicorp/hcl/v2/json"
)

// chunkSize is about how much of a large file is parsed at once. The parser
// holds all tokens of its input in memory: parsing 4 MiB in one piece takes
// twice the time and three times the memory of parsing it in pieces.
const chunkSize = 4 << 10

// parseSource parses a file of either syntax. A large one comes back in
// several pieces, each with whole top-level blocks and with the places of the
// whole file.
func parseSource(name string, src []byte) ([]*hcl.File, hcl.Diagnostics) {
	if at, deep := tooDeep(src); deep {
		return nil, hcl.Diagnostics{{
			Severity: hcl.DiagError, Summary: "nesting is too deep",
			Detail:  fmt.Sprintf("Brackets and signs are nested more than %d deep here. Close them, or use locals for parts of the expression.", mostDepth),
			Subject: &hcl.Range{Filename: name, Start: hcl.Pos{Byte: at}, End: hcl.Pos{Byte: at}},
		}}
	}
	if strings.HasSuffix(name, ".json") {
		f, diags := hcljson.Parse(src, name)
		return []*hcl.File{f}, diags
	}
	if files, ok := parseChunks(name, src); ok {
		return files, nil
	}
	f, diags := hclsyntax.ParseConfig(src, name, hcl.InitialPos)
	return []*hcl.File{f}, diags
}

// mostDepth is how deep brackets may be nested. The parser calls itself for
// each level, and a stack that is used up ends the process.
const mostDepth = 500

// tooDeep finds the byte at which brackets, or signs in front of a value, are
// nested too deep. It does not tell strings from code, since an interpolation
// is code in a string; no honest file comes near the limit.
func tooDeep(src []byte) (at int, deep bool) {
	depth, signs := 0, 0
	for i, c := range src {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(0, depth-1)
		case '!', '-':
			signs++
		case ' ', '\t', '\n', '\r':
			continue
		}
		if c != '!' && c != '-' {
			signs = 0
		}
		if depth > mostDepth || signs > mostDepth {
			return i, true
		}
	}
	return 0, false
}

// parseChunks cuts a file behind lines that are a closing brace in the first
// column. A cut inside a heredoc or a comment leaves the piece before it
// unfinished, which is a syntax error; so pieces without errors were cut
// rightly, and after any error the file is parsed whole instead.
func parseChunks(name string, src []byte) ([]*hcl.File, bool) {
	if len(src) < 2*chunkSize {
		return nil, false
	}
	var files []*hcl.File
	at := hcl.InitialPos
	for rest := src; len(rest) > 0; {
		n := cut(rest)
		f, diags := hclsyntax.ParseConfig(rest[:n], name, at)
		if diags.HasErrors() {
			return nil, false
		}
		files = append(files, f)
		at.Line += bytes.Count(rest[:n], []byte("\n"))
		at.Byte += n
		rest = rest[n:]
	}
	return files, true
}

// cut returns the length of the next piece.
func cut(src []byte) int {
	if len(src) < 2*chunkSize {
		return len(src)
	}
	end := bytes.Index(src[chunkSize:], []byte("\n}\n"))
	if end < 0 {
		return len(src)
	}
	return chunkSize + end + len("\n}\n")
}

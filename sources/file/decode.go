package file

import (
	"fmt"
	"regexp"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/zclconf/go-cty/cty"
)

func decodeConnection(b *decl.Block) any {
	checkRoot(b)
	return nil
}

func checkRoot(b *decl.Block) {
	root := b.String("root")
	if root == "" || b.FileExists(b.ResolvePath(root)) {
		return
	}
	d := b.Errorf(b.ValueRange("root"), "no_such_file", "the directory %q does not exist", root)
	d.Detail = "A relative path is relative to the configuration file."
}

var fileScope = map[string]cty.Type{
	"content": cty.String,
	"file": cty.Object(map[string]cty.Type{
		"path": cty.String, "name": cty.String, "size": cty.Number, "modified": cty.String,
	}),
}

func decodeSource(b *decl.Block, in *decl.SourceContext) *decl.Source {
	s := &decl.Source{Connection: b.Connection("connection"), Scope: fileScope}
	if b.Has("connection") == b.Has("root") {
		d := b.Errorf(b.Range, "root_or_connection", "a file source needs either connection or root")
		d.Detail = "Write connection = connection.file.NAME, or root = \"docs\"."
	}
	checkRoot(b)
	if s.Connection != nil && s.Connection.Kind != "file" {
		d := b.Errorf(b.ValueRange("connection"), "wrong_connection_kind", "a file source needs a file connection")
		d.Detail = fmt.Sprintf("%s is a %s connection.", s.Connection.ID(), s.Connection.Kind)
	}
	if !b.Has("path") && !b.Has("glob") {
		d := b.Errorf(b.Range, "missing_attribute", "a file source has neither \"path\" nor \"glob\"")
		d.Detail = "Write path = \"{+path}\" for one file, or glob = \"**/*.md\" for many."
	}
	if b.String("path") != "" {
		_, s.Uses = in.Template(b, "path")
	}
	s.Uses = append(s.Uses, globVariables(b, in)...)
	for _, name := range []string{"lines", "offset", "limit"} {
		if e := b.Expr(name); e != nil {
			in.Check(e, nil)
		}
	}
	if b.Has("lines") && (b.Has("offset") || b.Has("limit")) {
		d := b.Errorf(b.NameRange("lines"), "two_ranges", "lines does not go with offset and limit")
		d.Detail = "A part of a file is given in lines or in bytes. Remove one of them."
	}
	return s
}

// globVariable is {name} in a pattern; {a,b} there is a choice.
var globVariable = regexp.MustCompile(`\{[A-Za-z_][A-Za-z0-9_]*\}`)

// globVariables checks the glob and returns the parameters that it uses.
func globVariables(b *decl.Block, in *decl.SourceContext) []int {
	pattern := b.String("glob")
	if pattern == "" {
		return nil
	}
	if !doublestar.ValidatePattern(globVariable.ReplaceAllString(pattern, "x")) {
		d := b.Errorf(b.ValueRange("glob"), "invalid_glob", "glob is not a pattern")
		d.Detail = "A bracket or a brace is not closed, or a backslash stands at the end. Write a pattern such as \"**/*.md\" or \"*.{md,txt}\"."
		return nil
	}
	var uses []int
	for _, m := range globVariable.FindAllStringIndex(pattern, -1) {
		name := pattern[m[0]+1 : m[1]-1]
		if i, ok := in.Variable(b, name, b.At("glob", m[0]+1, len(name))); ok {
			uses = append(uses, i)
		}
	}
	return uses
}

package file

import (
	"fmt"

	"github.com/mcpdecl/mcpdecl/decl"
)

func decodeConnection(b *decl.Block) any {
	checkRoot(b)
	return &settings{
		root: resolvedRoot(b), hidden: b.Bool("hidden"), maxBytes: b.Size("max_bytes"),
		maxFiles: int(b.Int("max_files")), auto: b.String("charset") == "auto",
	}
}

func resolvedRoot(b *decl.Block) string {
	if b.String("root") == "" {
		return ""
	}
	return b.ResolvePath(b.String("root"))
}

func checkRoot(b *decl.Block) {
	root := b.String("root")
	if root == "" || b.FileExists(b.ResolvePath(root)) {
		return
	}
	d := b.Errorf(b.ValueRange("root"), "no_such_file", "the directory %q does not exist", root)
	d.Detail = "A relative path is relative to the configuration file."
}

func decodeSource(b *decl.Block, in *decl.SourceContext) *decl.Source {
	src := &decl.Source{Connection: b.Connection("connection"), Scope: scopeTypes()}
	s := &sourceSettings{place: in.Place, at: b.ValueRange("path")}
	src.Settings = s
	if !b.Has("path") {
		s.at = b.ValueRange("glob")
	}
	if b.Has("connection") == b.Has("root") {
		d := b.Errorf(b.Range, "root_or_connection", "a file source needs either connection or root")
		d.Detail = "Write connection = connection.file.NAME, or root = \"docs\"."
	}
	checkRoot(b)
	s.root = defaultSettings(resolvedRoot(b))
	if c := src.Connection; c != nil && c.Kind != "file" {
		d := b.Errorf(b.ValueRange("connection"), "wrong_connection_kind", "a file source needs a file connection")
		d.Detail = fmt.Sprintf("%s is a %s connection.", c.ID(), c.Kind)
	}
	if !b.Has("path") && !b.Has("glob") {
		d := b.Errorf(b.Range, "missing_attribute", "a file source has neither \"path\" nor \"glob\"")
		d.Detail = "Write path = \"{+path}\" for one file, or glob = \"**/*.md\" for many."
	}
	s.path, src.Uses = decodePath(b, in)
	glob, uses := decodeGlob(b, in)
	s.glob, src.Uses = glob, append(src.Uses, uses...)
	s.part = partExprs{b.Expr("lines"), b.Expr("offset"), b.Expr("limit")}
	for _, e := range []*decl.Expr{s.part.lines, s.part.offset, s.part.limit} {
		if e != nil {
			in.Check(e, nil)
		}
	}
	checkOneFile(b, in)
	return src
}

// defaultSettings are those of a connection that says nothing but its root.
func defaultSettings(root string) *settings {
	s := &settings{root: root}
	for _, a := range connectionSpec.Attrs {
		switch a.Name {
		case "max_bytes":
			s.maxBytes, _ = decl.ParseSize(a.Default)
		case "max_files":
			_, _ = fmt.Sscan(a.Default, &s.maxFiles)
		}
	}
	return s
}

// checkOneFile reports what goes with one file only.
func checkOneFile(b *decl.Block, in *decl.SourceContext) {
	if b.Has("lines") && (b.Has("offset") || b.Has("limit")) {
		d := b.Errorf(b.NameRange("lines"), "two_ranges", "lines does not go with offset and limit")
		d.Detail = "A part of a file is given in lines or in bytes. Remove one of them."
	}
	if b.Has("path") || !b.Has("glob") {
		return
	}
	for _, name := range []string{"lines", "offset", "limit"} {
		if b.Has(name) {
			d := b.Errorf(b.NameRange(name), "part_of_many", "%s needs a path", name)
			d.Detail = "A part is that of one file, and glob alone reads every file that matches. Add path, or remove " + name + "."
			return
		}
	}
	if in.HasBody {
		d := b.Errorf(b.NameRange("glob"), "body_over_many", "text, json and blob need a path")
		d.Detail = "They are evaluated over one file, and glob alone reads every file that matches. Add path, such as path = \"{+path}\", or remove the body."
	}
}

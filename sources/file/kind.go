package file

import (
	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/sources"
)

// Kind is the file source with its connection.
var Kind = sources.Kind{
	Name:        "file",
	Connections: []decl.ConnectionKind{{Spec: connectionSpec, Decode: decodeConnection}},
	Source:      decl.SourceKind{Spec: sourceSpec, Decode: decodeSource},
	Connect:     connect,
	New:         newSource,
}

var connectionSpec = &decl.BlockSpec{
	Type: "file",
	Attrs: []decl.AttrSpec{
		{Name: "root", Type: decl.String, Required: true, Doc: "The directory outside of which nothing is read."},
		{Name: "hidden", Type: decl.Bool, Default: "false", Doc: "Read files and directories whose names begin with a dot too."},
		{Name: "max_bytes", Type: decl.Size, Default: "10MiB", Min: "1B", Doc: "The largest file."},
		{Name: "max_files", Type: decl.Integer, Default: "1000", Min: "1", Doc: "The largest number of files that one read returns."},
		{Name: "charset", Type: decl.String, Default: "utf-8", Enum: []string{"utf-8", "auto"}, Doc: "\"auto\" also reads UTF-16 with a byte order mark as text."},
	},
	Doc: "A directory of files.",
}

var sourceSpec = &decl.BlockSpec{
	Type: "file",
	Attrs: []decl.AttrSpec{
		{Name: "connection", Type: decl.Reference, Doc: "A file connection."},
		{Name: "root", Type: decl.String, Doc: "A directory, instead of a connection."},
		{Name: "path", Type: decl.String, Template: decl.TemplateURI, Doc: "One file: a template over the parameters."},
		{Name: "glob", Type: decl.String, Template: decl.TemplateURI, Doc: "A pattern such as \"**/*.md\"; with path, what can be read."},
		{Name: "lines", Type: decl.Expression, Doc: "The lines to read, such as \"10-80\"."},
		{Name: "offset", Type: decl.Expression, Doc: "The first byte to read."},
		{Name: "limit", Type: decl.Expression, Doc: "The number of bytes to read."},
	},
	Doc: "One file, or the files that match a pattern.",
}

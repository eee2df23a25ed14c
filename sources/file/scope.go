package file

import (
	"path"
	"time"

	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/zclconf/go-cty/cty"
)

// contentName and fileName are the names that expressions see.
const (
	contentName = "content"
	fileName    = "file"
)

var fileType = cty.Object(map[string]cty.Type{
	"path": cty.String, "name": cty.String, "size": cty.Number, "modified": cty.String,
})

// scopeTypes is what a file offers to expressions.
func scopeTypes() map[string]cty.Type {
	return map[string]cty.Type{contentName: cty.String, fileName: fileType}
}

// scopeOf are the values of one file. A content that is not text is null.
func scopeOf(p place, c sources.Content) map[string]cty.Value {
	content := cty.NullVal(cty.String)
	if isText(c.Data) {
		content = cty.StringVal(string(c.Data))
	}
	return map[string]cty.Value{contentName: content, fileName: fileValue(p)}
}

func fileValue(p place) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{
		"path":     cty.StringVal(p.name),
		"name":     cty.StringVal(path.Base(p.name)),
		"size":     cty.NumberIntVal(p.info.Size()),
		"modified": cty.StringVal(p.info.ModTime().UTC().Format(time.RFC3339)),
	})
}

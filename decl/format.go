package decl

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
)

// Format returns a file of the native syntax in its canonical form, or the
// syntax errors in it.
func Format(name string, src []byte) ([]byte, Diagnostics) {
	l := &loader{config: &Config{Files: map[string][]byte{name: src}}, unfinished: map[string]bool{}}
	if !l.checkEncoding(name, src) {
		return nil, l.diags
	}
	_, diags := hclsyntax.ParseConfig(src, name, hcl.InitialPos)
	l.addHCL(diags)
	if l.diags.HasErrors() {
		return nil, l.diags.Sort()
	}
	return hclwrite.Format(src), nil
}

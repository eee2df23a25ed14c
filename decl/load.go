package decl

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Options are what Load may use of the world outside.
type Options struct {
	ReadFile  func(name string) ([]byte, error)
	ReadDir   func(name string) ([]fs.DirEntry, error)
	Stat      func(name string) (fs.FileInfo, error)
	LookupEnv func(name string) (string, bool)
	// IgnoreEnv treats an unset environment variable as unknown instead of an
	// error; everything that does not depend on it is checked.
	IgnoreEnv bool
	// Vars are the values of --var in their order: "name=value".
	Vars []string
	// VarFiles are the files of --var-file in their order.
	VarFiles []string
	Kinds    Kinds
	// Name is the server's name where no server block gives one.
	Name string
}

// Load reads the files and directories and returns the configuration that
// they form together, with every mistake in them. The configuration is only
// to be served when the diagnostics have no error; it is never nil.
func Load(paths []string, o Options) (*Config, Diagnostics) {
	l := &loader{
		Options:    o,
		config:     &Config{Secrets: &Secrets{}, Files: map[string][]byte{}, Unshown: map[string]bool{}},
		contexts:   map[string]*hcl.EvalContext{},
		schemas:    map[*BlockSpec]*hcl.BodySchema{},
		vars:       map[string]cty.Value{},
		locals:     map[string]cty.Value{},
		unfinished: map[string]bool{},
	}
	l.root = &Block{Spec: RootSpec(o.Kinds), typ: "configuration", loader: l}
	l.files(paths)
	l.variables()
	l.localValues()
	clear(l.contexts)
	l.settled = true
	l.server()
	l.connections()
	l.resources()
	l.tools()
	l.prompts()
	l.comparePairs()
	for _, d := range l.diags {
		l.hideSecrets(d)
	}
	return l.config, l.diags.Sort()
}

// loader is the state of one Load.
type loader struct {
	Options
	config *Config
	diags  Diagnostics
	root   *Block // what stands at the top level of all files
	bodies []topBlock
	// unfinished are the files with syntax errors: what seems to be missing in
	// them may stand behind the error.
	unfinished map[string]bool
	contexts   map[string]*hcl.EvalContext // by folder: file() is relative to its file
	schemas    map[*BlockSpec]*hcl.BodySchema
	vars       map[string]cty.Value
	settled    bool // vars and locals have their final values
	locals     map[string]cty.Value
}

// topBlock is a block at the top level, not yet decoded: variables come before
// locals, and both before everything that may refer to them.
type topBlock struct {
	spec *BlockSpec
	hcl  *hcl.Block
}

// files finds and parses the files and collects their top-level blocks.
func (l *loader) files(paths []string) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	seen := map[string]bool{}
	for _, p := range paths {
		for _, name := range l.expand(p) {
			if clean := filepath.Clean(name); !seen[clean] {
				seen[clean] = true
				l.parse(name)
			}
		}
	}
	if len(seen) > 0 && len(l.bodies) == 0 && !l.diags.HasErrors() {
		d := l.add(Error, Range{}, "empty_configuration", "the configuration declares nothing")
		d.Detail = "Declare at least one resource block; see docs/guide/first-file.md."
	}
}

// Files returns the configuration files that the paths stand for.
func Files(paths []string, stat func(string) (fs.FileInfo, error), readDir func(string) ([]fs.DirEntry, error)) ([]string, Diagnostics) {
	l := &loader{Options: Options{Stat: stat, ReadDir: readDir}}
	var names []string
	for _, p := range paths {
		names = append(names, l.expand(p)...)
	}
	return names, l.diags
}

// expand returns the configuration files that a path stands for.
func (l *loader) expand(path string) []string {
	info, err := l.Stat(path)
	if err != nil {
		d := l.add(Error, Range{}, "cannot_read", "cannot read %q", path)
		d.Detail = pathReason(err)
		return nil
	}
	if !info.IsDir() {
		return []string{path}
	}
	entries, err := l.ReadDir(path)
	if err != nil {
		l.add(Error, Range{}, "cannot_read", "cannot read the directory %q", path).Detail = pathReason(err)
		return nil
	}
	var names []string
	for _, e := range entries {
		if n := e.Name(); isConfigFile(n) && !e.IsDir() {
			name := filepath.Join(path, n)
			if e.Type()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) != 0 {
				l.add(Error, Range{}, "cannot_read", "cannot read %q", name).Detail = "It is not a regular file. Remove it, or give it another name."
				continue
			}
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		d := l.add(Error, Range{}, "no_files", "no configuration file in %q", path)
		d.Detail = "A directory is read for files that end in .hcl or .hcl.json, not its sub-directories."
	}
	return names
}

// isConfigFile leaves out dotfiles and what editors leave behind.
func isConfigFile(name string) bool {
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "#") || strings.HasSuffix(name, "~") {
		return false
	}
	return strings.HasSuffix(name, ".hcl") || strings.HasSuffix(name, ".hcl.json")
}

func pathReason(err error) string {
	if pe, ok := err.(*fs.PathError); ok {
		err = pe.Err
	}
	return sentence(err)
}

func (l *loader) parse(name string) {
	src, err := l.ReadFile(name)
	if err != nil {
		l.add(Error, Range{}, "cannot_read", "cannot read %q", name).Detail = pathReason(err)
		return
	}
	l.config.Files[name] = src
	if !l.checkEncoding(name, src) {
		return
	}
	files, diags := parseSource(name, src)
	l.addHCL(diags)
	for _, f := range files {
		if f != nil && f.Body != nil {
			l.topLevel(f.Body)
		}
	}
}

// checkEncoding refuses what is not UTF-8, with the place of the first byte
// that is not.
func (l *loader) checkEncoding(name string, src []byte) bool {
	at := func(offset int) Range {
		return Range{name, l.pos(name, offset), l.pos(name, offset)}
	}
	if len(src) >= 2 && (src[0] == 0xFF && src[1] == 0xFE || src[0] == 0xFE && src[1] == 0xFF) {
		d := l.add(Error, at(0), "not_utf8", "the file is UTF-16")
		d.Detail = "Configuration files are UTF-8. Save it as UTF-8."
		return false
	}
	if utf8.Valid(src) {
		return true
	}
	offset := 0
	for offset < len(src) {
		r, n := utf8.DecodeRune(src[offset:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		offset += n
	}
	d := l.add(Error, at(offset), "not_utf8", "the file is not UTF-8")
	d.Detail = fmt.Sprintf("The byte 0x%02X here is not part of a UTF-8 character. Save the file as UTF-8.", src[offset])
	return false
}

// topLevel collects the blocks of a file and reports what cannot stand there.
func (l *loader) topLevel(body hcl.Body) {
	schema := &hcl.BodySchema{}
	for _, s := range l.root.Spec.Blocks {
		schema.Blocks = append(schema.Blocks, hcl.BlockHeaderSchema{Type: s.Type, LabelNames: s.Labels})
	}
	content, remain, diags := body.PartialContent(schema)
	l.addHCL(diags)
	l.root.reportUnknown(body, remain)
	for _, hb := range content.Blocks {
		l.bodies = append(l.bodies, topBlock{l.root.Spec.block(hb.Type), hb})
	}
}

// each calls f with a fresh, undecoded Block for every top-level block of the
// type, in file order.
func (l *loader) each(typ string, f func(b *Block, body hcl.Body)) {
	for _, t := range l.bodies {
		if t.spec.Type == typ {
			f(l.newBlock(t.spec, t.hcl), t.hcl.Body)
		}
	}
}

func (l *loader) newBlock(spec *BlockSpec, hb *hcl.Block) *Block {
	b := &Block{
		Spec: spec, typ: hb.Type, Labels: hb.Labels, Range: l.rng(hb.DefRange), loader: l,
		secrets: hb.Type == "connection" || hb.Type == "variable",
	}
	for _, r := range hb.LabelRanges {
		b.labelRanges = append(b.labelRanges, l.rng(r))
	}
	return b
}

// variant chooses the spec of an open block by its first label; nil and a
// diagnostic when there is none of that name.
func (l *loader) variant(b *Block, open *BlockSpec) *BlockSpec {
	var names []string
	for _, v := range open.Variants {
		if v.Type == b.Label(0) {
			return v
		}
		names = append(names, v.Type)
	}
	d := l.add(Error, b.LabelRange(0), "unknown_kind", "no %s kind named %q", open.Type, b.Label(0))
	mean, candidate := DidYouMean(b.Label(0), names)
	d.Detail = strings.TrimSpace(fmt.Sprintf("The kinds are %s. %s", list(names), mean))
	if candidate != "" {
		d.Suggestion = fmt.Sprintf("%q", candidate)
	}
	return nil
}

// checkName reports a block name that is no identifier, or that an earlier
// block of the type has; it returns false when the block cannot be kept; its
// inside is checked all the same.
func (l *loader) checkName(b *Block, name string, at Range, seen map[string]Range) bool {
	if !hclsyntax.ValidIdentifier(name) {
		d := l.add(Error, at, "invalid_name", "%q is not a valid name", name)
		d.Detail = "A name starts with a letter and has letters, digits, \"_\" and \"-\"."
		return false
	}
	key := strings.Join(b.Labels, " ")
	if first, ok := seen[key]; ok {
		d := l.add(Error, b.Range, "duplicate_name", "%s is declared twice", b.title())
		d.Detail = fmt.Sprintf("The first one is at %s. Give one of them another name, or remove it.", first)
		d.Related = []Related{{first, "first here"}}
		return false
	}
	seen[key] = b.Range
	return true
}

func (l *loader) resolvePath(file, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(file), path)
}

func (l *loader) fileExists(path string) bool {
	_, err := l.Stat(path)
	return err == nil
}

func (l *loader) add(s Severity, at Range, code, format string, args ...any) *Diagnostic {
	d := &Diagnostic{Severity: s, Range: at, Code: code, Summary: fmt.Sprintf(format, args...)}
	l.diags = append(l.diags, d)
	return d
}

func (l *loader) last() *Diagnostic { return l.diags[len(l.diags)-1] }

func (l *loader) hideSecrets(d *Diagnostic) {
	s := l.config.Secrets
	d.Summary, d.Detail, d.Suggestion = s.Hide(d.Summary), s.Hide(d.Detail), s.Hide(d.Suggestion)
	for k, v := range d.Data {
		d.Data[k] = s.Hide(v)
	}
}

package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpdecl/mcpdecl/decl"
)

var (
	attrMarker = regexp.MustCompile(`(?ms)^<!-- attributes ([a-z0-9 ]+) -->\n(.*?)^<!-- end -->$`)
	funcMarker = regexp.MustCompile(`(?ms)^<!-- functions -->\n(.*?)^<!-- end -->$`)
)

// TestLanguageReference holds the tables of docs/language.md against the specs
// that the loader checks with; with -update it writes them.
func TestLanguageReference(t *testing.T) {
	const file = "../../docs/language.md"
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	root := decl.RootSpec(declKinds())
	described := map[*decl.BlockSpec]bool{}
	want := attrMarker.ReplaceAllFunc(src, func(m []byte) []byte {
		path := string(attrMarker.FindSubmatch(m)[1])
		spec := specAt(root, strings.Fields(path))
		if spec == nil {
			t.Fatalf("no block %q", path)
		}
		described[spec] = true
		return fmt.Appendf(nil, "<!-- attributes %s -->\n%s<!-- end -->", path, attrTable(spec))
	})
	want = funcMarker.ReplaceAll(want, []byte("<!-- functions -->\n`"+strings.Join(decl.FunctionNames(), "`, `")+"`\n<!-- end -->"))
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(want) != string(src) {
		t.Error("the tables of docs/language.md are not those of the code; run the test with -update")
	}
	everySpec(root, func(s *decl.BlockSpec) {
		if len(s.Attrs) > 0 && !described[s] && s.Type != "validation" {
			inParent := slices.ContainsFunc(slices.Collect(maps.Keys(described)), func(d *decl.BlockSpec) bool {
				return strings.Contains(attrTable(d), "`"+s.Type+" { }")
			})
			if !inParent {
				t.Errorf("docs/language.md has no table for the block %q", s.Type)
			}
		}
	})
}

func specAt(s *decl.BlockSpec, path []string) *decl.BlockSpec {
	for _, name := range path {
		next := slices.Concat(s.Blocks, s.Variants)
		i := slices.IndexFunc(next, func(b *decl.BlockSpec) bool { return b.Type == name })
		if i < 0 {
			return nil
		}
		s = next[i]
	}
	return s
}

func everySpec(s *decl.BlockSpec, visit func(*decl.BlockSpec)) {
	for _, b := range slices.Concat(s.Blocks, s.Variants) {
		visit(b)
		everySpec(b, visit)
	}
}

var typeWords = map[decl.AttrType]string{
	decl.String: "string", decl.Integer: "integer", decl.Number: "number", decl.Bool: "bool", decl.Duration: "duration",
	decl.Size: "size", decl.StringList: "list of strings", decl.IntList: "list of integers", decl.StringMap: "map of strings",
	decl.AnyValue: "any value", decl.Expression: "expression", decl.Object: "object of expressions", decl.ValueType: "type",
	decl.TypeConstraint: "type", decl.Reference: "connection",
}

func attrTable(s *decl.BlockSpec) string {
	var b strings.Builder
	b.WriteString("| attribute | type | default | meaning |\n|---|---|---|---|\n")
	row := func(prefix string, a decl.AttrSpec) {
		def := ""
		switch {
		case a.Required:
			def = "required"
		case a.Default != "":
			def = "`" + a.Default + "`"
		}
		doc := a.Doc
		if len(a.Enum) > 0 {
			doc += " One of `" + strings.Join(a.Enum, "`, `") + "`."
		}
		fmt.Fprintf(&b, "| `%s%s` | %s | %s | %s |\n", prefix, a.Name, typeWords[a.Type], def, strings.ReplaceAll(doc, "|", `\|`))
	}
	for _, a := range s.Attrs {
		row("", a)
	}
	for _, c := range s.Blocks {
		if len(c.Labels) == 0 && len(c.Blocks) == 0 && s.Type != "resource" && s.Type != "prompt" { // small ones in place
			for _, a := range c.Attrs {
				row(c.Type+" { } ", a)
			}
		}
	}
	return b.String()
}

// TestDocumentedConfigurations validates every block of HCL in docs, and every
// file of examples; each is complete in itself.
func TestDocumentedConfigurations(t *testing.T) {
	n := 0
	err := filepath.WalkDir("../../docs", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".md") || strings.Contains(path, "guide") { // TestGuides
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !strings.Contains(string(src), "```hcl") {
			return nil
		}
		for _, b := range blocksOf(t, path) {
			if b.language == "hcl" {
				n++
				validateDocumented(t, fmt.Sprintf("%s:%d", path, b.line), b.text)
			}
		}
		return nil
	})
	if err != nil || n < 10 {
		t.Fatalf("%d blocks: %v", n, err)
	}
	examples, _ := filepath.Glob("../../examples/*.hcl")
	for _, e := range examples {
		out, err := exec.Command("mcpdecl", "validate", "--strict", "--env=ignore", e).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", e, err, out)
		}
	}
	if len(examples) == 0 {
		t.Error("no examples")
	}
}

// validateDocumented runs validate in a folder with the shop's database and a
// folder of documents. The only warning that may come is not_available.
func validateDocumented(t *testing.T, where, text string) {
	t.Helper()
	dir := t.TempDir()
	sql, err := os.ReadFile("../../examples/shop.sql")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"main.hcl": text, "shop.sql": string(sql), "shop.db": "", "about.md": "# About\n", "docs/index.md": "# Docs\n"}
	for name, data := range files {
		path := filepath.Join(dir, name)
		_ = os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("mcpdecl", "validate", "--env=ignore", filepath.Join(dir, "main.hcl")).CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", where, err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "warning: ") && !strings.Contains(line, "not available in this version") {
			t.Errorf("%s: %s", where, out)
		}
	}
}

// TestDocsLinks holds the links between the pages against the files, and those
// to a diagnostic against its heading.
func TestDocsLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)?(#[^)]*)?\)`)
	pages, _ := filepath.Glob("../../docs/*.md")
	guides, _ := filepath.Glob("../../docs/guide/*.md")
	for _, page := range slices.Concat(pages, guides, []string{"../../README.md"}) {
		src, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(src), -1) {
			if m[1] == "" {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			}
		}
	}
}

// TestGuides follows each guide as a reader would: a block of HCL or SQL is
// saved under the name in its first line, a command is run, and a block of text
// or JSON directly behind a command is what it prints.
func TestGuides(t *testing.T) {
	guides, _ := filepath.Glob("../../docs/guide/*.md")
	if len(guides) < 5 {
		t.Fatalf("%d guides", len(guides))
	}
	name := regexp.MustCompile(`^(?:#|--) (\S+\.(?:hcl|sql))\n`)
	for _, guide := range guides {
		t.Run(strings.TrimSuffix(filepath.Base(guide), ".md"), func(t *testing.T) {
			dir := t.TempDir()
			printed := ""
			for _, b := range blocksOf(t, guide) {
				switch b.language {
				case "hcl", "sql":
					m := name.FindStringSubmatch(b.text)
					if m == nil {
						t.Fatalf("%s:%d: the block does not begin with its file's name", guide, b.line)
					}
					if err := os.WriteFile(filepath.Join(dir, m[1]), []byte(b.text), 0o644); err != nil {
						t.Fatal(err)
					}
				case "sh":
					cmd := exec.Command("sh", "-c", b.text)
					cmd.Dir = dir
					out, err := cmd.Output()
					if err != nil {
						t.Errorf("%s:%d: %v\n%s%s", guide, b.line, err, out, err.(*exec.ExitError).Stderr)
					}
					printed = string(out)
				case "text", "json":
					if strings.TrimRight(printed, "\n") != strings.TrimRight(b.text, "\n") {
						t.Errorf("%s:%d: the command prints\n%s", guide, b.line, printed)
					}
				default:
					t.Errorf("%s:%d: a block of %q", guide, b.line, b.language)
				}
			}
		})
	}
}

// TestDiagnosticExamples holds every example of docs/diagnostics.md against the
// output of the cases.
func TestDiagnosticExamples(t *testing.T) {
	var all strings.Builder
	for _, c := range caseFiles(t) {
		src, err := os.ReadFile(c)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(src)
	}
	for _, b := range blocksOf(t, "../../docs/diagnostics.md") {
		for line := range strings.Lines(b.text) {
			line, _, _ = strings.Cut(strings.TrimRight(line, "\n"), "…") // a long line is cut
			if !strings.Contains(all.String(), line) {
				t.Errorf("docs/diagnostics.md:%d: no case prints %q", b.line, line)
			}
		}
	}
}

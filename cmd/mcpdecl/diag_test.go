package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpdecl/mcpdecl/uritmpl"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected output of the cases")

const diagCases = "../../testdata/diag"

// TestDiagnostics runs validate on each case of testdata/diag and compares
// every byte that it prints. A case is one txtar file. Its comment says what it
// shows and, in lines "args:", "env:", "needs:" and "codes:", how it is run and
// which codes it shows; the file "want" is the output. A file NAME.raw is written as
// NAME with the bytes of the Go string that it holds.
func TestDiagnostics(t *testing.T) {
	for _, file := range caseFiles(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := runCase(t, a)
			i := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == "want" })
			if *update {
				if i < 0 {
					a.Files = append(a.Files, txtar.File{Name: "want"})
					i = len(a.Files) - 1
				}
				a.Files[i].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if i < 0 || got != string(a.Files[i].Data) {
				t.Errorf("got:\n%s\nwant:\n%s", got, a.Files[max(i, 0)].Data)
			}
		})
	}
}

// TestCasesShowTheirCodes holds the codes that a case claims against those
// that validate reports for it as JSON.
func TestCasesShowTheirCodes(t *testing.T) {
	for _, file := range caseFiles(t) {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		claimed := strings.Fields(directive(a, "codes"))
		var got []string
		for _, m := range regexp.MustCompile(`"code": "([a-z0-9_]+)"`).FindAllStringSubmatch(runCase(t, a, "--format", "json"), -1) {
			got = append(got, m[1])
		}
		slices.Sort(claimed)
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(claimed, got) {
			t.Errorf("%s claims the codes %v, validate reports %v", filepath.Base(file), claimed, got)
		}
	}
}

// TestEveryDiagnosticHasACase holds the codes that the source code can produce
// against the cases and the reference.
func TestEveryDiagnosticHasACase(t *testing.T) {
	codes := codesInSource(t)
	if len(codes) < 60 {
		t.Fatalf("only %d codes were found in the source", len(codes))
	}
	var shown []string
	for _, file := range caseFiles(t) {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		shown = append(shown, strings.Fields(directive(a, "codes"))...)
	}
	docs, err := os.ReadFile("../../docs/diagnostics.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range codes {
		if !slices.Contains(shown, c) {
			t.Errorf("no case in testdata/diag shows %q", c)
		}
		if !bytes.Contains(docs, []byte("\n### `"+c+"`\n")) {
			t.Errorf("docs/diagnostics.md does not describe %q", c)
		}
		r := ruleOf(c)
		if !strings.HasSuffix(r.Short.Text, ".") || !strings.HasPrefix(r.Help.Markdown, r.Short.Text[:5]) || strings.Count(r.Help.Markdown, "```")%2 != 0 || strings.Contains(r.Help.Markdown, "###") {
			t.Errorf("the rule of %q is %+v", c, r)
		}
	}
	for _, c := range shown {
		if !slices.Contains(codes, c) {
			t.Errorf("a case in testdata/diag shows the code %q, which is not found in the source", c)
		}
	}
}

func caseFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(diagCases + "/*.txtar")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d cases found: %v", len(files), err)
	}
	return files
}

// runCase runs validate on a case and returns all that it prints, with its
// exit code; the case's directory is left out of it.
func runCase(t *testing.T, a *txtar.Archive, more ...string) string {
	t.Helper()
	dir := t.TempDir()
	server := strings.NewReplacer()
	if directive(a, "needs") == "postgres" {
		s := servers.Postgres(t)
		server = strings.NewReplacer("PGHOST", s.Host, "PGPORT", strconv.Itoa(s.Port), "PGUSER", s.User, "PGPASSWORD", s.Password, "PGDATABASE", s.Database)
	}
	env := map[string]string{"NO_COLOR": "1"}
	for _, kv := range strings.Fields(directive(a, "env")) {
		k, v, _ := strings.Cut(kv, "=")
		env[k] = v
	}
	args := append([]string{"validate"}, more...)
	args = append(args, strings.Fields(strings.ReplaceAll(directive(a, "args"), "DIR", dir))...)
	paths := writeCase(t, a, dir, server)
	if !strings.Contains(directive(a, "args"), "PATH") {
		args = append(args, paths...)
	} else {
		args = slices.DeleteFunc(args, func(s string) bool { return s == "PATH" })
	}
	var out, errOut bytes.Buffer
	p := &program{
		in: strings.NewReader(""), out: &out, err: &errOut,
		lookupEnv: func(k string) (string, bool) { v, ok := env[k]; return v, ok },
	}
	code := p.run(context.Background(), args)
	got := fmt.Sprintf("%s%sexit %d\n", out.String(), errOut.String(), code)
	return strings.ReplaceAll(strings.ReplaceAll(got, dir+string(filepath.Separator), ""), dir, "DIR")
}

// writeCase writes the files of a case and returns those that are
// configurations.
func writeCase(t *testing.T, a *txtar.Archive, dir string, server *strings.Replacer) []string {
	t.Helper()
	var paths []string
	for _, f := range a.Files {
		if f.Name == "want" {
			continue
		}
		name, data := f.Name, f.Data
		if text, ok := strings.CutSuffix(name, ".raw"); ok {
			s, err := strconv.Unquote(strings.TrimSpace(string(data)))
			if err != nil {
				t.Fatal(err)
			}
			name, data = text, []byte(s)
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(server.Replace(string(data))), 0o644); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".hcl") || strings.HasSuffix(name, ".hcl.json") {
			paths = append(paths, path)
		}
	}
	return paths
}

// directive is the rest of the comment line that begins with the name.
func directive(a *txtar.Archive, name string) string {
	m := regexp.MustCompile(`(?m)^` + name + `:(.*)$`).FindSubmatch(a.Comment)
	if m == nil {
		return ""
	}
	return strings.TrimSpace(string(m[1]))
}

// reporters are the functions that take a code, with the position of the code
// among their arguments.
var reporters = map[string]int{"Errorf": 1, "Warnf": 1, "add": 2, "report": 1, "checkMember": 1}

// codesInSource finds the codes in the source of every package that reports
// diagnostics.
func codesInSource(t *testing.T) []string {
	t.Helper()
	codes := uritmpl.Codes()
	for _, root := range []string{"../../decl", "../../sources", "../../engine"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			codes = append(codes, codesInFile(f)...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

var codePattern = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

func codesInFile(f *ast.File) []string {
	var codes []string
	take := func(e ast.Expr) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, _ := strconv.Unquote(lit.Value); codePattern.MatchString(s) {
				codes = append(codes, s)
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := ""
			switch fn := n.Fun.(type) {
			case *ast.SelectorExpr:
				name = fn.Sel.Name
			case *ast.Ident:
				name = fn.Name
			}
			if at, ok := reporters[name]; ok && at < len(n.Args) {
				take(n.Args[at])
			}
			if name == "fail" && len(n.Args) > 0 {
				take(n.Args[0])
			}
		case *ast.CompositeLit:
			if id, ok := n.Type.(*ast.Ident); ok && id.Name == "functionError" && len(n.Elts) > 0 {
				take(n.Elts[0])
			}
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok && id.Name == "Code" {
				take(n.Value)
			}
		case *ast.AssignStmt:
			if sel, ok := n.Lhs[0].(*ast.SelectorExpr); ok && sel.Sel.Name == "Code" && len(n.Rhs) == 1 {
				take(n.Rhs[0])
			}
		case *ast.FuncDecl:
			if n.Name.Name == "hclCode" {
				ast.Inspect(n, func(r ast.Node) bool {
					if ret, ok := r.(*ast.ReturnStmt); ok {
						take(ret.Results[0])
					}
					return true
				})
			}
		}
		return true
	})
	return codes
}

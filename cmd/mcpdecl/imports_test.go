package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/mcpdecl/mcpdecl/"

// allowedImports are the directions of imports of the design: what a package
// may import of this module. A package below a key follows the longest key.
var allowedImports = map[string][]string{
	"uritmpl":             {},
	"decl":                {"uritmpl"},
	"sources":             {"decl"},
	"sources/sql":         {"sources", "decl", "uritmpl", "sources/sql"},
	"sources/sql/sqltest": {},
	"sources/http":        {"sources", "decl", "uritmpl"},
	"sources/file":        {"sources", "decl", "uritmpl"},
	"engine":              {"sources", "decl", "uritmpl"},
	"engine/transport":    {"engine"},
	"cmd/mcpdecl":         {"engine", "engine/transport", "sources", "sources/sql", "sources/http", "sources/file", "decl", "uritmpl", "docs"},
	"docs":                {},
	"examples":            {},
}

// onlyIn says in which packages a library may appear.
var onlyIn = map[string][]string{
	"github.com/modelcontextprotocol/go-sdk": {"engine", "engine/transport", "cmd/mcpdecl"},
	"github.com/hashicorp/hcl/v2":            {"decl"},
	"github.com/spf13/cobra":                 {"cmd/mcpdecl"},
	"github.com/mattn/go-sqlite3":            {"sources/sql"},
	"github.com/jackc/pgx":                   {"sources/sql"},
	"github.com/go-sql-driver/mysql":         {"sources/sql"},
	// A file source opens files below its root: os.Root is the only safe way.
	"os": {"cmd/mcpdecl", "examples", "sources/sql/sqltest", "sources/file"},
}

func TestImportsPointOneWay(t *testing.T) {
	seen := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		seen++
		rel, _ := filepath.Rel("../..", filepath.Dir(path))
		for _, spec := range f.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			checkImport(t, path, filepath.ToSlash(rel), name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 20 {
		t.Fatalf("only %d files were looked at", seen)
	}
}

func checkImport(t *testing.T, file, pkg, name string) {
	t.Helper()
	if own, ok := strings.CutPrefix(name, module); ok {
		if !slices.Contains(allowedImports[home(pkg)], own) {
			t.Errorf("%s imports %s: %s may import %v", file, own, home(pkg), allowedImports[home(pkg)])
		}
		return
	}
	if pkg == "uritmpl" && strings.Contains(strings.SplitN(name, "/", 2)[0], ".") {
		t.Errorf("%s imports %s: uritmpl uses the standard library only", file, name)
	}
	for lib, homes := range onlyIn {
		if (name == lib || strings.HasPrefix(name, lib+"/")) && !slices.Contains(homes, home(pkg)) {
			t.Errorf("%s imports %s, which belongs in %v only", file, name, homes)
		}
	}
}

// home is the longest key of allowedImports that the package is in.
func home(pkg string) string {
	for p := pkg; p != "."; p = filepath.ToSlash(filepath.Dir(p)) {
		if _, ok := allowedImports[p]; ok {
			return p
		}
	}
	return pkg
}

func TestEveryPackageHasADoc(t *testing.T) {
	dirs := map[string]bool{}
	_ = filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			dirs[filepath.Dir(path)] = dirs[filepath.Dir(path)] || filepath.Base(path) == "doc.go"
		}
		return nil
	})
	for dir, has := range dirs {
		if !has {
			t.Errorf("%s has no doc.go", dir)
		}
	}
}

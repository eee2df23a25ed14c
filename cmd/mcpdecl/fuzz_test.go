package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/engine"
	"golang.org/x/tools/txtar"
)

// FuzzLoad loads any text as a configuration, prints what is wrong with it and
// formats it: none of that may panic, and places lie within the file.
func FuzzLoad(f *testing.F) {
	cases, _ := filepath.Glob(diagCases + "/*.txtar")
	for _, c := range cases {
		a, err := txtar.ParseFile(c)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			switch filepath.Ext(file.Name) {
			case ".hcl":
				f.Add(file.Data, false)
			case ".json":
				f.Add(file.Data, true)
			}
		}
	}
	examples, _ := filepath.Glob("../../examples/*.hcl")
	for _, e := range examples {
		src, err := os.ReadFile(e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src, false)
	}
	f.Fuzz(func(t *testing.T, src []byte, asJSON bool) {
		name := "main.hcl"
		if asJSON {
			name = "main.hcl.json"
		}
		loadAnything(t, name, src)
		if !asJSON {
			out, diags := decl.Format(name, src)
			if !diags.HasErrors() {
				again, _ := decl.Format(name, out)
				if !bytes.Equal(out, again) {
					t.Errorf("formatting twice differs:\n%q\n%q", out, again)
				}
			}
		}
	})
}

func loadAnything(t *testing.T, name string, src []byte) {
	t.Helper()
	c, diags := decl.Load([]string{name}, decl.Options{
		ReadFile: func(path string) ([]byte, error) {
			if path == name {
				return src, nil
			}
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		},
		Stat:      func(string) (fs.FileInfo, error) { return someFile{}, nil },
		ReadDir:   func(string) ([]fs.DirEntry, error) { return nil, nil },
		LookupEnv: func(string) (string, bool) { return "", false },
		Kinds:     declKinds(),
	})
	diags = append(diags, engine.Unavailable(c, kinds)...).Sort()
	for _, d := range diags {
		if d.Range.File == "" {
			continue
		}
		if d.Range.Start.Byte < 0 || d.Range.Start.Byte > d.Range.End.Byte || d.Range.End.Byte > len(src) || d.Range.Start.Line < 1 {
			t.Errorf("%s: %s: bytes %d to %d of %d", d.Code, d, d.Range.Start.Byte, d.Range.End.Byte, len(src))
		}
		if d.Code == "" || d.Summary == "" {
			t.Errorf("a diagnostic without a code or a summary: %+v", d)
		}
	}
	p := &decl.Printer{Files: c.Files, Secrets: c.Secrets}
	if err := p.Print(new(bytes.Buffer), diags); err != nil {
		t.Error(err)
	}
}

type someFile struct{ fs.FileInfo }

func (someFile) IsDir() bool { return false }

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/spf13/cobra"
)

func (p *program) fmtCommand() *cobra.Command {
	var check bool
	c := &cobra.Command{
		Use:   "fmt [PATH...]",
		Short: "Bring files into the canonical format",
		Long: "Bring the .hcl files of each PATH into the canonical format and name those that changed.\n" +
			"With - as PATH, standard input is formatted to standard output. JSON files are left alone.",
		Example: "  mcpdecl fmt examples\n  mcpdecl fmt --check .",
		RunE: func(_ *cobra.Command, paths []string) error {
			if len(paths) == 0 {
				paths = []string{"."}
			}
			if len(paths) == 1 && paths[0] == "-" {
				return p.formatStdin(check)
			}
			files, diags := decl.Files(paths, os.Stat, os.ReadDir)
			if diags.HasErrors() {
				_ = (&decl.Printer{Color: p.colorful(p.err)}).Print(p.err, diags)
				return exit(exitFailed)
			}
			return p.formatFiles(files, check)
		},
	}
	c.Flags().BoolVar(&check, "check", false, "change nothing; end with 1 when a file is not in the canonical format")
	return c
}

func (p *program) formatStdin(check bool) error {
	src, err := io.ReadAll(p.in)
	if err != nil {
		return err
	}
	out, err := p.format("<stdin>", src)
	if err != nil {
		return err
	}
	if check {
		if !bytes.Equal(src, out) {
			return exit(exitFailed)
		}
		return nil
	}
	_, err = p.out.Write(out)
	return err
}

// formatFiles goes on after a file that fails, so that one run shows all.
func (p *program) formatFiles(files []string, check bool) error {
	failed := false
	for _, name := range files {
		if strings.HasSuffix(name, ".json") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		out, err := p.format(name, src)
		if err != nil {
			failed = true
			continue
		}
		if bytes.Equal(src, out) {
			continue
		}
		fmt.Fprintln(p.out, name)
		if check {
			failed = true
			continue
		}
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(name, out, info.Mode().Perm()); err != nil {
			return err
		}
	}
	if failed {
		return exit(exitFailed)
	}
	return nil
}

func (p *program) format(name string, src []byte) ([]byte, error) {
	out, diags := decl.Format(name, src)
	if diags.HasErrors() {
		_ = (&decl.Printer{Files: map[string][]byte{name: src}, Color: p.colorful(p.err)}).Print(p.err, diags)
		return nil, exit(exitFailed)
	}
	return out, nil
}

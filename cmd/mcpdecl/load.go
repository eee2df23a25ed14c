package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/engine"
	"github.com/mcpdecl/mcpdecl/sources"
	"github.com/spf13/cobra"
)

// loadFlags are the flags of every command that loads a configuration.
type loadFlags struct {
	vars, varFiles []string
	env            string
}

func (f *loadFlags) add(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.vars, "var", nil, "value of a variable, as `name=value`; may be repeated")
	c.PreRunE = func(*cobra.Command, []string) error {
		for _, v := range f.vars {
			if name, _, ok := strings.Cut(v, "="); !ok || name == "" {
				return usageError{errors.New("--var needs name=value")} // not shown: it may be a secret
			}
		}
		return nil
	}
	c.Flags().StringArrayVar(&f.varFiles, "var-file", nil, "`file` with values of variables; may be repeated")
}

// load reads a configuration. Every command uses it, so that what validate
// says is what serve finds.
func (p *program) load(paths []string, f loadFlags) (*decl.Config, decl.Diagnostics) {
	return decl.Load(paths, decl.Options{
		ReadFile: p.readFile, ReadDir: os.ReadDir, Stat: os.Stat, LookupEnv: p.lookupEnv,
		IgnoreEnv: f.env == "ignore", Vars: f.vars, VarFiles: f.varFiles, Kinds: declKinds(),
		Name: defaultName(paths),
	})
}

// readFile reads a file, or as much of a pipe as there is until a signal comes.
func (p *program) readFile(name string) ([]byte, error) {
	type content struct {
		data []byte
		err  error
	}
	read := make(chan content, 1)
	go func() {
		data, err := os.ReadFile(name)
		read <- content{data, err}
	}()
	select {
	case c := <-read:
		return c.data, c.err
	case <-p.stopped:
		return nil, errors.New("stopped by a signal")
	}
}

// defaultName is the name of the first file or directory, without what says
// that it is a configuration.
func defaultName(paths []string) string {
	path := "."
	if len(paths) > 0 {
		path = paths[0]
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(abs), ".json"), ".hcl")
	return strings.Trim(name, string(filepath.Separator))
}

// open loads a configuration and makes an engine of it; mistakes are printed.
func (p *program) open(paths []string, f loadFlags, log *slog.Logger) (*engine.Engine, *decl.Config, error) {
	config, diags := p.load(paths, f)
	if !diags.HasErrors() {
		for _, d := range engine.Unavailable(config, kinds) {
			d.Severity = decl.Error
			diags = append(diags, d)
		}
		diags = diags.Sort()
	}
	if diags.HasErrors() {
		_ = p.printer(config).Print(p.err, diags)
		return nil, nil, exit(exitFailed)
	}
	e, err := engine.New(config, kinds, p.host(log, config))
	if err != nil {
		return nil, nil, fmt.Errorf("%s", config.Secrets.Hide(err.Error()))
	}
	return e, config, nil
}

// host is what sources may use of this process.
func (p *program) host(log *slog.Logger, c *decl.Config) sources.Host {
	return sources.Host{
		Log: hideSecrets(log, c.Secrets), Now: time.Now, TempDir: p.temp,
		ReadFile: p.readFile, Stat: os.Stat, SameFile: os.SameFile, LookupEnv: p.lookupEnv,
	}
}

// printer prints diagnostics on standard error or, for validate, on standard
// output: in colour where that is a terminal.
func (p *program) printer(c *decl.Config) *decl.Printer {
	return &decl.Printer{Files: c.Files, Unshown: c.Unshown, Secrets: c.Secrets, Color: p.colorful(p.err)}
}

// colorful reports whether a stream is a terminal that wants colour.
func (p *program) colorful(w any) bool {
	if _, set := p.lookupEnv("NO_COLOR"); set {
		return false
	}
	if term, _ := p.lookupEnv("TERM"); term == "dumb" {
		return false
	}
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

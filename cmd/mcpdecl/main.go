package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// The exit codes of every command; docs/cli.md states them.
const (
	exitDone     = 0
	exitFailed   = 1
	exitUsage    = 2
	exitNotFound = 3
)

func main() {
	// The standard library's own logger repeats what backends send, and nothing
	// hides secrets from it. We have a logger of our own.
	log.SetOutput(io.Discard)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	p := &program{in: os.Stdin, out: os.Stdout, err: os.Stderr, lookupEnv: os.LookupEnv}
	code := p.run(ctx, os.Args[1:])
	stop()
	p.cleanUp()
	os.Exit(code)
}

// program is one run of the command with the world it sees.
type program struct {
	in        io.Reader
	out, err  io.Writer
	lookupEnv func(string) (string, bool)

	tempDir string // made when a source first needs one
	// stopped is closed by a signal; nil never.
	stopped <-chan struct{}
}

// exit is an error that a command already reported; it carries the exit code.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// usageError marks what is wrong with the command line itself.
type usageError struct{ error }

// run executes one command line and returns its exit code.
func (p *program) run(ctx context.Context, args []string) int {
	p.stopped = ctx.Done()
	root := p.rootCommand()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var code exit
	var usage usageError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &usage):
		fmt.Fprintf(p.err, "mcpdecl: %v\n", usage.error)
		return exitUsage
	default:
		fmt.Fprintf(p.err, "mcpdecl: %v\n", err)
		return exitFailed
	}
}

func (p *program) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "mcpdecl",
		Short: "Serve databases, HTTP APIs and files over MCP from declarations",
		Long: "mcpdecl serves the resources that HCL files declare over the Model Context Protocol:\n" +
			"SQL queries with bound values, HTTP requests and files, without a line of code.",
		Example:       "  mcpdecl validate examples/shop.hcl\n  mcpdecl read examples/shop.hcl shop://customers/1\n  mcpdecl serve --http 127.0.0.1:8080 examples/shop.hcl",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_ = c.Help()
			return usageError{errors.New("a command is needed")}
		},
	}
	root.SetOut(p.out)
	root.SetErr(p.err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w\nSee \"%s --help\"", err, c.CommandPath())}
	})
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(&cobra.Command{Use: "help [COMMAND]", Short: "Show the help of a command", RunE: func(_ *cobra.Command, args []string) error {
		c, rest, err := root.Find(args)
		if err != nil || len(rest) > 0 {
			return usageError{fmt.Errorf("no command named %q; see \"mcpdecl --help\"", strings.Join(args, " "))}
		}
		return c.Help()
	}})
	for _, c := range []*cobra.Command{
		p.validateCommand(), p.serveCommand(), p.readCommand(), p.explainCommand(),
		p.fmtCommand(), p.schemaCommand(), p.versionCommand(), p.completionCommand(root),
	} {
		c.Args = asUsage(c.Args)
		root.AddCommand(c)
	}
	root.Args = asUsage(func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("no command named %q; see \"mcpdecl --help\"", args[0])
		}
		return nil
	})
	return root
}

// asUsage makes usage errors of what a check of the arguments says.
func asUsage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if check == nil {
			return nil
		}
		if err := check(c, args); err != nil {
			return usageError{err}
		}
		return nil
	}
}

// temp returns a private directory that cleanUp removes.
func (p *program) temp() (string, error) {
	if p.tempDir == "" {
		dir, err := os.MkdirTemp("", "mcpdecl-")
		if err != nil {
			return "", err
		}
		p.tempDir = dir
	}
	return p.tempDir, nil
}

func (p *program) cleanUp() {
	if p.tempDir != "" {
		_ = os.RemoveAll(p.tempDir)
	}
}

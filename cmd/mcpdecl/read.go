package main

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"

	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/mcpdecl/mcpdecl/engine"
	"github.com/spf13/cobra"
)

func (p *program) readCommand() *cobra.Command {
	var f loadFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   "read PATH URI",
		Short: "Read one resource without a client",
		Long: "Read one resource without a client and write its content to standard output, byte for byte.\n" +
			"Several contents follow each other. An unknown resource ends with exit code 3.",
		Example: "  mcpdecl read examples/shop.hcl shop://customers/1\n  mcpdecl read --json examples/shop.hcl shop://customers/1",
		Args:    pathAndURI,
		RunE: func(c *cobra.Command, args []string) error {
			e, config, err := p.open(args[:1], f, slog.New(slog.NewTextHandler(p.err, &slog.HandlerOptions{Level: slog.LevelWarn})))
			if err != nil {
				return err
			}
			defer e.Close()
			res, err := e.Read(c.Context(), args[1])
			if err != nil {
				return p.readFailed(err, config, asJSON)
			}
			if asJSON {
				wire, err := engine.WireResult(res, args[1])
				if err != nil {
					return err
				}
				return p.printJSON(wire)
			}
			for _, content := range res.Contents {
				if _, err := p.out.Write(content.Data); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f.add(c)
	c.Flags().BoolVar(&asJSON, "json", false, "write the result as a client would get it")
	return c
}

func pathAndURI(c *cobra.Command, args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("%s needs a PATH and a URI; see \"%s --help\"", c.Name(), c.CommandPath())
	}
	return nil
}

// readFailed reports a failed read: what a client would get, and here, where
// the operator stands, the cause as well.
func (p *program) readFailed(err error, config *decl.Config, asJSON bool) error {
	var e *engine.Error
	if !errors.As(err, &e) {
		return err
	}
	code := exit(exitFailed)
	if e.NotFound {
		code = exitNotFound
	}
	if e.Cause != nil {
		e.Ref = engine.NewReference()
		e.Data = maps.Clone(e.Data)
		e.Data["reference"] = e.Ref
	}
	if asJSON {
		body := map[string]any{"code": e.Code, "message": e.Message}
		if len(e.Data) > 0 {
			body["data"] = e.Data
		}
		if err := p.printJSON(map[string]any{"error": body}); err != nil {
			return err
		}
	}
	if !asJSON || e.Cause != nil {
		fmt.Fprintf(p.err, "mcpdecl: %s\n", config.Secrets.Hide(describeFailure(e)))
	}
	return code
}

func describeFailure(e *engine.Error) string {
	if e.Cause != nil {
		return fmt.Sprintf("%v (reference %s)", e.Cause, e.Ref)
	}
	return fmt.Sprintf("%s: %q", e.Message, e.Data["uri"])
}

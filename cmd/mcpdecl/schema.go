package main

import (
	"github.com/mcpdecl/mcpdecl/decl"
	"github.com/spf13/cobra"
)

func (p *program) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of the HCL JSON form",
		Long:    "Print the JSON Schema of the HCL JSON form (*.hcl.json), for editors and generators.",
		Example: "  mcpdecl schema > mcpdecl.schema.json", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return p.printJSON(decl.JSONSchema(declKinds()))
		},
	}
}

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

func (p *program) completionCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "completion SHELL", Short: "Print a completion script for bash, zsh, fish or powershell",
		Example: "  source <(mcpdecl completion bash)\n  mcpdecl completion fish > ~/.config/fish/completions/mcpdecl.fish",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("completion needs a shell: bash, zsh, fish or powershell")
			}
			return nil
		},
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(_ *cobra.Command, args []string) error {
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(p.out, true)
			case "zsh":
				return root.GenZshCompletion(p.out)
			case "fish":
				return root.GenFishCompletion(p.out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(p.out)
			}
			return usageError{fmt.Errorf("no completion for %q: the shells are bash, zsh, fish and powershell", args[0])}
		},
	}
}

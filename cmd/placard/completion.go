package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"placard/internal/problem"
)

var shells = []string{"bash", "zsh", "fish", "powershell"}

func newCompletion() *cobra.Command {
	plain := false
	hint := "Use " + problem.OneOf(shells) + "."
	cmd := &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a script for shell completion",
		Long: `Completion prints a script that completes the commands, flags and codes of
placard in a shell: bash, zsh, fish or powershell. In bash, it needs the package
bash-completion; in zsh, run "autoload -U compinit; compinit" first.`,
		Example: `  source <(placard completion bash)      # for this session; add it to ~/.bashrc for all
  source <(placard completion zsh)       # for this session; add it to ~/.zshrc for all
  placard completion fish > ~/.config/fish/completions/placard.fish
  placard completion powershell | Out-String | Invoke-Expression`,
		ValidArgs: shells,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{"The completion command needs the name of one shell.", hint}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			root, w := cmd.Root(), cmd.OutOrStdout()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(w, !plain)
			case "zsh":
				if plain {
					return root.GenZshCompletionNoDesc(w)
				}
				return root.GenZshCompletion(w)
			case "fish":
				return root.GenFishCompletion(w, !plain)
			case "powershell":
				if plain {
					return root.GenPowerShellCompletion(w)
				}
				return root.GenPowerShellCompletionWithDesc(w)
			}
			return usageError{fmt.Sprintf("There is no completion for the shell %q.", problem.Clip(args[0])), hint}
		},
	}
	cmd.Flags().BoolVar(&plain, "no-descriptions", false, "complete without descriptions")
	return cmd
}

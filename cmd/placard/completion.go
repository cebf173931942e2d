package main

import (
	"bytes"
	"strings"

	"github.com/spf13/cobra"

	"placard/internal/core/problem"
)

// bashVersions changes cobra's script for bash, which splits a version into three
// words if bash considers the @ a separator.
var bashVersions = strings.NewReplacer(
	"_init_completion -n =: ", "_init_completion -n =:@ ",
	`__placard_handle_special_char "$cur" :`, `__placard_handle_special_char "$cur" :
    # Bash replaces the word from the last @ on.
    if [[ "$cur" == *@* && "$COMP_WORDBREAKS" == *@* ]]; then
        COMPREPLY=("${COMPREPLY[@]#"${cur%@*}"}")
    fi`,
)

var shells = []string{"bash", "zsh", "fish", "powershell"}

func newCompletion() *cobra.Command {
	plain := false
	hint := "Use " + problem.OneOf(shells) + "."
	cmd := &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a script for shell completion",
		Long: `Completion prints a script that completes the commands and flags of placard in a
shell: bash, zsh, fish or powershell. It also completes codes, and the versions,
aliases and locales in the store or the authoring tree named on the command line
or in the environment. In bash, it needs the package bash-completion; in zsh, run
"autoload -U compinit; compinit" first.`,
		Example: `  source <(placard completion bash)      # for this session; add it to ~/.bashrc for all
  source <(placard completion zsh)       # for this session; add it to ~/.zshrc for all
  placard completion fish > ~/.config/fish/completions/placard.fish
  placard completion powershell | Out-String | Invoke-Expression`,
		ValidArgs: shells,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return problem.Failure("The completion command needs the name of one shell.").Hint("%s", hint)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			root, w := cmd.Root(), cmd.OutOrStdout()
			switch args[0] {
			case "bash":
				var script bytes.Buffer
				if err := root.GenBashCompletionV2(&script, !plain); err != nil {
					return err
				}
				_, err := bashVersions.WriteString(w, script.String())
				return err
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
			return problem.Failure("There is no completion for the shell %q.", problem.Clip(args[0])).Hint("%s", hint)
		},
	}
	cmd.Flags().BoolVar(&plain, "no-descriptions", false, "complete without descriptions")
	return cmd
}

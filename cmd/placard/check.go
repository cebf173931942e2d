package main

import (
	"github.com/spf13/cobra"

	"placard/internal/core/problem"
)

func newCheck() *cobra.Command {
	var format formatFlags
	var strict strictFlag
	var watch bool
	cmd := &cobra.Command{
		Use:   "check DIR",
		Short: "Check an authoring tree",
		Long: `Check reads the authoring tree in DIR, or a single release folder in it, and
prints every finding with its file, line and column, its code and a hint.
Examples that pin their release are validated, and problems in them are warnings.
Warnings do not fail the check, except with --strict.

With --watch, check prints the findings again after every change, until it is
interrupted; then its exit status is 0. Only releases that changed are read again.
On a terminal, the findings are updated in place. Otherwise, a line with the time
separates them, and with --json there is one object per line.`,
		Example: `  placard check taxonomy
  placard check taxonomy/place/2026-06-01-stable
  placard check taxonomy --strict
  placard check taxonomy --json
  placard check taxonomy --watch`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := openTree(args[0])
			if err != nil {
				return err
			}
			if watch {
				return watchTree(cmd, t, args[0], format.isJSON(), strict)
			}
			all, problems := t.check(progressFrom(cmd.Context()))
			if len(all) == 0 && len(problems) == 0 {
				return noRelease(args[0])
			}
			verdict := strict.verdict(problems)
			if format.isJSON() {
				if err := printFindingsJSON(cmd.OutOrStdout(), problems, verdict == nil); err != nil {
					return err
				}
			} else {
				printFindings(cmd.OutOrStdout(), problems)
				printSummary(cmd.OutOrStdout(), problem.Count(len(all), "release"), problems)
			}
			return verdict
		},
	}
	strict.add(cmd)
	cmd.Flags().BoolVar(&watch, "watch", false, "check again after every change")
	format.add(cmd, "output format of findings")
	return cmd
}

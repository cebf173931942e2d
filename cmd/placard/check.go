package main

import (
	"github.com/spf13/cobra"
)

func newCheck() *cobra.Command {
	format := formatText
	cmd := &cobra.Command{
		Use:   "check DIR",
		Short: "Check an authoring tree",
		Long: `Check reads the authoring tree in DIR, or a single release folder in it, and
prints every finding with its file, line and column, its code and a hint.
Warnings do not fail the check.`,
		Example: `  placard check taxonomy
  placard check taxonomy/place/2026-06-01-stable
  placard check taxonomy --format json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := openTree(args[0])
			if err != nil {
				return err
			}
			all, problems := t.check()
			if len(all) == 0 && len(problems) == 0 {
				return noRelease(args[0])
			}
			if format == formatJSON {
				if err := printFindingsJSON(cmd.OutOrStdout(), problems); err != nil {
					return failure{err}
				}
			} else {
				printFindings(cmd.OutOrStdout(), problems)
				printSummary(cmd.OutOrStdout(), plural(len(all), "release"), problems)
			}
			if problems.HasErrors() {
				return errFindings
			}
			return nil
		},
	}
	cmd.Flags().Var(&format, "format", "output format of findings")
	return cmd
}

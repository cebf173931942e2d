package main

import (
	"github.com/spf13/cobra"

	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/serve/query"
)

func newValidate() *cobra.Command {
	var flags releaseFlags
	var version string
	var format formatFlags
	cmd := &cobra.Command{
		Use:   "validate FILE...",
		Short: "Validate datachains",
		Long: `Validate checks thin or resolved datachains and prints every finding with its
position, its code and a hint. A thin document is checked against the release it
pins, or against the one named by --against. A resolved document is checked
against its own snapshot, and the snapshot against the release it pins.
Without --source or --store, the built-in releases are used.
Warnings do not fail the check. A document may be up to 16 MiB.`,
		Example: `  placard validate crossing.json
  placard validate --against place@latest --store /srv/placard *.json
  placard validate --json - < crossing.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			rs, err := flags.load(cmd, version)
			if err != nil {
				return err
			}
			var all, unreadable problem.List
			documents := 0
			for _, name := range args {
				doc, err := readDocument(cmd, name)
				if err != nil {
					printError(cmd.ErrOrStderr(), err)
					unreadable = append(unreadable, unreadableFile(name, err))
					continue
				}
				documents++
				found, err := doc.validate(rs)
				if err != nil {
					return failure{err}
				}
				all = append(all, found...)
			}
			switch {
			case format.isJSON():
				all = append(unreadable, all...)
				if err := printFindingsJSON(cmd.OutOrStdout(), all, !all.HasErrors()); err != nil {
					return failure{err}
				}
			case documents > 0:
				printFindings(cmd.OutOrStdout(), all)
				printSummary(cmd.OutOrStdout(), problem.Count(documents, "document"), all)
			}
			if len(unreadable) > 0 {
				return errUnreadable
			}
			if all.HasErrors() {
				return errFindings
			}
			return nil
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&version, "against", "", "release `VERSION` to check thin documents against (default the one they pin)")
	format.add(cmd, "output format of findings")
	return cmd
}

// validate returns the findings of a thin or resolved document. A thin document
// is checked against the requested release or, if there is none, the one it pins.
func (d document) validate(rs *releases) (problem.List, error) {
	if datachain.IsResolved(d.body) {
		verdict, err := query.ValidateResolved(rs.Snapshot, d.body, nil)
		return d.locate(rs, verdict.Report, err)
	}
	doc, r, found, err := d.parse(rs)
	if doc == nil {
		return found, err
	}
	report, err := datachain.Validate(doc, r.Schema(), nil)
	return d.locate(rs, report, err)
}

package main

import (
	"errors"

	"github.com/spf13/cobra"

	"placard/internal/catalog"
	"placard/internal/datachain"
	"placard/internal/problem"
	"placard/internal/query"
	"placard/internal/release"
)

func newValidate() *cobra.Command {
	var releases releaseFlags
	var version string
	form := formatText
	cmd := &cobra.Command{
		Use:   "validate FILE...",
		Short: "Check datachains",
		Long: `Validate checks datachains, thin or resolved, and prints every finding with its
place in the file, its code and what to do about it. A document is checked
against the release that it pins, or against the one that --against names; a
resolved one against its own snapshot, and that against the release it pins.
Without --source and --store the releases are the built-in ones.
Warnings alone do not fail the check.`,
		Example: `  placard validate crossing.json
  placard validate --against place@latest --store /srv/placard *.json
  placard validate --format json - < crossing.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			snapshot, err := releases.load(cmd.Context(), quietLog(cmd))
			if err != nil {
				return err
			}
			release, err := asked(snapshot, version)
			if err != nil {
				return err
			}
			var all problem.List
			var missing []error // files that cannot be read
			texts := make(map[string][]byte)
			for _, name := range args {
				doc, err := readDocument(cmd, name)
				if err != nil {
					missing = append(missing, unreadable(err))
					continue
				}
				texts[doc.name] = doc.body
				found, err := doc.validate(snapshot, release)
				if err != nil {
					return failure{err}
				}
				all = append(all, found...)
			}
			if form == formatJSON {
				if err := printFindingsJSON(cmd.OutOrStdout(), all); err != nil {
					return failure{err}
				}
			} else {
				printFindings(cmd.OutOrStdout(), all, texts)
				printCount(cmd.OutOrStdout(), count(len(texts), "document"), all)
			}
			if len(missing) > 0 {
				return errors.Join(missing...)
			}
			if all.HasErrors() {
				return errFindings
			}
			return nil
		},
	}
	releases.add(cmd)
	cmd.Flags().StringVar(&version, "against", "", "version to check thin documents against (default the one they pin)")
	cmd.Flags().Var(&form, "format", "how to print findings")
	return cmd
}

// validate returns what is wrong with a document of either form. A thin one is
// checked against asked, or against the release that it pins.
func (d document) validate(s *catalog.Snapshot, asked *release.Release) (problem.List, error) {
	if datachain.IsResolved(d.body) {
		verdict, err := query.ValidateResolved(s, d.body, nil)
		return d.located(verdict.Report, err)
	}
	doc, report, err := datachain.Parse(d.body, nil)
	if err != nil || !report.OK() {
		return d.located(report, err)
	}
	r, err := against(s, asked, doc.SchemaVersion)
	if err != nil {
		return d.located(datachain.Report{}, err)
	}
	return d.located(datachain.Validate(doc, r.Schema(), nil))
}

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"placard/internal/catalog"
	"placard/internal/datachain"
	"placard/internal/problem"
	"placard/internal/release"
)

func newResolve() *cobra.Command {
	var releases releaseFlags
	var version string
	form := formatText
	cmd := &cobra.Command{
		Use:   "resolve FILE",
		Short: "Make a datachain self-contained",
		Long: `Resolve checks a thin datachain and writes it, with the part of the schema that
it uses, to standard output: in canonical form, members sorted, without white
space. What is wrong with it goes to the error stream, and then nothing is
written. The document is resolved with the release that it pins, which must be
the one that --against names, if it does.`,
		Example: `  placard resolve crossing.json > crossing.resolved.json
  placard resolve --store /srv/placard - < crossing.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			snapshot, err := releases.load(cmd.Context(), quietLog(cmd))
			if err != nil {
				return err
			}
			release, err := asked(snapshot, version)
			if err != nil {
				return err
			}
			d, err := readDocument(cmd, args[0])
			if err != nil {
				return unreadable(err)
			}
			resolution, found, err := d.resolve(snapshot, release)
			if err != nil {
				return failure{err}
			}
			if form == formatJSON {
				err = printFindingsJSON(cmd.ErrOrStderr(), found)
			} else {
				printFindings(cmd.ErrOrStderr(), found, map[string][]byte{d.name: d.body})
			}
			if err != nil {
				return failure{err}
			}
			if found.HasErrors() {
				return errFindings
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", resolution.Document())
			if err != nil {
				return failure{err}
			}
			return nil
		},
	}
	releases.add(cmd)
	cmd.Flags().StringVar(&version, "against", "", "version to resolve with (default the one the document pins)")
	cmd.Flags().Var(&form, "format", "how to print findings")
	return cmd
}

// resolve makes a document self-contained, or finds what is wrong with it.
func (d document) resolve(s *catalog.Snapshot, asked *release.Release) (datachain.Resolution, problem.List, error) {
	doc, report, err := datachain.Parse(d.body, nil)
	if err != nil || !report.OK() {
		found, err := d.located(report, err)
		return datachain.Resolution{}, found, err
	}
	r, err := against(s, asked, doc.SchemaVersion)
	if err != nil {
		found, err := d.located(datachain.Report{}, err)
		return datachain.Resolution{}, found, err
	}
	resolution, err := datachain.Resolve(doc, r.Schema(), nil)
	found, err := d.located(resolution.Report, err)
	return resolution, found, err
}

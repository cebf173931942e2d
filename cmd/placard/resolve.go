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
	format := formatText
	cmd := &cobra.Command{
		Use:   "resolve FILE",
		Short: "Make a datachain self-contained",
		Long: `Resolve validates a thin datachain and writes it to standard output together
with the part of the schema it uses, as canonical JSON (sorted members, no white
space). Findings go to standard error; if there are errors, nothing is written.
The document is resolved with the release it pins. If --against names another
release, that is an error.`,
		Example: `  placard resolve crossing.json > crossing.resolved.json
  placard resolve --store /srv/placard - < crossing.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			snapshot, err := releases.load(cmd.Context(), errorLogger(cmd))
			if err != nil {
				return err
			}
			requested, err := requestedRelease(snapshot, version)
			if err != nil {
				return err
			}
			d, err := readDocument(cmd, args[0])
			if err != nil {
				return readError(err)
			}
			resolution, found, err := d.resolve(snapshot, requested)
			if err != nil {
				return failure{err}
			}
			if format == formatJSON {
				err = printFindingsJSON(cmd.ErrOrStderr(), found, !found.HasErrors())
			} else {
				printFindings(cmd.ErrOrStderr(), found)
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
	cmd.Flags().StringVar(&version, "against", "", "release to resolve with (default the one the document pins)")
	cmd.Flags().Var(&format, "format", "output format of findings")
	return cmd
}

// resolve resolves a thin document, or returns its findings.
func (d document) resolve(s *catalog.Snapshot, requested *release.Release) (datachain.Resolution, problem.List, error) {
	doc, report, err := datachain.Parse(d.body, nil)
	if err != nil || !report.OK() {
		found, err := d.locate(report, err)
		return datachain.Resolution{}, found, err
	}
	r, err := releaseFor(s, requested, doc.SchemaVersion)
	if err != nil {
		found, err := d.locate(datachain.Report{}, err)
		return datachain.Resolution{}, found, err
	}
	resolution, err := datachain.Resolve(doc, r.Schema(), nil)
	found, err := d.locate(resolution.Report, err)
	return resolution, found, err
}

package main

import (
	"github.com/spf13/cobra"

	"placard/internal/core/datachain"
	"placard/internal/core/problem"
)

func newResolve() *cobra.Command {
	var flags releaseFlags
	var version, out string
	var format formatFlags
	cmd := &cobra.Command{
		Use:   "resolve FILE",
		Short: "Make a datachain self-contained",
		Long: `Resolve validates a thin datachain and writes it together with the part of the
schema it uses, as canonical JSON (sorted members, no white space). Findings go to standard error; if there are errors, nothing is written.
The document is resolved with the release it pins. If --against names another
release, that is an error.`,
		Example: `  placard resolve crossing.json -o crossing.resolved.json
  placard resolve --store /srv/placard - < crossing.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			rs, err := flags.load(cmd, version)
			if err != nil {
				return err
			}
			d, err := readDocument(cmd, args[0])
			if err != nil {
				return err
			}
			resolution, found, err := d.resolve(rs)
			if err != nil {
				return failure{err}
			}
			if format.isJSON() {
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
			return writeOutput(cmd, out, append(resolution.Document(), '\n'))
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&version, "against", "", "release `VERSION` to resolve with (default the one the document pins)")
	cmd.Flags().StringVarP(&out, "out", "o", "", "write the document to `FILE` (default standard output)")
	format.add(cmd, "output format of findings")
	return cmd
}

// resolve resolves a thin document, or returns its findings.
func (d document) resolve(rs *releases) (datachain.Resolution, problem.List, error) {
	doc, r, found, err := d.parse(rs)
	if doc == nil {
		return datachain.Resolution{}, found, err
	}
	resolution, err := datachain.Resolve(doc, r.Schema(), nil)
	found, err = d.locate(rs, resolution.Report, err)
	return resolution, found, err
}

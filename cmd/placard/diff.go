package main

import (
	"bytes"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"placard/internal/core/compat"
	"placard/internal/show/diffview"
)

// Formats of differences, besides text and JSON.
const (
	diffMarkdown = "markdown"
	diffHTML     = "html"
)

// Values of --fail-on.
const (
	failNever    = "never"
	failBreaking = "breaking"
)

func newDiff() *cobra.Command {
	var flags releaseFlags
	var format formatFlags
	var failOn, file string
	cmd := &cobra.Command{
		Use:   "diff [OLD] NEW",
		Short: "Compare two versions of a taxonomy",
		Long: `Diff prints what changed between two versions of a taxonomy. The changes that
break documents come first: documents that are valid against OLD can be invalid
against NEW. What was renamed with "replaces" is compared with what it replaces.

OLD and NEW are ids or aliases of releases, release folders, or authoring trees,
which stand for their newest release. Without --source or --store, ids and aliases
refer to the built-in releases. Without OLD, NEW is compared with the newest
stable release of its type before it or, if there is none, with the newest beta.

In text, [-words-] were removed and {+words+} were added. The HTML page needs no
network and can be printed. If a tree has errors, they are printed instead, and the
exit status is 1.`,
		Example: `  placard diff place@stable place@beta
  placard diff taxonomy/place/2026-10-19-beta --store /srv/placard
  placard diff place@latest taxonomy --store /srv/placard --fail-on breaking
  placard diff place@stable place@beta --format html -o changes.html`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			c := comparison{cmd: cmd, flags: flags, asJSON: format.isJSON(), failOnBreaking: failOn == failBreaking}
			if err := c.load(args); err != nil {
				return err
			}
			c.remarkOrder()
			progressFrom(cmd.Context()).show("Comparing %s with %s", c.old.taxonomy.ID, c.new.taxonomy.ID)
			changes, err := compat.Compare(c.old.taxonomy, c.new.taxonomy, c.between()...)
			if err != nil {
				return failure{err}
			}
			for i := range changes.Changes {
				changes.Changes[i].Breaks.Render(sentence)
			}
			var b bytes.Buffer
			if err := c.print(&b, changes, format.format, c.columns(file)); err != nil {
				return failure{err}
			}
			if err := writeOutput(cmd, file, b.Bytes()); err != nil {
				return err
			}
			if c.failOnBreaking && len(changes.Breaks()) > 0 {
				return breaking(changes, file)
			}
			return nil
		},
	}
	flags.add(cmd)
	format.add(cmd, "output format", diffMarkdown, diffHTML)
	cmd.Flags().Var(newChoice(&failOn, failNever, failBreaking), "fail-on", "exit with status 1 if there are such changes")
	cmd.Flags().StringVarP(&file, "out", "o", "", "write to `FILE` (default standard output)")
	return cmd
}

// diffReport is the output of diff as JSON.
type diffReport struct {
	OK bool `json:"ok"`
	*compat.Comparison
}

// print writes the changes in the given format.
func (c *comparison) print(w io.Writer, changes *compat.Comparison, format string, columns int) error {
	if c.asJSON {
		return printJSON(w, diffReport{!(c.failOnBreaking && len(changes.Breaks()) > 0), changes})
	}
	report := diffview.New(changes, diffview.Options{})
	report.Old.Origin, report.New.Origin = c.old.origin, c.new.origin
	switch format {
	case diffMarkdown:
		return report.Markdown(w)
	case diffHTML:
		return report.HTML(w)
	}
	return report.Text(w, columns)
}

// breaking returns the error for breaking changes. If they were written to a file,
// the command prints them on standard error too.
func breaking(changes *compat.Comparison, file string) error {
	if file == "" {
		return errFindings
	}
	var all []error
	for _, p := range changes.Breaks() {
		all = append(all, p)
	}
	return failure{errors.Join(all...)}
}

// fileColumns is the width of text that is not written to a terminal.
const fileColumns = 100

// columns returns the width of the text that the command writes to a file, or to its
// standard output if file is empty.
func (c *comparison) columns(file string) int {
	if file == "" {
		if terminal := terminalOf(c.cmd.OutOrStdout()); terminal != nil {
			columns, _ := terminalSize(terminal)
			return columns
		}
	}
	return fileColumns
}

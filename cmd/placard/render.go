package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"placard/internal/catalog"
	"placard/internal/datachain"
	"placard/internal/problem"
	"placard/internal/query"
	"placard/internal/release"
	"placard/internal/taxonomy"
	"placard/internal/view"
)

func newRender() *cobra.Command {
	var releases releaseFlags
	var version, locale, out string
	cmd := &cobra.Command{
		Use:   "render FILE",
		Short: "Draw a datachain as an HTML page",
		Long: `Render checks a datachain, thin or resolved, and writes it as one self-contained
HTML page, which needs no network and prints on paper. What is wrong with it
goes to the error stream, and with errors nothing is written. A thin document is
drawn with the release that it pins, or with the one that --against names; a
resolved one with its own snapshot, and the symbols of the release it pins.`,
		Example: `  placard render crossing.json -o crossing.html
  placard render --locale fr --store /srv/placard - < crossing.json > crossing.fr.html`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if locale != "" && !taxonomy.IsLocale(locale) {
				return fmt.Errorf("--locale %q is not a locale, such as en or pt-BR", locale)
			}
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
			model, found, err := d.draw(snapshot, release, locale)
			if err != nil {
				return failure{err}
			}
			printFindings(cmd.ErrOrStderr(), found, map[string][]byte{d.name: d.body})
			if found.HasErrors() {
				return errFindings
			}
			page, err := model.HTML()
			if err != nil {
				return failure{err}
			}
			if out == "" {
				_, err = cmd.OutOrStdout().Write(page)
			} else {
				err = os.WriteFile(out, page, 0o644)
			}
			if err != nil {
				return failure{err}
			}
			return nil
		},
	}
	releases.add(cmd)
	cmd.Flags().StringVar(&version, "against", "", "version to draw a thin document with (default the one it pins)")
	cmd.Flags().StringVar(&locale, "locale", "", "locale to draw it in, where there are texts in it (default the document's first)")
	cmd.Flags().StringVarP(&out, "out", "o", "", "file to write to (default standard output)")
	return cmd
}

// draw returns what a view of a document of either form shows, where nothing is
// wrong with it.
func (d document) draw(s *catalog.Snapshot, asked *release.Release, locale string) (*view.Model, problem.List, error) {
	if datachain.IsResolved(d.body) {
		verdict, model, err := query.Draw(s, nil, d.body, locale, nil)
		found, err := d.located(verdict.Report, err)
		return model, found, err
	}
	doc, report, err := datachain.Parse(d.body, nil)
	if err != nil || !report.OK() {
		found, err := d.located(report, err)
		return nil, found, err
	}
	r, err := against(s, asked, doc.SchemaVersion)
	if err != nil {
		found, err := d.located(datachain.Report{}, err)
		return nil, found, err
	}
	verdict, model, err := query.Draw(s, r, d.body, locale, nil)
	found, err := d.located(verdict.Report, err)
	return model, found, err
}

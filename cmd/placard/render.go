package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"placard/internal/datachain"
	"placard/internal/problem"
	"placard/internal/query"
	"placard/internal/taxonomy"
	"placard/internal/view"
)

func newRender() *cobra.Command {
	var flags releaseFlags
	var version, locale, out string
	cmd := &cobra.Command{
		Use:   "render FILE",
		Short: "Draw a datachain as an HTML page",
		Long: `Render validates a thin or resolved datachain and writes a self-contained HTML
page that needs no network and can be printed. Findings go to standard error; if
there are errors, no page is written. A thin document is drawn with the release
it pins, or with the one named by --against; a resolved document is drawn with
its own snapshot and the symbols of the release it pins.`,
		Example: `  placard render crossing.json -o crossing.html
  placard render --locale fr --store /srv/placard - < crossing.json > crossing.fr.html`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if locale != "" && !taxonomy.IsLocale(locale) {
				return hinted("Use the form en or pt-BR.", "--locale: %q is not a locale.", locale)
			}
			rs, err := flags.load(cmd.Context(), errorLogger(cmd), version)
			if err != nil {
				return err
			}
			d, err := readDocument(cmd, args[0])
			if err != nil {
				return err
			}
			model, found, err := d.draw(rs, locale)
			if err != nil {
				return failure{err}
			}
			printFindings(cmd.ErrOrStderr(), found)
			if found.HasErrors() {
				return errFindings
			}
			if !sameLanguage(locale, model.Locale) {
				printMessage(cmd.ErrOrStderr(), fmt.Sprintf("warning: The page is in %q, because there are no texts in %q.", model.Locale, locale), "")
			}
			page, err := model.HTML(nil)
			if err != nil {
				return failure{err}
			}
			if err := writeOutput(cmd, out, page); err != nil {
				return failure{err}
			}
			return nil
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&version, "against", "", "release `VERSION` to draw a thin document with (default the one it pins)")
	cmd.Flags().StringVar(&locale, "locale", "", "preferred `LOCALE` of the page (default the first one of the document)")
	cmd.Flags().StringVarP(&out, "out", "o", "", "write the page to `FILE` (default standard output)")
	return cmd
}

// sameLanguage reports whether the page of a requested locale, which may be empty, is in
// its language.
func sameLanguage(requested, locale string) bool {
	language, _, _ := strings.Cut(requested, "-")
	got, _, _ := strings.Cut(locale, "-")
	return requested == "" || strings.EqualFold(language, got)
}

// draw returns the view of a thin or resolved document, or its findings.
func (d document) draw(rs *releases, locale string) (*view.Model, problem.List, error) {
	if datachain.IsResolved(d.body) {
		verdict, model, err := query.Draw(rs.Snapshot, nil, d.body, locale, nil)
		found, err := d.locate(rs, verdict.Report, err)
		return model, found, err
	}
	doc, report, err := datachain.ParseFor(d.body, rs, nil)
	if err != nil || !report.OK() {
		found, err := d.locate(rs, report, err)
		return nil, found, err
	}
	r, err := rs.forDocument(doc.SchemaVersion)
	if err != nil {
		found, err := d.locate(rs, datachain.Report{}, err)
		return nil, found, err
	}
	verdict, model, err := query.Draw(rs.Snapshot, r, d.body, locale, nil)
	found, err := d.locate(rs, verdict.Report, err)
	return model, found, err
}

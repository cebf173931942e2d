package main

import (
	"github.com/spf13/cobra"

	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/query"
	"placard/internal/show/qr"
	"placard/internal/show/view"
)

func newRender() *cobra.Command {
	var flags releaseFlags
	var version, locale, address, out string
	cmd := &cobra.Command{
		Use:   "render FILE",
		Short: "Render a datachain as an HTML page",
		Long: `Render validates a thin or resolved datachain and writes a self-contained HTML
page that needs no network and can be printed. Findings go to standard error; if
there are errors, no page is written. A thin document is rendered with the release
it pins, or with the one named by --against; a resolved document is rendered with
its own snapshot and the symbols of the release it pins.

The page has all languages of the document's title, and shows the one that the
reader's browser prefers. With --locale, it shows that language first. With
--url, the printed page has the address and a QR code that leads to it.`,
		Example: `  placard render crossing.json --url https://example.org/crossing -o crossing.html
  placard render --locale fr --store /srv/placard - < crossing.json > crossing.fr.html`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if locale != "" && !taxonomy.IsLocale(locale) {
				return problem.Failure("--locale: %q is not a locale.", locale).Hint("Use the form en or pt-BR.")
			}
			var code qr.Code
			if address != "" {
				var err error
				if code, err = qr.Encode(address); err != nil {
					return flagError("url", err)
				}
			}
			models, err := flags.render(cmd, args[0], version, func(rs *releases, r *release.Release, body []byte) (query.Verdict, []*view.Model, error) {
				return query.RenderAll(rs.Snapshot, r, body, locale, nil)
			})
			if err != nil {
				return err
			}
			page := view.NewPage(models, locale)
			page.Code = code
			printLocaleNotice(cmd, models[0], locale)
			html, err := page.HTML(nil)
			if err != nil {
				return failure{err}
			}
			return writeOutput(cmd, out, html)
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&version, "against", "", "release `VERSION` to render a thin document with (default the one it pins)")
	cmd.Flags().StringVar(&locale, "locale", "", "preferred `LOCALE` of the page (default the first one of the document)")
	cmd.Flags().StringVar(&address, "url", "", "`ADDRESS` of the page, for its print")
	cmd.Flags().StringVarP(&out, "out", "o", "", "write the page to `FILE` (default standard output)")
	return cmd
}

// printLocaleNotice prints a warning if texts of m are not in the requested locale.
func printLocaleNotice(cmd *cobra.Command, m *view.Model, requested string) {
	if notice := m.LocaleNotice(requested); notice != "" {
		printMessage(cmd.ErrOrStderr(), "warning: "+notice, "")
	}
}

// render reads a document and returns its models, which build makes from its body and
// the release of a thin document. It prints the findings, and returns an error if there
// are errors among them.
func (f releaseFlags) render(cmd *cobra.Command, file, against string, build func(*releases, *release.Release, []byte) (query.Verdict, []*view.Model, error)) ([]*view.Model, error) {
	rs, err := f.load(cmd, against)
	if err != nil {
		return nil, err
	}
	d, err := readDocument(cmd, file)
	if err != nil {
		return nil, err
	}
	models, found, err := d.render(rs, func(r *release.Release) (query.Verdict, []*view.Model, error) { return build(rs, r, d.body) })
	if err != nil {
		return nil, failure{err}
	}
	printFindings(cmd.ErrOrStderr(), found)
	if found.HasErrors() {
		return nil, errFindings
	}
	return models, nil
}

// render returns the models of a thin or resolved document, or its findings. build is
// given the release of a thin document.
func (d document) render(rs *releases, build func(*release.Release) (query.Verdict, []*view.Model, error)) ([]*view.Model, problem.List, error) {
	var r *release.Release
	if !datachain.IsResolved(d.body) {
		var found problem.List
		var err error
		if _, r, found, err = d.parse(rs); r == nil {
			return nil, found, err
		}
	}
	verdict, models, err := build(r)
	found, err := d.locate(rs, verdict.Report, err)
	return models, found, err
}

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/serve/query"
	"placard/internal/show/qr"
	"placard/internal/show/sign"
	"placard/internal/show/view"
)

func newSign() *cobra.Command {
	var flags releaseFlags
	var version, locales, out, paper, elements, browser, address string
	var opts sign.Options
	cmd := &cobra.Command{
		Use:   "sign FILE --url ADDRESS",
		Short: "Render a datachain as a sign to print",
		Long: `Sign validates a thin or resolved datachain and renders it as a sign to hang beside
the device: its title, the four to six most important placements as icons with a
few words, the responsible organisation, and a QR code with the address of the
page, which is the one that "placard render" writes. Signs can be printed in black
and white.

The taxonomy ranks the categories that a sign shows; --elements chooses and orders
the placements instead. Words such as "and 1 more" count the answers of a category
that are not shown. A sign is in one or two languages.

The name of the output file selects the format: .svg, .html or .pdf. Only PDF needs
another program, Chromium or Chrome, which is looked up in PATH unless --chromium or
CHROME_PATH names it. Findings, and texts that had to be shortened, go to standard
error; if there are errors, no sign is written.`,
		Example: `  placard sign crossing.json --url https://example.org/crossing -o crossing.svg
  placard sign crossing.json --url https://example.org/crossing --size A3 --locale en,fr -o crossing.html`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			format, err := signFormat(out)
			if err != nil {
				return err
			}
			languages, err := sign.ParseLocales(locales)
			if err != nil {
				return flagError("locale", err)
			}
			if opts.Code, err = qr.Encode(address); err != nil {
				return flagError("url", err)
			}
			if opts.Size, err = sign.ParseSize(paper); err != nil {
				return flagError("size", err)
			}
			opts.Elements = sign.ParseElements(elements)
			models, err := flags.render(cmd, args[0], version, func(rs *releases, r *release.Release, body []byte) (query.Verdict, []*view.Model, error) {
				return query.Render(rs.Snapshot, r, body, languages, nil)
			})
			if err != nil {
				return err
			}
			for i, locale := range languages {
				printLocaleNotice(cmd, models[i], locale)
			}
			s, err := sign.Render(models, opts)
			if p, ok := errors.AsType[problem.Problem](err); ok && !p.Path.IsZero() {
				return flagError("elements", err)
			}
			if err != nil {
				return failure{err}
			}
			for _, text := range s.Shortened {
				printMessage(cmd.ErrOrStderr(), fmt.Sprintf("warning: There is not enough room for all of the text %q.", problem.Clip(text)),
					"Use a shorter text, fewer languages, or --elements to show fewer placements.")
			}
			output, err := formatSign(cmd.Context(), s, format, browser)
			if err != nil {
				return failure{err}
			}
			return writeOutput(cmd, out, output)
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&address, "url", "", "`ADDRESS` of the page, for the QR code (required)")
	mustMarkRequired(cmd, "url")
	cmd.Flags().Var(newChoice(&paper, sign.SizeNames()...), "size", "size of the sign")
	cmd.Flags().StringVar(&version, "against", "", "release `VERSION` to render a thin document with (default the one it pins)")
	cmd.Flags().StringVar(&locales, "locale", "", "`LOCALE` of the sign, or two, separated by a comma (default the first one of the document)")
	cmd.Flags().StringVar(&elements, "elements", "", "show these placements in this order: `IDS` of elements or placements, separated by commas")
	cmd.Flags().StringVar(&browser, "chromium", "", "`PROGRAM` that prints PDF (default Chromium or Chrome)")
	cmd.Flags().StringVarP(&out, "out", "o", "", "write the sign to `FILE`, as SVG, HTML or PDF (default SVG to standard output)")
	return cmd
}

// Formats of signs, by the extension of the output file.
const (
	formatSVG  = ".svg"
	formatHTML = ".html"
	formatPDF  = ".pdf"
)

// signFormat returns the format of a sign with the given file name, which may be
// empty.
func signFormat(name string) (string, error) {
	switch extension := strings.ToLower(filepath.Ext(name)); {
	case name == "":
		return formatSVG, nil
	case extension == ".htm":
		return formatHTML, nil
	case extension == formatSVG || extension == formatHTML || extension == formatPDF:
		return extension, nil
	}
	return "", problem.Failure("--out: The format of %q is unknown.", name).Hint("Use a name that ends in .svg, .html or .pdf.")
}

// formatSign returns a sign as a file.
func formatSign(ctx context.Context, s *sign.Sign, format, browser string) ([]byte, error) {
	switch format {
	case formatHTML:
		return s.HTML(), nil
	case formatPDF:
		return printPDF(ctx, browser, s.HTML())
	}
	return s.SVG, nil
}

// flagError returns a problem with the value of a flag as an error in the command
// line.
func flagError(flag string, err error) error {
	if p, ok := errors.AsType[problem.Problem](err); ok {
		return problem.Failure("--%s: %s", flag, p.Message).Hint("%s", p.FixHint)
	}
	return failure{err}
}

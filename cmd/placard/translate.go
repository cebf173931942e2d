package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"placard/internal/core/problem"
	"placard/internal/core/source"
	"placard/internal/core/taxonomy"
	"placard/internal/core/translation"
)

func newTranslate() *cobra.Command {
	return withCommands(&cobra.Command{
		Use:   "translate COMMAND",
		Short: "Export texts for translators, and import their translations",
		Long: `Translate writes the texts of a release in an authoring tree into a file for
translators, and writes their translations into the tree.`,
		Example: `  placard translate export taxonomy --to de -o texts.xlf
  placard translate import taxonomy texts.xlf`,
	}, interruptible(newTranslateExport()), interruptible(newTranslateImport()))
}

func newTranslateExport() *cobra.Command {
	var flags releaseFlags
	var from, to, since, file string
	cmd := &cobra.Command{
		Use:   "export DIR --to LOCALE",
		Short: "Write the texts of a release into a file for translators",
		Long: `Export writes every text of the release in DIR, or of the newest release in the
tree DIR, with its translation into a language, which may be a new one. The file is
XLIFF 2.0 or, if its name ends in .csv, a table for a spreadsheet program.

A translation is marked as outdated if the text changed since an earlier release and
the translation did not: since the one that --since names or, with --store or
--source, the release before it there. Keywords are not exported: a search in another
language needs other words.`,
		Example: `  placard translate export taxonomy --to de -o texts.xlf
  placard translate export taxonomy --from en --to fr -o texts.csv
  placard translate export taxonomy --to fr --store /srv/placard -o texts.xlf
  placard translate export taxonomy --to fr --since place@2026-06-01-stable -o texts.xlf`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, texts, locales, err := readTexts(cmd, args[0])
			if err != nil {
				return err
			}
			if from == "" {
				from = locales[0]
			}
			f := translation.File{Original: t.only.String(), From: from, To: to}
			if err := checkLanguages(f, locales); err != nil {
				return err
			}
			old, err := textsBefore(cmd, flags, t, since)
			if err != nil {
				return err
			}
			count := map[translation.State]int{}
			for _, text := range texts {
				u := translation.Unit{ID: text.ID, What: text.What, State: translation.Translated}
				u.Source, _ = text.Values.Get(from)
				u.Target, _ = text.Values.Get(to)
				before, _ := old[text.ID].Get(from)
				target, _ := old[text.ID].Get(to)
				switch {
				case u.Source == "":
					continue // There is nothing to translate.
				case u.Target == "":
					u.State = translation.Initial
				case before != "" && before != u.Source && target == u.Target:
					u.State = translation.Outdated
				}
				count[u.State]++
				f.Units = append(f.Units, u)
			}
			encode := f.XLIFF
			if isCSV(file) {
				encode = f.CSV
			}
			data, err := encode()
			if err == nil {
				err = writeOutput(cmd, file, data)
			}
			if err == nil && file != "" {
				outdated := "not compared with an earlier release"
				if len(old) > 0 {
					outdated = fmt.Sprintf("%d outdated", count[translation.Outdated])
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s of %s: %d without a translation into %s, %s.\n",
					problem.Count(len(f.Units), "text"), t.only, count[translation.Initial], to, outdated)
			}
			return err
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&to, "to", "", "translate into `LOCALE` (required)")
	mustMarkRequired(cmd, "to")
	cmd.Flags().StringVar(&from, "from", "", "translate from `LOCALE` (default the first one of the release)")
	cmd.Flags().StringVar(&since, "since", "", "mark translations that are outdated since `VERSION|DIR`")
	cmd.Flags().StringVarP(&file, "out", "o", "", "write to `FILE` (default standard output)")
	return cmd
}

func isCSV(file string) bool { return strings.EqualFold(filepath.Ext(file), ".csv") }

// readTexts reads the texts and locales of the release in dir. It may lack translations.
func readTexts(cmd *cobra.Command, dir string) (t tree, texts []source.Text, locales []string, err error) {
	if t, err = openTree(dir); err == nil {
		t.only, err = t.single(dir, "")
	}
	if err != nil {
		return t, nil, nil, err
	}
	_, found := t.check(progressFrom(cmd.Context()))
	found = slices.DeleteFunc(found, func(p problem.Problem) bool {
		return p.Severity != problem.Error || p.Code == source.CodeTranslationMissing
	})
	if len(found) > 0 {
		printFindings(cmd.ErrOrStderr(), found)
		return t, nil, nil, errFindings
	}
	texts, err = source.Texts(t.fsys, t.only)
	return t, texts, source.Outline(t.fsys, t.only).Locales, failureOf(err)
}

// checkLanguages returns an error if texts in the given locales cannot be translated as
// in f.
func checkLanguages(f translation.File, locales []string) error {
	switch {
	case !slices.ContainsFunc(locales, func(l string) bool { return strings.EqualFold(l, f.From) }):
		return problem.Failure("The release has no texts in %q.", problem.Clip(f.From)).Hint("Translate from one of its locales: %s.", problem.And(locales))
	case !taxonomy.IsLocale(f.To) || strings.EqualFold(f.From, f.To):
		return problem.Failure("Texts in %q cannot be translated into %q.", f.From, problem.Clip(f.To)).Hint("Translate into another language, with a tag such as de or pt-BR.")
	}
	return nil
}

// textsBefore returns the texts, by id, of the release that --since names or that was
// published before the one in t. There are none without such a release.
func textsBefore(cmd *cobra.Command, flags releaseFlags, t tree, since string) (map[string]taxonomy.Localized, error) {
	c := comparison{cmd: cmd, flags: flags, old: operand{arg: since}, new: operand{tree: t, taxonomy: &taxonomy.Taxonomy{ID: t.only}}}
	err := error(nil)
	switch {
	case since != "":
		err = c.open(&c.old)
	case !flags.isBuiltin():
		if err = c.loadReleases(); err == nil {
			c.old.taxonomy = c.releaseBefore()
		}
	}
	var texts []source.Text
	switch old := &c.old; {
	case err != nil:
		return nil, err
	case old.taxonomy != nil:
		texts, err = source.TextsOf(old.taxonomy)
	case old.tree.fsys != nil:
		if old.tree.only, err = old.tree.single(since, t.only.Type); err == nil {
			texts, err = source.Texts(old.tree.fsys, old.tree.only)
		}
	}
	byID := map[string]taxonomy.Localized{}
	for _, text := range texts {
		byID[text.ID] = text.Values
	}
	return byID, err
}

func newTranslateImport() *cobra.Command {
	var dryRun, withOutdated bool
	cmd := &cobra.Command{
		Use:   "import DIR FILE",
		Short: "Write translations into an authoring tree",
		Long: `Import writes the translations in FILE, which "placard translate export" has
written, into the release in DIR, or into the newest release in the tree DIR. A new
language is added to the locales of the release. Everything else in the files stays
as it is, including comments and line endings.

Everything is checked first, and errors change nothing: unknown ids, and translations
that lack a variable of the text or have another one. Texts without a translation are
skipped. A translation of a text that is no longer the same is outdated: it is listed
and not written, unless --outdated is given.`,
		Example: `  placard translate import taxonomy texts.xlf --dry-run
  placard translate import taxonomy texts.csv`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, texts, locales, err := readTexts(cmd, args[0])
			if err != nil {
				return err
			}
			data, err := os.ReadFile(args[1])
			if err != nil {
				return err
			}
			parse := translation.ParseXLIFF
			if isCSV(args[1]) {
				parse = translation.ParseCSV
			}
			f, err := parse(data)
			if err == nil {
				err = checkLanguages(*f, locales)
			}
			if err != nil {
				p := problemOf(err)
				p.Message = args[1] + ": " + p.Message
				return failure{p}
			}
			i := translationImport{cmd: cmd, texts: texts, withOutdated: withOutdated, translations: map[string]string{}}
			if err := i.check(f); err != nil {
				return failure{err}
			}
			files, err := source.Translate(t.fsys, t.only, f.To, i.translations)
			if err != nil {
				return failure{err}
			}
			// The files that list the locales are first: without them, the others have errors.
			names := slices.SortedFunc(maps.Keys(files), func(a, b string) int {
				return cmp.Or(strings.Count(a, "/")-strings.Count(b, "/"), strings.Compare(a, b))
			})
			for k, name := range names {
				if dryRun {
					break
				}
				if err := replaceContent(filepath.Join(t.dir, filepath.FromSlash(name)), files[name]); err != nil {
					return failure{problem.Failure("%s %d of %d files were written: %s.", withPeriod(problemOf(err).Message), k, len(names), cmp.Or(problem.AllOf(names[:k]), "none")).
						Hint("Run the command again when this is solved. It writes the rest.")}
				}
			}
			verb := "written"
			if dryRun {
				verb = "to write"
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s %s in %s, %d unchanged, %d without a translation, %d outdated.\n",
				problem.Count(len(i.translations), "translation"), verb, problem.Count(len(files), "file"), i.unchanged, i.empty, i.outdated)
			return nil
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only say what would be written")
	cmd.Flags().BoolVar(&withOutdated, "outdated", false, "also write translations of texts that have changed")
	return cmd
}

// translationImport selects the translations to write.
type translationImport struct {
	cmd                        *cobra.Command
	texts                      []source.Text
	withOutdated               bool
	translations               map[string]string // to write, by id
	unchanged, empty, outdated int
}

// check checks all translations in f and selects those to write.
func (i *translationImport) check(f *translation.File) error {
	var errs []error
	for _, u := range f.Units {
		k := slices.IndexFunc(i.texts, func(t source.Text) bool { return t.ID == u.ID })
		if k < 0 {
			errs = append(errs, problem.Failure("The release has no text %q.", problem.Clip(u.ID)).Hint("Export the texts again, or remove this one from the file."))
			continue
		}
		now, _ := i.texts[k].Values.Get(f.From)
		present, _ := i.texts[k].Values.Get(f.To)
		target := normalText(u.Target)
		isOutdated := normalText(u.Source) != now
		switch {
		case target == "":
			i.empty++
		case target == present && (i.withOutdated || !isOutdated):
			i.unchanged++
		case isOutdated && !i.withOutdated:
			i.outdated++
			fmt.Fprintln(i.cmd.OutOrStdout(), printable(fmt.Sprintf("outdated  %s: the text is now %q", u.ID, problem.Clip(now))))
		case !slices.Equal(variablesIn(now), variablesIn(target)):
			errs = append(errs, problem.Failure("The translation of %s must have the variables of the text and no others: %q, not %q.", u.ID, variablesIn(now), variablesIn(target)).
				Hint("Write them as in the text: %s", problem.Clip(now)))
		default:
			i.translations[u.ID] = target
		}
	}
	return errors.Join(errs...)
}

// normalText returns a text as an authoring tree has it.
func normalText(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n"))
}

// variablesIn returns the ids of the variables that a text refers to, in order.
func variablesIn(text string) []string {
	var ids []string
	for p := range taxonomy.Placeholders(text) {
		ids = append(ids, p.VariableID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/core/upgrade"
)

func newUpgrade() *cobra.Command {
	var flags releaseFlags
	var version string
	var write, asJSON bool
	cmd := &cobra.Command{
		Use:   "upgrade FILE... --to VERSION",
		Short: "Upgrade datachains to a newer version of their taxonomy",
		Long: `Upgrade lists what must change in thin datachains so that they are valid in a
newer version of their taxonomy. With --write, it makes the changes that the
taxonomy declares, and no others: the pinned version, and the ids of elements,
context values, variables and options that have been renamed (replaces), also if
they were renamed in a version in between.
Everything else in the file stays as it is, byte for byte. A document that already
pins the version, such as an example that "placard new --from" copied, may still
use old ids.

The errors that are left are printed with their positions, as by validate, and so
are new warnings. They must be fixed by hand: a removed element, or a statement
that is now required. Elements with new words are listed, because their statements
may no longer be true.

A document that already uses the new id of an element for something else, that is
newer than VERSION or that is resolved is not changed. Without --source or --store,
the built-in releases are used.

Exit status: 1 if anything remains to be done by hand, otherwise 0.`,
		Example: `  placard upgrade crossing.json --to place@latest
  placard upgrade *.json --to place@2026-10-19-beta --write
  placard upgrade crossing.json --to place@latest --store /srv/placard --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if write && slices.Contains(args, "-") {
				return problem.Failure("--write cannot change standard input.").Hint("Give the name of a file.")
			}
			rs, target, err := flags.loadRelease(cmd, "--to", version)
			if err != nil {
				return err
			}
			upgraded, unreadable, failures := upgradeAll(cmd, rs, target, args, write)
			switch {
			case asJSON:
				report := newUpgradeReport(target, upgraded)
				report.Errors = append(unreadable, report.Errors...)
				report.OK = len(report.Errors)+len(failures) == 0
				err = printJSON(cmd.OutOrStdout(), report)
			case len(upgraded) > 0:
				err = printUpgrades(cmd.OutOrStdout(), target, upgraded, write)
			}
			if err != nil {
				return failure{err}
			}
			if len(failures) > 0 {
				return failure{errors.Join(failures...)}
			}
			if len(unreadable) > 0 {
				return errUnreadable
			}
			for _, u := range upgraded {
				if u.problems.HasErrors() {
					return errFindings
				}
			}
			return nil
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&version, "to", "", "upgrade to the release `VERSION`, an id or an alias (required)")
	mustMarkRequired(cmd, "to")
	cmd.Flags().BoolVar(&write, "write", false, "change the files")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// upgradedDocument is a document and the result of its upgrade.
type upgradedDocument struct {
	document
	*upgrade.Result
	written  bool
	problems problem.List // located in the file, and rendered
}

// upgradeAll upgrades the documents. One that cannot be read or written does not
// affect the others. Files that cannot be read are also reported at once.
func upgradeAll(cmd *cobra.Command, rs *releases, target *release.Release, names []string, write bool) (upgraded []upgradedDocument, unreadable problem.List, failures []error) {
	var published []upgrade.Version
	for _, r := range rs.Releases() {
		published = append(published, upgrade.Version{Taxonomy: r.Taxonomy, Schema: r.Schema()})
	}
	upgrader := upgrade.New(upgrade.Version{Taxonomy: target.Taxonomy, Schema: target.Schema()}, published)
	for _, name := range names {
		d, err := readDocument(cmd, name)
		if err != nil {
			printError(cmd.ErrOrStderr(), err)
			unreadable = append(unreadable, unreadableFile(name, err))
			continue
		}
		result, err := upgrader.Upgrade(d.body)
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", d.name, err))
			continue
		}
		u := upgradedDocument{document: d, Result: result}
		if write && len(result.Edits) > 0 {
			if err := replaceContent(name, result.Text); err != nil {
				failures = append(failures, err)
				continue
			}
			u.written = true
		}
		u.locate(rs)
		upgraded = append(upgraded, u)
	}
	return upgraded, unreadable, failures
}

// locate sets the positions of the findings in the file as it is now.
func (u *upgradedDocument) locate(rs *releases) {
	locator := datachain.NewLocator(u.Text)
	text, original := string(u.body), u.Original
	if u.written {
		text, original = string(u.Text), func(offset int) int { return offset }
	}
	u.problems = u.Problems
	for i := range u.problems {
		start, _ := locator.Locate(u.problems[i].Path)
		u.problems[i].Pos, u.problems[i].LineText = u.position(text, original(start))
	}
	u.problems.SortByPos()
	u.problems = u.problems.Render(rs.sentences(u.document))
}

// printUpgrades prints the edits and findings of each document, and a summary.
func printUpgrades(w io.Writer, target *release.Release, upgraded []upgradedDocument, write bool) error {
	edits, pending := 0, false
	var all problem.List
	for _, u := range upgraded {
		edits += len(u.Edits)
		pending = pending || len(u.Edits) > 0 && !u.written
		all = append(all, u.problems...)
		if u.IsCurrent() {
			fmt.Fprintf(w, "%s: already at %s\n", printable(u.name), target.Name())
			continue
		}
		if len(u.Edits) > 0 {
			if u.From == target.Taxonomy.ID {
				fmt.Fprintf(w, "%s: at %s, with old ids\n", printable(u.name), u.From)
			} else {
				fmt.Fprintf(w, "%s: from %s to %s\n", printable(u.name), u.From, target.Name())
			}
			tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
			for _, e := range u.edits() {
				fmt.Fprintf(tw, "  line %d\t%s\t%s → %s\n", e.Position.Line, printable(e.Path.String()), printable(problem.Clip(e.Before)), e.After)
			}
			if err := tw.Flush(); err != nil {
				return err
			}
			if len(u.Reworded) > 0 {
				fmt.Fprintf(w, "  Reworded elements: %s. Check that they still fit.\n", strings.Join(u.Reworded, ", "))
			}
		}
		if len(u.Edits) > 0 && len(u.problems) > 0 {
			fmt.Fprintln(w)
		}
		printFindings(w, u.problems)
	}
	errs, warnings := all.Split()
	verb := "to make"
	if write {
		verb = "made"
	}
	fmt.Fprintf(w, "%s: %s %s, %s to fix by hand, %s.\n", problem.Count(len(upgraded), "document"), problem.Count(edits, "change"), verb,
		problem.Count(len(errs), "error"), problem.Count(len(warnings), "warning"))
	if pending {
		fmt.Fprintln(w, "Run the command with --write to change the files.")
	}
	return nil
}

// upgradeReport is the JSON form of the output.
type upgradeReport struct {
	OK        bool              `json:"ok"` // whether no file failed and nothing remains to be done by hand
	To        taxonomy.ID       `json:"to"`
	Documents []upgradeDocument `json:"documents"`
	Errors    problem.List      `json:"errors"`
	Warnings  problem.List      `json:"warnings"`
}

type upgradeDocument struct {
	File     string        `json:"file"`
	From     taxonomy.ID   `json:"from,omitzero"`
	Written  bool          `json:"written"`
	Edits    []locatedEdit `json:"edits"`
	Reworded []string      `json:"reworded"`
}

// locatedEdit is an edit with its position in the original file.
type locatedEdit struct {
	Path     problem.Path `json:"path"`
	Position problem.Pos  `json:"position"`
	Before   string       `json:"before"`
	After    string       `json:"after"`
}

func newUpgradeReport(target *release.Release, upgraded []upgradedDocument) upgradeReport {
	report := upgradeReport{To: target.Taxonomy.ID}
	var all problem.List
	for _, u := range upgraded {
		report.Documents = append(report.Documents, upgradeDocument{u.name, u.From, u.written, u.edits(), u.Reworded})
		all = append(all, u.problems...)
	}
	report.Errors, report.Warnings = all.Split()
	return report
}

// edits returns the edits with their positions, which it finds in one pass: a
// document may have thousands of them in one line.
func (u *upgradedDocument) edits() []locatedEdit {
	list := make([]locatedEdit, len(u.Edits))
	line, column := 1, 1
	counted := 0 // the offset of that position
	for i, e := range u.Edits {
		passed := u.body[counted:e.Start]
		if k := bytes.LastIndexByte(passed, '\n'); k >= 0 {
			line += bytes.Count(passed, []byte{'\n'})
			column, passed = 1, passed[k+1:]
		}
		column += utf8.RuneCount(passed)
		counted = e.Start
		list[i] = locatedEdit{e.Path, problem.Pos{File: u.name, Line: line, Column: column}, e.Before, e.After}
	}
	return list
}

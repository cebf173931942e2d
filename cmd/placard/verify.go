package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"placard/internal/core/problem"
	"placard/internal/storage/builtin"
	"placard/internal/storage/store"
)

func newVerify() *cobra.Command {
	var flags verifyFlags
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Verify the files of a store",
		Long: `Verify reads every file of a store and compares it with its checksums: the index,
the journal, and all files of releases that are published, retired, or earlier
contents of betas. It lists everything that is damaged or missing, with a way to
repair it, and warns about files that are not in use. A store in which nothing has
been published is an error. Without --store, it verifies the built-in releases.

With --repair, it first rebuilds a damaged index from the journal, and records in
the journal which of its records are lost. Damaged files are kept under another
name. A damaged release is restored by publishing it again.`,
		Example: `  placard verify
  placard verify --store /srv/placard
  placard verify --store /srv/placard --json
  placard verify --store /srv/placard --repair`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return flags.run(cmd) },
	}
	cmd.Flags().StringVar(&flags.store, "store", "", "verify "+storeMeta)
	cmd.Flags().BoolVar(&flags.repair, "repair", false, "repair the index and the journal of the store first")
	flags.addRecorded(cmd)
	return cmd
}

type verifyFlags struct {
	changeFlags
	repair bool
}

// verifyOutput is the output of verify with --json.
type verifyOutput struct {
	OK       bool           `json:"ok"`
	Releases int            `json:"releases"`
	Records  int            `json:"records"`
	Bytes    int64          `json:"bytes"`
	Repairs  *store.Repairs `json:"repairs,omitzero"`
	Errors   problem.List   `json:"errors"`
	Warnings problem.List   `json:"warnings"`
}

func (f *verifyFlags) run(cmd *cobra.Command) error {
	var s interface {
		Verify(context.Context, func(done, total int, e store.Entry)) (*store.Report, error)
	} = builtin.Store()
	var repairs *store.Repairs
	switch {
	case f.store != "":
		c, err := f.begin(cmd)
		if err != nil {
			return err
		}
		if f.repair {
			done, err := c.store.Repair(cmd.Context(), c.intent)
			if err != nil {
				return c.refused(err)
			}
			repairs = &done
		}
		s = c.store
	case f.repair:
		return problem.Failure("--repair needs --store, because the built-in releases cannot be changed.").Hint("Add --store STORE.")
	}
	line := progressFrom(cmd.Context())
	report, err := s.Verify(cmd.Context(), func(done, total int, e store.Entry) {
		line.show("Verifying %s: %d of %d", e.ID, done+1, total)
	})
	if err != nil {
		return storeFailure(f.store, err)
	}
	problems := report.Problems
	if f.store != "" && report.Releases == 0 && report.Records == 0 && len(problems) == 0 {
		// Nothing is damaged, but most likely this is not the store that was meant.
		return failure{problem.Failure("%s", nothingPublished(f.store, new(store.Index))).Hint("Check the name of the store.")}
	}
	for i := range problems {
		problems[i].Pos.File = store.FileLabel(f.store, problems[i].Pos.File)
	}
	problems.Render(storeSentence(f.store))
	errs, warnings := problems.Split()
	out := cmd.OutOrStdout()
	if f.asJSON {
		err := printJSON(out, verifyOutput{len(errs) == 0, report.Releases, report.Records, report.Bytes, repairs, errs, warnings})
		if err != nil {
			return err
		}
	} else {
		printRepairs(out, repairs)
		printFindings(out, problems)
		subject := fmt.Sprintf("%s (%s) and %s", problem.Count(report.Releases, "release"), describeSize(report.Bytes), problem.Count(report.Records, "record"))
		printSummary(out, subject, problems)
	}
	if len(errs) > 0 {
		return errFindings
	}
	return nil
}

// printRepairs prints what was repaired, if anything.
func printRepairs(w io.Writer, repairs *store.Repairs) {
	if repairs == nil || repairs.Record == nil {
		return
	}
	if repairs.Rebuilt {
		fmt.Fprintf(w, "rebuilt  %s from revision %d of the journal\n", store.IndexFile, repairs.Revision)
	}
	for _, name := range repairs.Lost {
		fmt.Fprintf(w, "lost     %s\n", name)
	}
	if repairs.Rebuilt && len(repairs.Lost) > 0 {
		fmt.Fprintln(w, "The changes in lost records are not in the index. Check the releases and aliases.")
	}
	fmt.Fprintln(w)
}

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"placard/internal/core/problem"
	"placard/internal/storage/store"
)

func newPrune() *cobra.Command {
	flags := pruneFlags{olderThan: age(30 * day)}
	cmd := &cobra.Command{
		Use:   "prune --store STORE",
		Short: "Delete files of a store that are no longer in use",
		Long: `Prune deletes what no index of the last 30 days has listed: the files of releases
that were retired and earlier contents of betas, damaged files that were replaced,
and files of publishers that were interrupted. It first lists what it deletes, and
asks for confirmation. If it cannot ask, --yes is required: without it, prune
deletes nothing, and exits with status 1 if there is something to delete.

A pruned release can no longer be restored. The store still knows its content hash,
so a stable release can only be published again with the same content.`,
		Example: `  placard prune --store /srv/placard --dry-run
  placard prune --store /srv/placard --older-than 90d --yes`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return flags.run(cmd) },
	}
	flags.add(cmd, "prune")
	cmd.Annotations[interruptedNote] = "Some files may have been deleted. Run the command again to delete the others."
	cmd.Flags().Var(&flags.olderThan, "older-than", "delete only what has not been in use for this long, such as 30d or 12h")
	cmd.Flags().BoolVar(&flags.yes, "yes", false, "do not ask for confirmation")
	return cmd
}

type pruneFlags struct {
	changeFlags
	olderThan age
	yes       bool
}

// pruneOutput is the output of prune with --json.
type pruneOutput struct {
	OK       bool            `json:"ok"`
	DryRun   bool            `json:"dry_run"`
	Before   time.Time       `json:"before"` // nothing in the list was in use after this time
	Prunable []store.Garbage `json:"prunable"`
	Deleted  []store.Garbage `json:"deleted"`
}

func (f *pruneFlags) run(cmd *cobra.Command) error {
	c, err := f.begin(cmd)
	if err != nil {
		return err
	}
	before := time.Now().UTC().Add(-time.Duration(f.olderThan))
	garbage, err := c.store.Prunable(cmd.Context(), before)
	if err != nil {
		return c.refused(err)
	}
	out := cmd.OutOrStdout()
	if !f.asJSON {
		if err := printGarbage(out, garbage); err != nil {
			return err
		}
	}
	confirmed := f.yes && !f.dryRun
	refused := len(garbage) > 0 && !f.yes && !f.dryRun
	if refused && !f.asJSON && canAsk(cmd) {
		confirmed, refused = ask(cmd, "Delete them?"), false
	}
	output := pruneOutput{OK: !refused, DryRun: !confirmed, Before: before.Truncate(time.Second), Prunable: garbage}
	if confirmed {
		progressFrom(cmd.Context()).show("Deleting %s", describeSize(totalSize(garbage)))
		if output.Deleted, err = c.store.Prune(cmd.Context(), c.intent, before, garbage); err != nil {
			return c.refused(err)
		}
	}
	switch {
	case f.asJSON:
		if err := printJSON(out, output); err != nil || !refused {
			return err
		}
		return errFindings
	case refused:
		return failure{problem.Failure("Nothing was deleted.").Hint("Use --yes to delete, or --dry-run to only list.")}
	case len(garbage) == 0:
	case confirmed:
		fmt.Fprintf(out, "Deleted %s, %s.\n", problem.Count(len(output.Deleted), "item"), describeSize(totalSize(output.Deleted)))
	case f.dryRun:
		fmt.Fprintln(out, "Dry run: nothing was deleted.")
	default:
		fmt.Fprintln(out, "Nothing was deleted.")
	}
	return nil
}

func printGarbage(w io.Writer, garbage []store.Garbage) error {
	if len(garbage) == 0 {
		_, err := fmt.Fprintln(w, "There is nothing to delete.")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "REASON\tSINCE\tSIZE\tRELEASE\tPATH")
	for _, g := range garbage {
		id := "-"
		if !g.ID.IsZero() {
			id = g.ID.String()
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", g.Reason, g.Since.Format(time.RFC3339), describeSize(g.Size), id, printable(g.Path))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "%s, %s.\n", problem.Count(len(garbage), "item"), describeSize(totalSize(garbage)))
	return nil
}

func totalSize(garbage []store.Garbage) int64 {
	var total int64
	for _, g := range garbage {
		total += g.Size
	}
	return total
}

// canAsk reports whether a command can ask a question: its input and its output are
// a terminal.
func canAsk(cmd *cobra.Command) bool {
	in, ok := cmd.InOrStdin().(*os.File)
	return ok && term.IsTerminal(int(in.Fd())) && terminalOf(cmd.OutOrStdout()) != nil
}

// ask asks a question and reports whether the answer is yes.
func ask(cmd *cobra.Command, question string) bool {
	fmt.Fprintf(cmd.OutOrStdout(), "%s [y/N] ", question)
	answer, _ := bufio.NewReader(cmd.InOrStdin()).ReadString('\n') // no answer means no
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true
	}
	return false
}

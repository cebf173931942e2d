package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/builtin"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
)

// journal is a store whose history can be read.
type journal interface {
	Index(context.Context) (*store.Index, error)
	History(context.Context) ([]store.Record, error)
}

// historyJSON is the output of history with --json.
type historyJSON struct {
	OK       bool           `json:"ok"`
	Complete bool           `json:"complete"` // whether all of the journal could be read
	Records  []store.Record `json:"records"`
}

func newHistory() *cobra.Command {
	var name string
	var limit int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "history [VERSION]",
		Short: "List the changes of a store",
		Long: `History lists the changes to a store, newest first: the releases that were
published, promoted, retired or restored and the aliases that were set or removed,
each with its time, author and note. With VERSION, an id or an alias, it lists the
changes to that release and to the aliases set for it. Without --store, it lists
the changes to the built-in releases.

If a record of the journal is damaged, history prints the changes after it and
exits with status 1.`,
		Example: `  placard history --store /srv/placard
  placard history place@latest --store /srv/placard --limit 10
  placard history --store /srv/placard --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 0 {
				return problem.Failure("--limit: %d is negative.", limit).Hint("Use 0 for all changes.")
			}
			var s journal = builtin.Store()
			if cmd.Flags().Changed("store") {
				var err error
				if s, err = openExistingStore(name, store.Options{}); err != nil {
					return err
				}
			}
			index, err := s.Index(cmd.Context())
			if err != nil {
				return storeFailure(name, err)
			}
			records, damage := s.History(cmd.Context())
			if len(args) == 1 {
				if records, err = historyOf(index, records, name, args[0]); err != nil {
					return err
				}
			}
			if limit > 0 && len(records) > limit {
				records = records[:limit]
			}
			if !asJSON {
				printHistory(cmd.OutOrStdout(), records)
			} else if err := printJSON(cmd.OutOrStdout(), historyJSON{OK: damage == nil, Complete: damage == nil, Records: records}); err != nil {
				return err
			}
			if file, ok := errors.AsType[*release.DamageError](damage); ok {
				p := problem.New(store.JournalDamaged, "Earlier changes cannot be read: %v.", file).See(problem.Verify())
				return failure{p.Render(storeSentence(name))}
			}
			if damage != nil {
				return storeFailure(name, damage)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&name, "store", "", "list the changes of "+storeMeta)
	cmd.Flags().IntVar(&limit, "limit", 0, "list at most `N` changes; 0 means all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// historyOf returns the records about a version, an id or an alias.
func historyOf(index *store.Index, records []store.Record, storeName, version string) ([]store.Record, error) {
	ref, err := taxonomy.ParseRef(version)
	if err != nil {
		return nil, notAVersion("", version, catalog.Malformed(index, version).Render(storeSentence(storeName)))
	}
	id, err := findAny(index, ref)
	if err != nil {
		return nil, failure{problemsOf(err).Render(storeSentence(storeName))[0]}
	}
	return slices.DeleteFunc(records, func(r store.Record) bool { return !concerns(r, id) }), nil
}

// findAny returns the id of the published or retired release that ref refers to.
func findAny(index *store.Index, ref taxonomy.Ref) (taxonomy.ID, error) {
	id, ok := ref.ID()
	if !ok {
		id = index.Pins[ref.String()]
	}
	if _, retired := index.FindRetired(id); retired {
		return id, nil
	}
	return catalog.Resolve(index, ref)
}

// concerns reports whether a record has a change of a release or of its aliases.
func concerns(r store.Record, id taxonomy.ID) bool {
	return slices.ContainsFunc(r.Releases, func(c store.ReleaseChange) bool { return c.ID == id }) ||
		slices.ContainsFunc(r.Aliases, func(c store.AliasChange) bool { return c.Old == id || c.New == id })
}

// printHistory prints records. Texts that people have written cannot manipulate the
// terminal, and only the first line of a record is not indented.
func printHistory(out io.Writer, records []store.Record) {
	for i, r := range records {
		if i > 0 {
			fmt.Fprintln(out)
		}
		by := r.By
		if by == "" {
			by = "-"
		}
		fmt.Fprintln(out, printable(fmt.Sprintf("%d  %s  %s  %s", r.Revision, r.At.Format(time.RFC3339), r.Action, by)))
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for _, c := range r.Releases {
			fmt.Fprintf(w, "    %s\t%s\n", c.ID, arrow(c.Old, c.New, func(e *store.Entry) string { return shortHash(e.ContentHash) }))
			if !c.ReplacedBy.IsZero() {
				fmt.Fprintf(w, "    \treplaced by %s\n", c.ReplacedBy)
			}
		}
		for _, c := range r.Aliases {
			fmt.Fprintf(w, "    %s\t%s\n", printable(c.Alias), arrow(c.Old, c.New, taxonomy.ID.String))
		}
		w.Flush()
		for _, name := range r.Removed {
			fmt.Fprintln(out, printable("    deleted "+name))
		}
		for _, name := range r.Lost {
			fmt.Fprintln(out, printable("    lost "+name))
		}
		for line := range strings.Lines(r.Note) {
			fmt.Fprintln(out, "    "+printable(strings.TrimRight(line, "\n")))
		}
	}
}

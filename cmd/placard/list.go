package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"placard/internal/core/taxonomy"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
)

// listEntry describes one release in the output.
type listEntry struct {
	ID          taxonomy.ID     `json:"id"`
	Status      taxonomy.Status `json:"status"`
	ContentHash string          `json:"content_hash"`
	Aliases     []string        `json:"aliases"`
	PublishedAt time.Time       `json:"published_at,omitzero"`
	Retired     bool            `json:"retired,omitzero"`
	ReplacedBy  taxonomy.ID     `json:"replaced_by,omitzero"`
}

// listJSON is the output of list with --json.
type listJSON struct {
	OK       bool        `json:"ok"`
	Releases []listEntry `json:"releases"`
}

func newList() *cobra.Command {
	var flags releaseFlags
	var asJSON, withRetired bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the published releases",
		Long: `List prints the releases published in a store, with their aliases.
Without --source or --store, it lists the built-in releases. With --retired, it
also lists the retired releases, with the aliases that restoring them brings
back. List reads only the index; "placard verify" reads the files of the releases.`,
		Example: `  placard list
  placard list --store /srv/placard
  placard list --store /srv/placard --retired
  placard list --store /srv/placard --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			index, err := flags.index(cmd)
			if err != nil {
				return err
			}
			valid := withoutErrors(index)
			aliases := catalog.Aliases(valid)
			var entries []listEntry
			for _, e := range valid.Releases {
				entries = append(entries, listEntry{e.ID, e.ID.Status, e.ContentHash, aliases[e.ID], e.PublishedAt, false, taxonomy.ID{}})
			}
			if withRetired {
				for _, e := range index.Retired {
					entries = append(entries, listEntry{e.ID, e.ID.Status, e.ContentHash, pinsTo(index, e.ID), e.PublishedAt, true, e.ReplacedBy})
				}
				slices.SortStableFunc(entries, func(a, b listEntry) int { return a.ID.Compare(b.ID) })
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), listJSON{true, entries})
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "RELEASE\tPUBLISHED\tCONTENT\tALIASES")
			for _, e := range entries {
				published := "-"
				if !e.PublishedAt.IsZero() {
					published = e.PublishedAt.Format(time.RFC3339)
				}
				if e.Retired {
					published = "retired"
					if !e.ReplacedBy.IsZero() {
						published += ", see " + e.ReplacedBy.String()
					}
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", e.ID, published, shortHash(e.ContentHash), strings.Join(e.Aliases, " "))
			}
			if err := w.Flush(); err != nil {
				return err
			}
			if flags.isBuiltin() {
				fmt.Fprintln(cmd.ErrOrStderr(), "These are the built-in releases. Use --store STORE to list those of a store.")
			}
			if len(entries) == 0 && flags.store != "" {
				fmt.Fprintln(cmd.ErrOrStderr(), nothingPublished(flags.store, index))
			}
			return nil
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&withRetired, "retired", false, "also list retired releases")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// withoutErrors returns an index of the valid releases. Releases with errors in an
// authoring tree have no content hash. Their findings have been logged.
func withoutErrors(index *store.Index) *store.Index {
	valid := index.Clone()
	valid.Releases = slices.DeleteFunc(valid.Releases, func(e store.Entry) bool { return e.ContentHash == "" })
	return valid
}

// pinsTo returns the sorted aliases that are pinned to a release.
func pinsTo(index *store.Index, id taxonomy.ID) []string {
	var aliases []string
	for alias, target := range index.Pins {
		if target == id {
			aliases = append(aliases, alias)
		}
	}
	slices.Sort(aliases)
	return aliases
}

// printJSON prints v as indented JSON.
func printJSON(w io.Writer, v any) error {
	if err := json.MarshalWrite(w, v, jsontext.WithIndent("  ")); err != nil {
		return failure{err}
	}
	fmt.Fprintln(w)
	return nil
}

// index reads the index of the store or the tree, which must exist.
func (f *releaseFlags) index(cmd *cobra.Command) (*store.Index, error) {
	s, err := f.openExisting(errorLogger(cmd))
	if err != nil {
		return nil, err
	}
	index, err := s.Index(cmd.Context())
	return index, failureOf(err)
}

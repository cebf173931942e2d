package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"placard/internal/catalog"
	"placard/internal/store"
	"placard/internal/taxonomy"
)

// listEntry describes one release in the output.
type listEntry struct {
	ID          taxonomy.ID     `json:"id"`
	Status      taxonomy.Status `json:"status"`
	ContentHash string          `json:"content_hash"`
	Aliases     []string        `json:"aliases"`
	PublishedAt time.Time       `json:"published_at"`
}

func newList() *cobra.Command {
	var dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list --store DIR",
		Short: "List the releases published in a store",
		Example: `  placard list --store /srv/placard
  placard list --store /srv/placard --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if dir == "" {
				return errors.New("--store is empty")
			}
			index, err := store.OpenFolder(dir).Index(cmd.Context())
			if err != nil {
				return failure{err}
			}
			aliases := catalog.Aliases(index)
			entries := make([]listEntry, len(index.Releases))
			for i, e := range index.Releases {
				entries[i] = listEntry{e.ID, e.ID.Status, e.ContentHash, aliases[e.ID], e.PublishedAt}
			}
			out := cmd.OutOrStdout()
			if asJSON {
				if err := json.MarshalWrite(out, entries, jsontext.WithIndent("  ")); err != nil {
					return failure{err}
				}
				fmt.Fprintln(out)
				return nil
			}
			w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "RELEASE\tPUBLISHED\tCONTENT\tALIASES")
			for _, e := range entries {
				fmt.Fprintf(w, "%s\t%s\t%.19s\t%s\n", e.ID, e.PublishedAt.Format(time.RFC3339), e.ContentHash, strings.Join(e.Aliases, " "))
			}
			return w.Flush()
		},
	}
	cmd.Flags().StringVar(&dir, "store", "", "store folder (required)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	mustMarkRequired(cmd, "store")
	return cmd
}

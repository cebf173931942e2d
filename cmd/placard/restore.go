package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"placard/internal/core/taxonomy"
	"placard/internal/storage/store"
)

func newRestore() *cobra.Command {
	var flags changeFlags
	var asOf string
	cmd := &cobra.Command{
		Use:   "restore VERSION --store STORE",
		Short: "Publish a retired release, or an earlier content of a beta, again",
		Long: `Restore publishes a retired release again. Aliases that referred to it refer to it
again, unless they have been set for another release.

With --as-of, it publishes an earlier content of a beta: the one that was
published at a time, or the one whose hash starts with at least six given digits.
A time is written like 2026-11-15T10:30:00Z. Without an offset it is in UTC, and a
date alone means the end of that day, which must be over. If the choice is not
clear, the error lists the contents of the beta. Restoring a release that is
published with the same content has no effect. The authoring tree does not change:
change it as well, or publishing it undoes the restoration.`,
		Example: `  placard restore place@2026-10-19-beta --store /srv/placard --as-of 24e5cd66fe08
  placard restore place@2026-06-01-stable --store /srv/placard`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := flags.begin(cmd)
			if err != nil {
				return err
			}
			var parsed store.AsOf
			if asOf != "" {
				if parsed, err = store.ParseAsOf(asOf); err != nil {
					return prefixed("--as-of", err)
				}
			}
			id, err := c.findRestorable(args[0])
			if err != nil {
				return err
			}
			entry, err := c.store.Select(cmd.Context(), id, parsed)
			if err != nil {
				return c.refused(err)
			}
			result, err := c.store.Restore(cmd.Context(), c.intent, entry)
			if err != nil {
				return c.refused(err)
			}
			if !result.Changed() {
				return c.print(result, changedRelease{ID: id, Outcome: unchanged, ContentHash: entry.ContentHash})
			}
			releases := changedReleases(result, restored)
			if err := c.print(result, releases...); err != nil || c.asJSON || releases[0].PreviousHash == "" {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), "Change the authoring tree as well: publishing the replaced content again would undo this.")
			return nil
		},
	}
	flags.add(cmd, "restore a release of")
	cmd.Flags().StringVar(&asOf, "as-of", "", "restore the content as of `TIME`, or the one whose hash starts with TIME")
	return cmd
}

// findRestorable is like find, but also finds retired releases. An id is returned
// as it is; [store.Store.Select] says whether the release was ever published.
func (c *change) findRestorable(name string) (taxonomy.ID, error) {
	return c.resolve(name, func(index *store.Index, ref taxonomy.Ref) (taxonomy.ID, error) {
		if id, ok := ref.ID(); ok {
			return id, nil
		}
		return findAny(index, ref)
	})
}

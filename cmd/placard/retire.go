package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

func newRetire() *cobra.Command {
	var flags changeFlags
	var replacedBy string
	cmd := &cobra.Command{
		Use:   "retire VERSION... --store STORE",
		Short: "Take releases out of a store's list of published releases",
		Long: `Retire takes releases out of the list of published ones. Servers no longer serve
them, and aliases that referred to them refer to other releases or to none.
VERSION is an id, not an alias, because aliases then refer to other releases.
Either all of the releases are retired or none. Nothing is deleted: "placard restore" publishes a retired release again, until
"placard prune" deletes its files. With --replaced-by, servers name the release that
replaces them to clients that ask for the retired ones.`,
		Example: `  placard retire place@2026-10-19-beta --store /srv/placard --dry-run
  placard retire place@2026-06-01-stable --store /srv/placard --message "Replaced."
  placard retire place@2026-06-01-stable --store /srv/placard --replaced-by place@2026-10-19-beta`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := flags.begin(cmd)
			if err != nil {
				return err
			}
			var ids []taxonomy.ID
			for _, name := range args {
				id, err := c.findExact(name)
				if err != nil {
					return err
				}
				if !slices.Contains(ids, id) {
					ids = append(ids, id)
				}
			}
			if replacedBy != "" {
				if c.intent.ReplacedBy, err = c.find(replacedBy); err != nil {
					return err
				}
			}
			result, err := c.store.Retire(cmd.Context(), c.intent, ids...)
			if err != nil {
				return c.refused(err)
			}
			return c.print(result, changedReleases(result, retired)...)
		},
	}
	flags.add(cmd, "retire releases of")
	cmd.Flags().StringVar(&replacedBy, "replaced-by", "", "name the published release `VERSION` as the successor")
	return cmd
}

// findExact is like find, but refuses aliases. Retiring an alias twice would retire
// two releases.
func (c *change) findExact(name string) (taxonomy.ID, error) {
	id, err := c.find(name)
	if err != nil || id.String() == name {
		return id, err
	}
	return id, c.refused(problem.New(problem.BadRequest, "%q is an alias, which refers to another release or to none after its release is retired.", name).
		Hint("Name the release: %q.", fmt.Sprintf("placard retire %s --store %s", id, shellWord(c.changeFlags.store))))
}

package main

import (
	"github.com/spf13/cobra"

	"placard/internal/core/taxonomy"
)

func newPromote() *cobra.Command {
	var flags changeFlags
	var aliases []string
	cmd := &cobra.Command{
		Use:   "promote VERSION --store STORE",
		Short: "Publish the content of a beta as a stable release",
		Long: `Promote publishes the content of a published beta as the stable release of the
same day. VERSION is the id of the beta, or an alias. The beta remains published
until it is retired. A stable release is immutable, all of its texts must be
translated, and it must not break documents that are valid against the stable
release before it, unless --allow-breaking is given.`,
		Example: `  placard promote place@2026-10-19-beta --store /srv/placard --dry-run
  placard promote place@beta --store /srv/placard --message "Approved by the council."`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := flags.begin(cmd)
			if err != nil {
				return err
			}
			id, err := c.find(args[0])
			if err != nil {
				return err
			}
			promoted := id
			promoted.Status = taxonomy.Stable
			c.origins = map[string]string{promoted.String(): id.String()}
			progressFrom(cmd.Context()).show("Promoting %s", id)
			result, err := c.store.Promote(cmd.Context(), c.intent, id, aliases...)
			if err != nil {
				return c.refused(err)
			}
			return c.print(result, publishedReleases(result)...)
		},
	}
	flags.add(cmd, "promote a beta of")
	cmd.Flags().StringSliceVar(&aliases, "alias", nil, "add the alias <type>@`NAME` for the stable release")
	flags.addAllowBreaking(cmd)
	return cmd
}

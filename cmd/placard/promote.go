package main

import (
	"github.com/spf13/cobra"

	"placard/internal/core/taxonomy"
)

func newPromote() *cobra.Command {
	var flags changeFlags
	var aliases []string
	var notes string
	cmd := &cobra.Command{
		Use:   "promote VERSION --store STORE",
		Short: "Publish the content of a beta as a stable release",
		Long: `Promote publishes the content of a published beta as the stable release of the
same day. VERSION is the id of the beta, or an alias. The beta remains published
until it is retired. A stable release is immutable, all of its texts must be
translated, its files must not have contained anything that Placard does not read,
and it must not break documents that are valid against the stable release before
it, unless --allow-breaking is given.

Promote prints the release notes, which never change either. They are those of the
beta, unless --notes is given.`,
		Example: `  placard promote place@2026-10-19-beta --store /srv/placard --dry-run
  placard promote place@beta --store /srv/placard --message "Approved by the council."
  placard promote place@beta --store /srv/placard --notes "Reviewed by the council."`,
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
			if cmd.Flags().Changed("notes") {
				c.intent.ReleaseNotes = &notes
			}
			result, err := c.store.Promote(cmd.Context(), c.intent, id, aliases...)
			if err != nil {
				return c.refused(err)
			}
			releases := publishedReleases(result)
			if o := result.Outcomes[0]; o.Published {
				releases[0].Notes = o.Notes
			}
			return c.print(result, releases...)
		},
	}
	flags.add(cmd, "promote a beta of")
	cmd.Flags().StringSliceVar(&aliases, "alias", nil, "add the alias <type>@`NAME` for the stable release")
	cmd.Flags().StringVar(&notes, "notes", "", "publish `TEXT` as the release notes, in place of those of the beta")
	flags.addAllowBreaking(cmd)
	return cmd
}

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"placard/internal/release"
	"placard/internal/store"
)

func newPublish() *cobra.Command {
	var dir string
	var aliases []string
	cmd := &cobra.Command{
		Use:   "publish DIR --store DIR",
		Short: "Compile an authoring tree and publish it into a store",
		Long: `Publish checks the authoring tree in DIR, or one release folder of it, compiles
it and puts its releases into the store, from where running servers pick them
up: all of them at once, or none where one is refused. A beta may be published
again and again; a stable release is written once: other content under its id
is refused, and the same content again changes nothing, its notes and date
included.`,
		Example: `  placard publish taxonomy --store /srv/placard
  placard publish taxonomy/place/2026-10-19-beta --store /srv/placard --alias pilot`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if dir == "" {
				return errors.New("--store is empty")
			}
			releases, err := compile(cmd, args[0])
			if err != nil {
				return err
			}
			if len(aliases) > 0 && len(releases) != 1 {
				return fmt.Errorf("--alias names one release, and %s holds %d; give the release's own folder", args[0], len(releases))
			}
			var publications []store.Publication
			for _, r := range releases {
				publications = append(publications, store.Publication{Release: r, Pins: aliases})
			}
			outcomes, err := store.OpenFolder(dir).PublishAll(cmd.Context(), publications...)
			if err != nil {
				return failure{err}
			}
			for _, o := range outcomes {
				what := "published"
				if !o.Changed {
					what = "unchanged"
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s  %s  %s\n", what, o.ID, o.ContentHash)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "store", "", "folder of the store, made if absent (required)")
	cmd.Flags().StringSliceVar(&aliases, "alias", nil, "pin this alias to the release, as <type>@NAME")
	mustMarkRequired(cmd, "store")
	return cmd
}

// compile returns the releases of a tree, with its findings printed to the
// error stream; errors among them end the command.
func compile(cmd *cobra.Command, dir string) ([]*release.Release, error) {
	t, err := openTree(dir)
	if err != nil {
		return nil, err
	}
	releases, problems, err := t.compile()
	printFindings(cmd.ErrOrStderr(), problems, nil)
	switch {
	case err != nil:
		return nil, failure{err}
	case problems.HasErrors():
		return nil, errFindings
	case len(releases) == 0:
		return nil, noRelease(dir)
	}
	return releases, nil
}

func mustMarkRequired(cmd *cobra.Command, flag string) {
	if err := cmd.MarkFlagRequired(flag); err != nil {
		panic(err)
	}
}

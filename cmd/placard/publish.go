package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"placard/internal/problem"
	"placard/internal/release"
	"placard/internal/store"
)

func newPublish() *cobra.Command {
	var dir string
	var aliases []string
	var strict strictFlag
	cmd := &cobra.Command{
		Use:   "publish DIR --store DIR",
		Short: "Compile an authoring tree and publish it into a store",
		Long: `Publish checks and compiles the authoring tree in DIR, or a single release folder
in it, and adds its releases to the store, where running servers pick them up.
Either all releases are published or none. A beta can be replaced at any time.
A stable release is immutable: publishing different content under its id is an
error, and publishing the same content again has no effect, even if its notes
or date differ.`,
		Example: `  placard publish taxonomy --store /srv/placard
  placard publish taxonomy/place/2026-10-19-beta --store /srv/placard --alias pilot`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if dir == "" {
				return errNoStore
			}
			t, err := openTree(args[0])
			if err != nil {
				return err
			}
			if err := t.checkOutside(dir); err != nil {
				return err
			}
			s, err := openStore(dir)
			if err != nil {
				return err
			}
			releases, err := compile(cmd, t, args[0], strict, "published")
			if err != nil {
				return err
			}
			if len(aliases) > 0 && len(releases) != 1 {
				return fmt.Errorf("--alias applies to a single release, but %s has %d; use the folder of one release", args[0], len(releases))
			}
			var publications []store.Publication
			for _, r := range releases {
				publications = append(publications, store.Publication{Release: r, Pins: aliases})
			}
			progressFrom(cmd.Context()).show("Writing %s to %s", problem.Count(len(releases), "release"), dir)
			result, err := s.Publish(cmd.Context(), store.Intent{}, publications...)
			if err != nil {
				return storeFailure(dir, err)
			}
			for _, o := range result.Outcomes {
				outcome := "unchanged"
				if o.Published {
					outcome = "published"
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s  %s  %s\n", outcome, o.ID, o.ContentHash)
				for _, alias := range o.Pinned {
					fmt.Fprintf(cmd.OutOrStdout(), "aliased    %s  %s\n", alias, o.ID)
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "store", "", "publish to the store in `DIR`, created if missing (required)")
	cmd.Flags().StringSliceVar(&aliases, "alias", nil, "add the alias <type>@`NAME` for the release")
	strict.add(cmd)
	mustMarkRequired(cmd, "store")
	return cmd
}

// compile compiles the releases in the tree opened from dir and prints findings to
// standard error. If there are errors, or warnings with --strict, it returns an error
// and prints that nothing was published or written, as the participle says.
func compile(cmd *cobra.Command, t tree, dir string, strict strictFlag, participle string) ([]*release.Release, error) {
	releases, problems, err := t.compile(progressFrom(cmd.Context()))
	printFindings(cmd.ErrOrStderr(), problems)
	if err != nil {
		return nil, failure{err}
	}
	if err := strict.verdict(problems); err != nil {
		errs, warnings := problems.Split()
		fmt.Fprintf(cmd.ErrOrStderr(), "Nothing was %s: %s, %s.\n", participle, problem.Count(len(errs), "error"), problem.Count(len(warnings), "warning"))
		return nil, err
	}
	if len(releases) == 0 {
		return nil, noRelease(dir)
	}
	return releases, nil
}

func mustMarkRequired(cmd *cobra.Command, flag string) {
	if err := cmd.MarkFlagRequired(flag); err != nil {
		panic(err)
	}
}

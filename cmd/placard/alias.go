package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/catalog"
)

func newAlias() *cobra.Command {
	return withCommands(&cobra.Command{
		Use:   "alias COMMAND",
		Short: "Set, remove or list aliases of releases in a store",
		Long: `Alias sets, removes and lists aliases of your own, such as place@pilot. The aliases
latest, stable, beta and dates are computed from the published releases.`,
		Example: `  placard alias set place@pilot place@2026-10-19-beta --store /srv/placard
  placard alias remove place@pilot --store /srv/placard
  placard alias list --store /srv/placard`,
	}, interruptible(newAliasSet()), interruptible(newAliasRemove()), interruptible(newAliasList()))
}

// withCommands adds subcommands to a command that does nothing else.
func withCommands(cmd *cobra.Command, subcommands ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(subcommands...)
	cmd.Args = cobra.ArbitraryArgs
	// The error is about the missing command, not about its flags.
	cmd.FParseErrWhitelist.UnknownFlags = true
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(cmd, args[0])
		}
		var names []string
		for _, sub := range subcommands {
			names = append(names, strconv.Quote(sub.CommandPath()))
		}
		return problem.Failure("%q needs a command.", cmd.CommandPath()).Hint("Use %s.", problem.OneOf(names))
	}
	return cmd
}

func newAliasSet() *cobra.Command {
	var flags changeFlags
	cmd := &cobra.Command{
		Use:   "set ALIAS VERSION --store STORE",
		Short: "Make an alias refer to a release",
		Long: `Set makes the alias <type>@<name> refer to a published release of the type, and
moves it if it refers to another one. The name consists of a-z, 0-9 and -, and
starts with a letter. VERSION is an id, or an alias: the new alias refers to the
release that VERSION refers to now. The type may be omitted from ALIAS.`,
		Example: `  placard alias set place@pilot place@2026-10-19-beta --store /srv/placard
  placard alias set place@pilot place@latest --store /srv/placard --dry-run`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := flags.begin(cmd)
			if err != nil {
				return err
			}
			id, err := c.find(args[1])
			if err != nil {
				return err
			}
			name := args[0]
			if typ, rest, ok := strings.Cut(name, "@"); ok {
				if typ != id.Type {
					return problem.Failure("The alias %q has another type than %s.", problem.Clip(args[0]), id).
						Hint("Write %s@%s, or only %[2]s.", id.Type, problem.Clip(rest))
				}
				name = rest
			}
			result, err := c.store.SetAlias(cmd.Context(), c.intent, name, id)
			if err != nil {
				return c.refused(err)
			}
			if !result.Changed() && !c.asJSON {
				fmt.Fprintf(cmd.OutOrStdout(), "%-9s  %s@%s  %s\n", unchanged, id.Type, name, id)
			}
			return c.print(result)
		},
	}
	flags.add(cmd, "set an alias in")
	return cmd
}

func newAliasRemove() *cobra.Command {
	var flags changeFlags
	cmd := &cobra.Command{
		Use:   "remove ALIAS --store STORE",
		Short: "Remove an alias",
		Long: `Remove removes the alias <type>@<name>. The release it refers to is not affected.
The type may be omitted if only one type has an alias with the name.`,
		Example: `  placard alias remove place@pilot --store /srv/placard`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := flags.begin(cmd)
			if err != nil {
				return err
			}
			alias, err := c.findAlias(args[0])
			if err != nil {
				return err
			}
			result, err := c.store.RemoveAlias(cmd.Context(), c.intent, alias)
			if err != nil {
				return c.refused(err)
			}
			return c.print(result)
		},
	}
	flags.add(cmd, "remove an alias from")
	return cmd
}

// aliasEntry describes one alias in the output.
type aliasEntry struct {
	Alias  string      `json:"alias"`
	ID     taxonomy.ID `json:"id"`
	Pinned bool        `json:"pinned"` // set by a publisher, not computed
}

func newAliasList() *cobra.Command {
	var flags releaseFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the aliases",
		Long: `List prints all aliases with the releases that they refer to: those that were set,
and those that are computed. An alias of a retired release has no effect until
the release is restored. Without --source or --store, it lists the aliases of the
built-in releases.`,
		Example: `  placard alias list --store /srv/placard
  placard alias list --store /srv/placard --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			index, err := flags.index(cmd)
			if err != nil {
				return err
			}
			targets := catalog.Targets(withoutErrors(index))
			maps.Copy(targets, index.Pins)
			output := struct {
				OK      bool         `json:"ok"`
				Aliases []aliasEntry `json:"aliases"`
			}{OK: true}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "ALIAS\tRELEASE\tORIGIN")
			for _, alias := range slices.Sorted(maps.Keys(targets)) {
				_, pinned := index.Pins[alias]
				output.Aliases = append(output.Aliases, aliasEntry{alias, targets[alias], pinned})
				origin := "computed"
				if pinned {
					origin = "set"
				}
				if _, isRetired := index.FindRetired(targets[alias]); isRetired {
					origin += ", but the release is retired"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\n", alias, targets[alias], origin)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), output)
			}
			return w.Flush()
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// findAlias returns the pinned alias with the given name, which may lack the type.
func (c *change) findAlias(name string) (string, error) {
	if strings.Contains(name, "@") {
		return name, nil
	}
	index, err := c.store.Index(c.cmd.Context())
	if err != nil {
		return "", c.refused(err)
	}
	var found []string
	for alias := range index.Pins {
		if _, rest, _ := strings.Cut(alias, "@"); rest == name {
			found = append(found, alias)
		}
	}
	slices.Sort(found)
	switch len(found) {
	case 0:
		return name, nil // RemoveAlias says which aliases there are
	case 1:
		return found[0], nil
	}
	return "", problem.Failure("Several types have the alias %q.", name).Hint("Use %s.", problem.OneOf(found))
}

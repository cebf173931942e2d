package main

import (
	"context"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"placard/internal/core/taxonomy"
	"placard/internal/serve/query"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
)

// completer returns the values that a shell proposes for an argument. args are the
// arguments before it.
type completer func(cmd *cobra.Command, args []string) ([]cobra.Completion, cobra.ShellCompDirective)

// completers are the completers of arguments and flags, by their names in the usage
// line of the command and in the description of the flag. Nothing is proposed for
// other names.
var completers = map[string]completer{
	"VERSION":     completeVersions,
	"VERSION|DIR": completeVersionsOrFolders,
	"OLD":         completeVersionsOrFolders,
	"NEW":         completeVersionsOrFolders,
	"ALIAS":       completeAliases,
	"LOCALE":      completeLocales,
	"CODE":        completeCodes,
	"STORE":       shellCompletion(cobra.ShellCompDirectiveFilterDirs),
	"DIR":         shellCompletion(cobra.ShellCompDirectiveFilterDirs),
	"FILE":        shellCompletion(cobra.ShellCompDirectiveDefault),
}

// shellCompletion returns a completer that lets the shell complete names of files or
// folders.
func shellCompletion(directive cobra.ShellCompDirective) completer {
	return func(*cobra.Command, []string) ([]cobra.Completion, cobra.ShellCompDirective) { return nil, directive }
}

// addCompletion makes shells complete the arguments and flags of a command and its
// subcommands. A command need not do anything for it, except to use the names in
// [completers]. A flag whose type is a list of options, as that of [choice],
// completes to the options.
func addCompletion(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		addCompletion(sub)
	}
	if cmd.ValidArgsFunction == nil && cmd.Runnable() {
		names, words := argumentList(cmd.Use), cmd.ValidArgs
		cmd.ValidArgs = nil
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 0 && words != nil {
				return words, cobra.ShellCompDirectiveNoFileComp
			}
			position := len(args)
			if last := len(names) - 1; last >= 0 && strings.HasSuffix(names[last], "...") {
				position = min(position, last)
			}
			if position >= len(names) {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return complete(cmd, args, strings.Trim(names[position], "[]."))
		}
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name, _ := pflag.UnquoteUsage(f)
		if options := strings.Split(f.Value.Type(), "|"); len(options) > 1 {
			mustRegister(cmd, f, func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
				return options, cobra.ShellCompDirectiveNoFileComp
			})
		} else if f.Name != "out" { // a file or a folder, whatever its name is
			mustRegister(cmd, f, func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
				return complete(cmd, args, name)
			})
		}
	})
}

func mustRegister(cmd *cobra.Command, f *pflag.Flag, complete cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(f.Name, complete); err != nil {
		panic(err)
	}
}

// completionTimeout is the time that a shell waits for the server of a store.
const completionTimeout = 2 * time.Second

// complete returns the values for an argument or flag with the given name. It
// returns none if they cannot be determined: errors would spoil the command line.
func complete(cmd *cobra.Command, args []string, name string) ([]cobra.Completion, cobra.ShellCompDirective) {
	f := completers[name]
	if f == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	_ = setFromEnvironment(cmd, os.LookupEnv)
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTimeout)
	defer cancel()
	cmd.SetContext(ctx)
	return f(cmd, args)
}

// openForCompletion opens the store or the authoring tree named on the command line
// and reads its index. If that fails, the index is empty.
func openForCompletion(cmd *cobra.Command) (catalog.Store, *store.Index) {
	var f releaseFlags
	if source := cmd.Flags().Lookup("source"); source != nil {
		f.source = source.Value.String()
	}
	if flag := cmd.Flags().Lookup("store"); flag != nil {
		if f.store = flag.Value.String(); f.store == "" && isRequired(flag) {
			return nil, new(store.Index)
		}
	}
	s, err := f.openExisting(slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, new(store.Index)
	}
	index, err := s.Index(cmd.Context())
	if err != nil {
		return nil, new(store.Index)
	}
	return s, index
}

// completeVersions completes the ids and aliases of the releases in the store or
// tree named on the command line, newest first.
func completeVersions(cmd *cobra.Command, args []string) ([]cobra.Completion, cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	_, index := openForCompletion(cmd)
	// Only betas can be promoted, and releases are retired by their ids.
	suits := func(id taxonomy.ID) bool { return cmd.Name() != "promote" || id.Status == taxonomy.Beta }
	var versions []cobra.Completion
	for _, e := range slices.Backward(index.Releases) {
		if !suits(e.ID) {
			continue
		}
		description := ""
		if !e.PublishedAt.IsZero() {
			description = "published " + e.PublishedAt.Format(time.DateOnly)
		}
		versions = append(versions, cobra.CompletionWithDesc(e.ID.String(), description))
	}
	var retired []cobra.Completion
	for _, e := range slices.Backward(index.Retired) {
		retired = append(retired, cobra.CompletionWithDesc(e.ID.String(), "retired"))
	}
	switch cmd.Name() {
	case "restore":
		versions = append(retired, versions...)
	case "history":
		versions = append(versions, retired...)
	}
	var aliases []cobra.Completion
	for alias, id := range catalog.Targets(index) {
		// The id completes an alias that is only a date.
		if suits(id) && cmd.Name() != "retire" && !strings.HasPrefix(id.String(), alias+"-") {
			aliases = append(aliases, cobra.CompletionWithDesc(alias, "alias of "+id.String()))
		}
	}
	slices.Sort(aliases)
	return slices.DeleteFunc(append(versions, aliases...), func(completion string) bool {
		version, _, _ := strings.Cut(completion, "\t")
		return slices.Contains(args, version)
	}), directive
}

// completeVersionsOrFolders completes versions and, if none matches, file names.
func completeVersionsOrFolders(cmd *cobra.Command, args []string) ([]cobra.Completion, cobra.ShellCompDirective) {
	versions, _ := completeVersions(cmd, args)
	return versions, cobra.ShellCompDirectiveDefault | cobra.ShellCompDirectiveKeepOrder
}

// completeAliases completes the aliases set by publishers.
func completeAliases(cmd *cobra.Command, _ []string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var aliases []cobra.Completion
	_, index := openForCompletion(cmd)
	for alias, id := range index.Pins {
		aliases = append(aliases, cobra.CompletionWithDesc(alias, "alias of "+id.String()))
	}
	slices.Sort(aliases)
	return aliases, cobra.ShellCompDirectiveNoFileComp
}

func completeCodes(*cobra.Command, []string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var codes []cobra.Completion
	for _, c := range query.Codes() {
		codes = append(codes, cobra.CompletionWithDesc(string(c.Code), c.Title))
	}
	return codes, cobra.ShellCompDirectiveNoFileComp
}

// completeLocales completes the locales of the newest release.
func completeLocales(cmd *cobra.Command, _ []string) ([]cobra.Completion, cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	releases, index := openForCompletion(cmd)
	if len(index.Releases) == 0 {
		return nil, directive
	}
	r, err := releases.Load(cmd.Context(), index.Releases[len(index.Releases)-1])
	if err != nil {
		return nil, directive
	}
	return r.Manifest.Locales, directive
}

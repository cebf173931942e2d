package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"placard/internal/core/problem"
)

// checkArgs makes a command and its subcommands report a wrong number of arguments
// in Placard's own words.
func checkArgs(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		checkArgs(sub)
	}
	check := cmd.Args
	if check == nil {
		return
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if err == nil || errors.As(err, new(problem.Problem)) {
			return err
		}
		return describeArgs(cmd, args)
	}
}

// describeArgs returns the error for a wrong number of arguments.
func describeArgs(cmd *cobra.Command, args []string) error {
	names := cmp.Or(strings.Join(argumentList(cmd.Use), " "), "no arguments")
	return problem.Failure("%q takes %s, but got %s.", cmd.CommandPath(), names, problem.Count(len(args), "argument"))
}

// isRequired reports whether a command does not run without the flag.
func isRequired(f *pflag.Flag) bool { return f.Annotations[cobra.BashCompOneRequiredFlag] != nil }

// argumentList returns the names of the arguments in a usage line, as written there.
func argumentList(use string) []string {
	var names []string
	for _, word := range strings.Fields(use)[1:] {
		if strings.Contains(word, "--") || word == "[flags]" {
			break
		}
		names = append(names, word)
	}
	return names
}

// unknownCommand returns the error for a command that does not exist.
func unknownCommand(parent *cobra.Command, name string) error {
	if other := otherNames[name]; other != "" && !parent.HasParent() {
		return problem.Failure("There is no command %q.", name).Hint("Did you mean %q?", other)
	}
	hint := cmp.Or(problem.DidYouMean(name, commandNames(parent)), fmt.Sprintf("%q lists the commands.", helpCommand(parent)))
	return problem.Failure("There is no command %q.", problem.Clip(strings.TrimPrefix(parent.CommandPath()+" "+name, parent.Root().Name()+" "))).
		Hint("%s", hint)
}

// describeFlag returns an error of pflag in Placard's own words.
func describeFlag(cmd *cobra.Command, err error) error {
	if args := cmd.Flags().Args(); !cmd.HasParent() && len(args) > 0 {
		return unknownCommand(cmd, args[0]) // whose flags are unknown as well
	}
	var notExist *pflag.NotExistError
	var noValue *pflag.ValueRequiredError
	var badValue *pflag.InvalidValueError
	var badSyntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &notExist):
		flag := "--" + notExist.GetSpecifiedName()
		if notExist.GetSpecifiedShortnames() != "" {
			flag = "-" + notExist.GetSpecifiedName()
		}
		return problem.Failure("%q has no flag %s.", cmd.CommandPath(), problem.Clip(flag)).Hint("%s", problem.DidYouMean(flag, flagNames(cmd)))
	case errors.As(err, &noValue):
		return problem.Failure("The flag --%s needs a value.", noValue.GetFlag().Name)
	case errors.As(err, &badValue):
		return prefixed("--"+badValue.GetFlag().Name, valueError(badValue.GetFlag().Value, badValue.GetValue(), badValue.Unwrap()))
	case errors.As(err, &badSyntax):
		return problem.Failure("%q is not a flag.", problem.Clip(badSyntax.GetSpecifiedFlag())).Hint("Write --name or --name=value.")
	}
	return err
}

// checkFlags returns an error if a required flag is not set, or flags are set that
// exclude each other. Cobra would check the same later, with other messages.
func checkFlags(cmd *cobra.Command) error {
	var err error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if isRequired(f) && !f.Changed {
			err = problem.Failure("%q needs --%s.", cmd.CommandPath(), f.Name)
		}
		for _, other := range exclusiveFlags(f) {
			if f.Changed && f.Name < other && cmd.Flags().Changed(other) {
				err = problem.Failure("--%s and --%s cannot be used together.", f.Name, other).
					Hint("Use only one of them, on the command line or in the environment.")
			}
		}
	})
	return err
}

// printUsageHint prints the usage line of a command and how to get more help.
func printUsageHint(w io.Writer, cmd *cobra.Command) {
	fmt.Fprintf(w, "Usage: %s\nRun %q for details.\n", cmd.UseLine(), helpCommand(cmd))
}

// helpCommand returns the command that prints the help text of cmd.
func helpCommand(cmd *cobra.Command) string {
	if cmd.Name() == "help" {
		return cmd.CommandPath()
	}
	return strings.Replace(cmd.CommandPath(), "placard", "placard help", 1)
}

// valueError returns the error for an invalid value of a flag. The flags that
// pflag itself implements quote Go functions in their errors.
func valueError(value pflag.Value, text string, err error) error {
	if errors.Is(err, strconv.ErrRange) {
		return problem.Failure("%q is out of range.", text)
	}
	switch value.Type() {
	case "bool":
		return problem.Failure("%q is neither true nor false.", text)
	case "duration":
		return problem.Failure("%q is not a duration", text).Hint("Use the form 500ms, 10s or 2m.")
	case "int":
		return problem.Failure("%q is not a whole number.", text)
	}
	return err
}

// otherNames maps names that commands have in other programs. The spelling of some is
// close to that of a command with the opposite effect.
var otherNames = map[string]string{
	"init": "new", "create": "new", "start": "new", "lint": "check", "compare": "diff", "preview": "serve",
	"unpublish": "retire", "withdraw": "retire", "delete": "retire", "remove": "retire", "rm": "retire",
	"unretire": "restore", "rollback": "restore", "revert": "restore",
	"log": "history", "fsck": "verify", "gc": "prune", "migrate": "upgrade", "update": "upgrade",
}

func flagNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return names
}

func commandNames(parent *cobra.Command) []string {
	var names []string
	for _, cmd := range parent.Commands() {
		names = append(names, cmd.Name())
	}
	slices.Sort(names)
	return names
}

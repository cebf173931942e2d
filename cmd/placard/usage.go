package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"placard/internal/problem"
	"placard/internal/taxonomy"
)

// usageError is an invalid command line. The hint may be empty.
type usageError struct{ message, hint string }

func (e usageError) Error() string { return e.message }

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
		if err == nil || errors.As(err, new(usageError)) {
			return err
		}
		switch wanted := argumentNames(cmd.Use); {
		case wanted == "" && len(args) > 0:
			return usageError{message: fmt.Sprintf("%q takes no arguments, but %q was given.", cmd.CommandPath(), problem.Clip(args[0]))}
		case len(args) == 0:
			return usageError{message: fmt.Sprintf("%q needs an argument: %s.", cmd.CommandPath(), wanted)}
		default:
			noun, verb := "argument", "were"
			if strings.Contains(wanted, " ") {
				noun = "arguments"
			}
			if len(args) == 1 {
				verb = "was"
			}
			return usageError{message: fmt.Sprintf("%q takes the %s %s, but %s %s given.", cmd.CommandPath(), noun, wanted, problem.Count(len(args), "argument"), verb)}
		}
	}
}

// argumentNames returns the part of a usage line that names the arguments of the
// command, without its flags and without an ellipsis.
func argumentNames(use string) string {
	names := argumentList(use)
	for i := range names {
		names[i] = strings.TrimSuffix(names[i], "...")
	}
	return strings.Join(names, " ")
}

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

var (
	unknownCommand = regexp.MustCompile(`^unknown command ("(?:[^"\\]|\\.)*") for`)
	missingFlags   = regexp.MustCompile(`^required flag\(s\) (.*) not set$`)
	exclusiveGroup = regexp.MustCompile(`^if any flags in the group .* none of the others can be; \[(.*)\] were all set$`)
	requiredGroup  = regexp.MustCompile(`^if any flags in the group .* must all be set; missing \[(.*)\]$`)
	oneOfGroup     = regexp.MustCompile(`^at least one of the flags in the group \[(.*)\] is required$`)
)

// describeUsage returns a message and a hint for an error that cobra or pflag
// reports for a command line. The hint may be empty.
func describeUsage(cmd *cobra.Command, err error) (message, hint string) {
	var notExist *pflag.NotExistError
	var noValue *pflag.ValueRequiredError
	var badValue *pflag.InvalidValueError
	var badSyntax *pflag.InvalidSyntaxError
	var usage usageError
	text := err.Error()
	switch {
	case errors.As(err, &usage):
		return text, usage.hint
	case errors.As(err, &notExist):
		flag := "--" + notExist.GetSpecifiedName()
		if notExist.GetSpecifiedShortnames() != "" {
			flag = "-" + notExist.GetSpecifiedName()
		}
		return fmt.Sprintf("%q has no flag %s.", cmd.CommandPath(), problem.Clip(flag)), suggestFlag(cmd, flag)
	case errors.As(err, &noValue):
		return fmt.Sprintf("The flag --%s needs a value.", noValue.GetFlag().Name), "Write " + flagWithValue(cmd, noValue.GetFlag()) + "."
	case errors.As(err, &badValue):
		return fmt.Sprintf("--%s: %v.", badValue.GetFlag().Name, valueError(badValue.GetFlag().Value, badValue.GetValue(), badValue.Unwrap())), ""
	case errors.As(err, &badSyntax):
		return fmt.Sprintf("%q is not a flag.", problem.Clip(badSyntax.GetSpecifiedFlag())), "Write --name or --name=value."
	}
	if m := unknownCommand.FindStringSubmatch(text); m != nil {
		if name, err := strconv.Unquote(m[1]); err == nil {
			known := commandNames(cmd.Root())
			if other := otherNames[name]; other != "" {
				return fmt.Sprintf("There is no command %q.", name), fmt.Sprintf("Did you mean %q?", other)
			}
			return fmt.Sprintf("There is no command %q.", problem.Clip(name)), cmp.Or(problem.DidYouMean(name, known), "The commands are "+problem.AllOf(known)+".")
		}
	}
	if m := missingFlags.FindStringSubmatch(text); m != nil {
		var flags, values []string
		for quoted := range strings.SplitSeq(m[1], ", ") {
			name := strings.Trim(quoted, `"`)
			flags = append(flags, "--"+name)
			values = append(values, flagWithValue(cmd, cmd.Flags().Lookup(name)))
		}
		return fmt.Sprintf("%q needs %s.", cmd.CommandPath(), problem.AllOf(flags)), "Add " + strings.Join(values, " ") + "."
	}
	if m := exclusiveGroup.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("%s cannot be used together.", problem.AllOf(dashed(m[1]))), "Use only one of them."
	}
	if m := requiredGroup.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("%s must be set as well.", problem.AllOf(dashed(m[1]))), ""
	}
	if m := oneOfGroup.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("%q needs %s.", cmd.CommandPath(), problem.OneOf(dashed(m[1]))), ""
	}
	return text, ""
}

// printUsageHint prints the usage line of a command and how to get more help.
func printUsageHint(w io.Writer, cmd *cobra.Command) {
	line, help := cmd.UseLine(), "placard help"
	switch {
	case !cmd.HasParent():
		line = cmd.Name() + " COMMAND [flags]"
	case cmd.Name() != "help":
		help += strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name())
	}
	fmt.Fprintf(w, "Usage: %s\nRun %q for details.\n", line, help)
}

// valueError returns the error for an invalid value of a flag. The flags that
// pflag itself implements quote Go functions in their errors.
func valueError(value pflag.Value, text string, err error) error {
	if errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("%q is out of range", text)
	}
	switch value.Type() {
	case "bool":
		return fmt.Errorf("%q is neither true nor false", text)
	case "duration":
		return fmt.Errorf("%q is not a duration; use the form 500ms, 10s or 2m", text)
	case "int":
		return fmt.Errorf("%q is not a whole number", text)
	}
	return err
}

// flagWithValue returns a flag with a placeholder for its value, as in --store DIR.
func flagWithValue(cmd *cobra.Command, f *pflag.Flag) string {
	flag := "--" + f.Name
	if _, after, ok := strings.Cut(cmd.Use, flag+" "); ok {
		return flag + " " + strings.TrimRight(strings.Fields(after)[0], "]")
	}
	name, _ := pflag.UnquoteUsage(f)
	return flag + " " + name
}

// otherNames maps names that commands have in other programs. The spelling of some is
// close to that of a command with the opposite effect.
var otherNames = map[string]string{
	"init": "new", "create": "new", "start": "new", "lint": "check", "compare": "diff", "preview": "serve",
	"unpublish": "retire", "withdraw": "retire", "delete": "retire", "remove": "retire", "rm": "retire",
	"unretire": "restore", "rollback": "restore", "revert": "restore", "undo": "restore",
	"log": "history", "fsck": "verify", "gc": "prune", "migrate": "upgrade", "update": "upgrade",
}

// parseVersion parses the id or alias of a release in a command line.
func parseVersion(text string) (taxonomy.Ref, error) {
	ref, err := taxonomy.ParseRef(text)
	if err == nil {
		return ref, nil
	}
	typeID, _, _ := strings.Cut(text, "@")
	if !taxonomy.IsWord(typeID) {
		typeID = "place"
	}
	return ref, usageError{
		fmt.Sprintf("%v.", err),
		fmt.Sprintf(`Write an id, such as %s@2026-06-01-stable, or an alias, such as %[1]s@latest. "placard list" lists both.`, problem.Clip(typeID)),
	}
}

// addressWords are flags of other programs for the address to listen on.
var addressWords = []string{"--port", "--host", "--listen", "--bind", "--address", "-p"}

// suggestFlag returns a hint for an unknown flag, or the empty string.
func suggestFlag(cmd *cobra.Command, flag string) string {
	if addr := cmd.Flags().Lookup("addr"); addr != nil && slices.Contains(addressWords, flag) {
		return "Use " + flagWithValue(cmd, addr) + ", such as --addr 127.0.0.1:9000."
	}
	return problem.DidYouMean(flag, flagNames(cmd))
}

func flagNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return names
}

func commandNames(root *cobra.Command) []string {
	var names []string
	for _, cmd := range root.Commands() {
		names = append(names, cmd.Name())
	}
	slices.Sort(names)
	return names
}

func dashed(names string) []string {
	var flags []string
	for name := range strings.FieldsSeq(names) {
		flags = append(flags, "--"+name)
	}
	return flags
}

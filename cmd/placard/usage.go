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

	"placard/internal/core/problem"
	"placard/internal/storage/store"
)

// hintedError is an error in Placard's own words: a sentence that says what is wrong,
// and a hint that says what to do, which may be empty.
type hintedError struct{ message, hint string }

// hinted returns a [hintedError] with a formatted message.
func hinted(hint, format string, args ...any) error {
	return hintedError{fmt.Sprintf(format, args...), hint}
}

func (e hintedError) Error() string { return e.message }

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
		if err == nil || errors.As(err, new(hintedError)) {
			return err
		}
		return describeArgs(cmd, args)
	}
}

// describeArgs returns the error for a wrong number of arguments.
func describeArgs(cmd *cobra.Command, args []string) error {
	names := argumentList(cmd.Use)
	var required []string
	for i, name := range names {
		names[i] = strings.TrimSuffix(name, "...")
		if !strings.HasPrefix(name, "[") {
			required = append(required, names[i])
		}
	}
	switch {
	case len(args) < len(required) && len(required) == 1:
		return hinted("", "%q needs an argument: %s.", cmd.CommandPath(), required[0])
	case len(args) == 0:
		return hinted("", "%q needs %d arguments: %s.", cmd.CommandPath(), len(required), problem.AllOf(required))
	case len(args) < len(required):
		return hinted("", "%q needs %d arguments, %s, but only %q was given.", cmd.CommandPath(), len(required), problem.AllOf(required), problem.Clip(args[0]))
	case len(names) == 0:
		return hinted(suggestFolderFlag(cmd, args[0]), "%q takes no arguments, but %q was given.", cmd.CommandPath(), problem.Clip(args[0]))
	case len(names) == 1:
		return hinted(suggestFolderFlag(cmd, args[1]), "%q takes the argument %s, but %d arguments were given.", cmd.CommandPath(), names[0], len(args))
	}
	return hinted(suggestFolderFlag(cmd, args[len(names)]), "%q takes the arguments %s, but %d were given.", cmd.CommandPath(), problem.AllOf(names), len(args))
}

// suggestFolderFlag returns a hint for an argument that is probably the value of
// --store or --source, or the empty string.
func suggestFolderFlag(cmd *cobra.Command, arg string) string {
	missing := func(name string) bool {
		f := cmd.Flags().Lookup(name)
		return f != nil && !f.Changed
	}
	flag := ""
	switch {
	case missing("store") && store.IsFolder(arg):
		flag = "--store"
	case missing("source") && isTree(arg):
		flag = "--source"
	case missing("store") && isRequired(cmd.Flags().Lookup("store")) && !isTree(arg):
		flag = "--store"
	default:
		return ""
	}
	return fmt.Sprintf("Did you mean %s %s?", flag, shellWord(problem.Clip(arg)))
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
	var own hintedError
	text := err.Error()
	switch {
	case errors.As(err, &notExist):
		flag := "--" + notExist.GetSpecifiedName()
		if notExist.GetSpecifiedShortnames() != "" {
			flag = "-" + notExist.GetSpecifiedName()
		}
		return fmt.Sprintf("%q has no flag %s.", cmd.CommandPath(), problem.Clip(flag)), suggestFlag(cmd, flag)
	case errors.As(err, &noValue):
		return fmt.Sprintf("The flag --%s needs a value.", noValue.GetFlag().Name), "Write " + flagWithValue(cmd, noValue.GetFlag()) + "."
	case errors.As(err, &badValue):
		message, hint := describeError(valueError(badValue.GetFlag().Value, badValue.GetValue(), badValue.Unwrap()))
		return "--" + badValue.GetFlag().Name + ": " + message, hint
	case errors.As(err, &badSyntax):
		return fmt.Sprintf("%q is not a flag.", problem.Clip(badSyntax.GetSpecifiedFlag())), "Write --name or --name=value."
	case errors.As(err, &own):
		return text, own.hint
	}
	if m := unknownCommand.FindStringSubmatch(text); m != nil {
		if name, err := strconv.Unquote(m[1]); err == nil {
			known := commandNames(cmd.Root())
			if other := otherNames[name]; other != "" {
				return fmt.Sprintf("There is no command %q.", name), fmt.Sprintf("Did you mean %q?", other)
			}
			return fmt.Sprintf("There is no command %q.", problem.Clip(name)), cmp.Or(problem.DidYouMean(name, known), `"placard help" lists the commands.`)
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
		return describeExclusive(cmd, strings.Fields(m[1]))
	}
	if m := requiredGroup.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("%s must be set as well.", problem.AllOf(dashed(m[1]))), ""
	}
	if m := oneOfGroup.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("%q needs %s.", cmd.CommandPath(), problem.OneOf(dashed(m[1]))), ""
	}
	return describeError(err)
}

// describeExclusive returns a message and a hint for flags that exclude each other.
// If one of them is on the command line, none of the others is set from the
// environment.
func describeExclusive(cmd *cobra.Command, names []string) (message, hint string) {
	var flags, variables []string
	for _, name := range names {
		flags = append(flags, "--"+name)
		if f := cmd.Flags().Lookup(name); f != nil && f.Annotations[environmentAnnotation] != nil {
			variables = append(variables, envName(name))
		}
	}
	if len(variables) == 0 {
		return problem.AllOf(flags) + " cannot be used together.", "Use only one of them."
	}
	return fmt.Sprintf("The environment sets %s, which cannot be used together.", problem.AllOf(variables)),
		fmt.Sprintf("Unset one of the variables, or use %s on the command line.", problem.OneOf(flags))
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
		return hinted("Use the form 500ms, 10s or 2m.", "%q is not a duration", text)
	case "int":
		return fmt.Errorf("%q is not a whole number", text)
	}
	return err
}

// flagWithValue returns a flag with a placeholder for its value, as in --store STORE.
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
	"unretire": "restore", "rollback": "restore", "revert": "restore",
	"log": "history", "fsck": "verify", "gc": "prune", "migrate": "upgrade", "update": "upgrade",
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

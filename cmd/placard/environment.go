package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"placard/internal/core/problem"
)

// envPrefix is the prefix of the environment variables for flags.
const envPrefix = "PLACARD_"

// envName returns the environment variable for a flag.
func envName(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// setFromEnvironment sets the flags of a command that are not on the command
// line from environment variables. Empty variables are ignored.
func setFromEnvironment(cmd *cobra.Command, lookup func(string) (string, bool)) error {
	// A variable must not conflict with a flag on the command line.
	onCommandLine := make(map[string]bool)
	cmd.Flags().Visit(func(f *pflag.Flag) { onCommandLine[f.Name] = true })
	var errs []error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name := envName(f.Name)
		value, ok := lookup(name)
		if !ok || value == "" || f.Name == "help" || slices.ContainsFunc(exclusiveFlags(f), func(other string) bool { return onCommandLine[other] }) {
			return
		}
		if err := cmd.Flags().Set(f.Name, value); err != nil {
			errs = append(errs, prefixed(name, valueError(f.Value, value, errors.Unwrap(err))))
			return
		}
		if s := settingOf(cmd, f.Name); s != nil {
			s.origin = name
		}
	})
	return errors.Join(errs...)
}

// serviceVariable matches the variables, without the prefix, that Kubernetes sets for a
// service whose name begins with placard.
var serviceVariable = regexp.MustCompile(`^(.*_)?(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\d+_[A-Z]+(_[A-Z]+)?)?)$`)

// foreignVariables are variables, without the prefix, that other programs of this project
// use: the load balancer in deploy, and tests.
var foreignVariables = []string{"LISTEN", "NODE_A", "NODE_B", "NODE_C", "SUBNET", "REAL_TREE", "REQUIRE_ALL"}

// warnAboutVariables logs a warning for each variable in environ, a list as that of
// [os.Environ], that has the prefix of settings but is none of any command.
func warnAboutVariables(root *cobra.Command, environ []string, log *slog.Logger) {
	var known []string
	for _, cmd := range root.Commands() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, strings.TrimPrefix(envName(f.Name), envPrefix)) })
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, variable := range slices.Sorted(slices.Values(environ)) {
		name, _, _ := strings.Cut(variable, "=")
		setting, ok := strings.CutPrefix(name, envPrefix)
		if !ok || slices.Contains(known, setting) || slices.Contains(foreignVariables, setting) ||
			strings.HasPrefix(setting, "TEST_") || serviceVariable.MatchString(setting) {
			continue
		}
		attrs := []any{"variable", problem.Clip(name)}
		if similar := problem.Nearest(setting, known, 1); len(similar) > 0 {
			attrs = append(attrs, "did_you_mean", envPrefix+similar[0])
		}
		log.Warn("an environment variable is not a setting and has no effect", attrs...)
	}
}

// exclusiveFlags returns the names of a flag and of all flags that exclude it.
func exclusiveFlags(f *pflag.Flag) []string {
	names := []string{f.Name}
	for _, group := range f.Annotations["cobra_annotation_mutually_exclusive"] {
		names = append(names, strings.Fields(group)...)
	}
	return names
}

// setting is a flag value that records its origin and its error, so that all
// invalid settings can be reported together.
type setting struct {
	pflag.Value
	origin       string // the flag or variable that set it
	defaultValue string
	err          error
}

func (s *setting) Set(text string) error {
	if s.err = s.Value.Set(text); s.err != nil {
		s.err = valueError(s.Value, text, s.err)
		// Later checks see the default, and report nothing more.
		_ = s.Value.Set(s.defaultValue)
	}
	return nil
}

// wrapSettings makes the value of every flag of a command a setting.
func wrapSettings(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		f.Value = &setting{Value: f.Value, origin: "--" + f.Name, defaultValue: f.DefValue}
	})
}

// settingOf returns the value of a flag, or nil if it is not a setting.
func settingOf(cmd *cobra.Command, flag string) *setting {
	s, _ := cmd.Flags().Lookup(flag).Value.(*setting)
	return s
}

// settingErrors returns the errors of all settings of a command.
func settingErrors(cmd *cobra.Command) []error {
	var errs []error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if s := settingOf(cmd, f.Name); s != nil && s.err != nil {
			errs = append(errs, prefixed(s.origin, s.err))
		}
	})
	return errs
}

// joinSettingErrors returns one error that lists all of errs, or nil if there
// are none.
func joinSettingErrors(errs []error) error {
	if len(errs) <= 1 {
		return errors.Join(errs...)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%d settings are invalid:", len(errs))
	for _, err := range errs {
		p := problemOf(err)
		text.WriteString("\n  " + strings.TrimSpace(withPeriod(p.Message)+" "+p.FixHint))
	}
	return errors.New(text.String())
}

// printConfig prints every flag with its value and origin.
func printConfig(w io.Writer, cmd *cobra.Command) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "FLAG\tVALUE\tFROM")
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		s := settingOf(cmd, f.Name)
		if s == nil || f.Name == "print-config" {
			return
		}
		origin := "default"
		if f.Changed {
			origin = s.origin
		}
		value := f.Value.String()
		if value == "" {
			value = `""`
		}
		fmt.Fprintf(table, "--%s\t%s\t%s\n", f.Name, value, origin)
	})
	return table.Flush()
}

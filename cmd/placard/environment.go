package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// variable returns the environment variable that stands for a flag.
func variable(flag string) string {
	return "PLACARD_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fromEnvironment gives a command's flags that the command line does not set
// the values that the environment has for them. An empty variable is none.
func fromEnvironment(cmd *cobra.Command, lookup func(string) (string, bool)) error {
	// A variable must not contradict the command line, only fill it up.
	given := make(map[string]bool)
	cmd.Flags().Visit(func(f *pflag.Flag) { given[f.Name] = true })
	var faults []error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name := variable(f.Name)
		value, ok := lookup(name)
		if !ok || value == "" || f.Name == "help" || slices.ContainsFunc(alternatives(f), func(other string) bool { return given[other] }) {
			return
		}
		if err := cmd.Flags().Set(f.Name, value); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", name, err))
			return
		}
		if s := settingOf(cmd, f.Name); s != nil {
			s.from = name
		}
	})
	return errors.Join(faults...)
}

// alternatives returns a flag and those that cannot be given beside it.
func alternatives(f *pflag.Flag) []string {
	names := []string{f.Name}
	for _, group := range f.Annotations["cobra_annotation_mutually_exclusive"] {
		names = append(names, strings.Fields(group)...)
	}
	return names
}

// setting is the value of a flag that remembers where it came from, and keeps
// what is wrong with it until all faults can be told together.
type setting struct {
	pflag.Value
	from     string // the flag or variable that set it
	fallback string
	fault    error
}

func (s *setting) Set(text string) error {
	if s.fault = s.Value.Set(text); s.fault != nil {
		// One fault is enough: what else is checked sees the default.
		_ = s.Value.Set(s.fallback)
	}
	return nil
}

// collectFaults makes settings of all flags of a command.
func collectFaults(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Value = &setting{Value: f.Value, from: "--" + f.Name, fallback: f.DefValue} })
}

// settingOf returns a flag's setting, nil where it is none.
func settingOf(cmd *cobra.Command, flag string) *setting {
	s, _ := cmd.Flags().Lookup(flag).Value.(*setting)
	return s
}

// faultySettings returns what is wrong with each setting of a command.
func faultySettings(cmd *cobra.Command) []error {
	var faults []error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if s := settingOf(cmd, f.Name); s != nil && s.fault != nil {
			faults = append(faults, fmt.Errorf("%s: %w", s.from, s.fault))
		}
	})
	return faults
}

// together returns one error that tells all of several, nil for none.
func together(faults []error) error {
	if len(faults) <= 1 {
		return errors.Join(faults...)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%d settings are wrong", len(faults))
	for _, fault := range faults {
		fmt.Fprintf(&text, "\n  %v", fault)
	}
	return errors.New(text.String())
}

// printConfig prints every flag with its value and where that came from.
func printConfig(w io.Writer, cmd *cobra.Command) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "FLAG\tVALUE\tFROM")
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		s := settingOf(cmd, f.Name)
		if s == nil || f.Name == "print-config" {
			return
		}
		from := "default"
		if f.Changed {
			from = s.from
		}
		value := f.Value.String()
		if value == "" {
			value = `""`
		}
		fmt.Fprintf(table, "--%s\t%s\t%s\n", f.Name, value, from)
	})
	return table.Flush()
}

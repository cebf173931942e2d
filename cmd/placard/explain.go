package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"placard/internal/core/problem"
	"placard/internal/serve/query"
)

func newExplain() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain [CODE]",
		Short: "Explain the code of a finding or error",
		Long: `Explain prints the meaning of a code, the reason for its rule and an example
that violates no other rule. Without a code, it lists all codes.`,
		Example: `  placard explain REQUIRED_CATEGORY_MISSING
  placard explain
  placard explain --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				if asJSON {
					return printJSON(cmd.OutOrStdout(), explanations(query.Codes()...))
				}
				return listCodes(cmd.OutOrStdout())
			}
			c, ok := findCode(args[0])
			if !ok {
				return problem.Failure("There is no code %q.", problem.Clip(args[0])).
					Hint("%s", cmp.Or(problem.DidYouMean(args[0], codeNames()), `Run "placard explain" for a list.`))
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), explanations(c))
			}
			printCode(cmd.OutOrStdout(), c)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// findCode finds a code as people copy it from a finding: in any case, and possibly
// in brackets.
func findCode(name string) (query.Code, bool) {
	name = strings.Trim(name, "[]")
	names := codeNames()
	if i := slices.IndexFunc(names, func(code string) bool { return strings.EqualFold(code, name) }); i >= 0 {
		name = names[i]
	}
	return query.FindCode(problem.Code(name))
}

// explanation is a code in the JSON output. Its fields are those of GET
// /api/v2/codes, and an example.
type explanation struct {
	Code     problem.Code     `json:"code"`
	Severity problem.Severity `json:"severity"`
	ErrorIf  string           `json:"error_if,omitzero"`
	Meaning  string           `json:"meaning"`
	Why      string           `json:"why"`
	RaisedBy []string         `json:"raised_by"`
	Example  string           `json:"example,omitzero"`
}

// explainJSON is the output of explain with --json.
type explainJSON struct {
	OK    bool          `json:"ok"`
	Codes []explanation `json:"codes"`
}

func explanations(codes ...query.Code) explainJSON {
	all := make([]explanation, len(codes))
	for i, c := range codes {
		all[i] = explanation{c.Code, c.Severity, c.ErrorIf, c.Title, c.Why, c.RaisedBy, validText(c.Example)}
	}
	return explainJSON{true, all}
}

func codeNames() []string {
	var names []string
	for _, c := range query.Codes() {
		names = append(names, string(c.Code))
	}
	return names
}

func listCodes(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range query.Codes() {
		fmt.Fprintf(tw, "%s\t%s\t%s\n", c.Code, c.Severity, c.Title)
	}
	return tw.Flush()
}

func printCode(w io.Writer, c query.Code) {
	fmt.Fprintf(w, "%s (%s)\n\n%s\n\n%s\n\nRaised by: %s.\n", c.Code, c.Severities(), c.Title, c.Why, strings.Join(c.RaisedBy, ", "))
	if c.Example != "" {
		fmt.Fprintf(w, "\nAn example that violates only this rule:\n\n%s\n", indent(validText(c.Example)))
	}
}

// validText marks the bytes of an example that are not valid UTF-8.
func validText(example string) string { return strings.ToValidUTF8(example, "\uFFFD") }

func indent(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n    ")
}

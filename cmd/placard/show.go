package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/query"
)

func newShow() *cobra.Command {
	var flags releaseFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show VERSION [ELEMENT]",
		Short: "Show the contents of a release, or one of its elements",
		Long: `Show prints the locales, subchains, categories and elements of a release, and how
many placements each category needs. With an element, it prints the values that a
placement of it takes. VERSION is an id or an alias. Without --source or --store, the built-in releases are used.`,
		Example: `  placard show place@latest
  placard show place@latest video_camera
  placard show place@latest --store /srv/placard --json`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			rs, r, err := flags.loadRelease(cmd, "", args[0])
			if err != nil {
				return err
			}
			rs.against = args[0]
			out := cmd.OutOrStdout()
			if len(args) == 1 {
				if asJSON {
					return printJSON(out, releaseJSON(r))
				}
				return showRelease(out, r)
			}
			n, err := query.Element(r, args[1])
			if err != nil {
				return rs.failure(err)
			}
			if asJSON {
				return printJSON(out, jsontext.Value(append(query.AppendElement([]byte(`{"ok":true,"element":`), r, n, nil, nil), '}')))
			}
			return showElement(out, r, &r.Taxonomy.Elements[n])
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// isVersion reports whether s has the form of an id or an alias.
func isVersion(s string) bool {
	_, err := taxonomy.ParseRef(s)
	return err == nil
}

// releaseJSON returns the JSON of a release, with the records of REST responses.
func releaseJSON(r *release.Release) jsontext.Value {
	b := append([]byte(`{"ok":true,"manifest":`), r.ManifestJSON...)
	b = append(append(b, `,"datachain_type":`...), r.TypeJSON...)
	b = query.AppendCategories(append(b, `,"categories":`...), r, nil)
	b = append(b, `,"elements":[`...)
	for n := range r.Elements {
		if n > 0 {
			b = append(b, ',')
		}
		b = query.AppendElement(b, r, n, nil, nil)
	}
	return append(b, `]}`...)
}

func showRelease(out io.Writer, r *release.Release) error {
	fmt.Fprintf(out, "%s: %s\n", r.Name(), text(r, r.Taxonomy.Title))
	fmt.Fprintf(out, "Locales: %s\n", strings.Join(r.Manifest.Locales, ", "))
	if subchains := r.Taxonomy.Type.Subchains; len(subchains) > 0 {
		fmt.Fprintf(out, "Subchains: %s\n", ids(subchains, func(s *taxonomy.Subchain) string { return s.ID }))
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "CATEGORY\tPLACEMENTS\tQUESTION")
	for i := range r.Taxonomy.Categories {
		c := &r.Taxonomy.Categories[i]
		fmt.Fprintf(w, "%s\t%s\t%s\n", c.ID, placements(c), text(r, c.Prompt))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	fmt.Fprintln(w, "CATEGORY\tELEMENT\tTITLE")
	for i := range r.Taxonomy.Elements {
		e := &r.Taxonomy.Elements[i]
		fmt.Fprintf(w, "%s\t%s\t%s\n", e.CategoryID, e.ID, text(r, e.Title))
	}
	return w.Flush()
}

// placements says how many placements of its elements a category needs and allows.
func placements(c *taxonomy.Category) string {
	least := c.MinElements
	if c.Required {
		least = max(least, 1)
	}
	switch {
	case c.MaxElements == 0 && least == 0:
		return "any number"
	case c.MaxElements == 0:
		return fmt.Sprintf("at least %d", least)
	case least == 0:
		return fmt.Sprintf("at most %d", c.MaxElements)
	case least == c.MaxElements:
		return fmt.Sprintf("exactly %d", least)
	}
	return fmt.Sprintf("%d to %d", least, c.MaxElements)
}

func showElement(out io.Writer, r *release.Release, e *taxonomy.Element) error {
	fmt.Fprintf(out, "%s: %s\n%s\n\n", e.ID, text(r, e.Title), text(r, e.Description))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "category\t%s\n", e.CategoryID)
	for i := range r.Taxonomy.Categories {
		if c := &r.Taxonomy.Categories[i]; c.ID == e.CategoryID && e.EffectiveContext(c) != nil {
			fmt.Fprintf(w, "context_type_id\t%s\n", ids(e.EffectiveContext(c).Values, func(v *taxonomy.ContextValue) string { return v.ID }))
		}
	}
	fmt.Fprintf(w, "icon variants\t%s\n", strings.Join(e.IconVariants, ", "))
	for i := range e.Variables {
		v := &e.Variables[i]
		need := "optional"
		if v.Required {
			need = "required"
		}
		description := fmt.Sprintf("%s, %s", need, v.Kind.ValueNoun())
		if len(v.Options) > 0 {
			description += ": " + ids(v.Options, func(o *taxonomy.Option) string { return o.ID })
		}
		fmt.Fprintf(w, "variable %s\t%s (%s)\n", v.ID, text(r, v.Label), description)
	}
	return w.Flush()
}

// text returns a text in the default locale of r.
func text(r *release.Release, l taxonomy.Localized) string {
	value, _ := l.Get(r.DefaultLocale())
	return printable(value)
}

// ids joins the ids of items with commas.
func ids[T any](items []T, id func(*T) string) string {
	all := make([]string, len(items))
	for i := range items {
		all[i] = id(&items[i])
	}
	return strings.Join(all, ", ")
}

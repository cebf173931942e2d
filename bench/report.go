package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// report contains all results.
type report struct {
	Machine string       `json:"machine"`
	Routes  []result     `json:"routes"`
	Sizes   []sizeResult `json:"sizes,omitzero"`
	Targets []target     `json:"targets,omitzero"`
}

// result is the result of one route.
type result struct {
	Route       string    `json:"route"`
	Taxonomy    string    `json:"taxonomy"`
	Body        int       `json:"body"`    // size of the first response in bytes
	Placard     []float64 `json:"placard"` // CPU time per request in microseconds, one per round
	Bare        []float64 `json:"bare"`
	Ratios      []float64 `json:"ratios"`      // of the two, one per round
	Allocations float64   `json:"allocations"` // per request, beyond those of the bare handler
}

// target is a limit for a value.
type target struct {
	Name  string  `json:"name"`
	Route string  `json:"route,omitzero"` // the route to measure again if it is missed
	Value float64 `json:"value"`
	Limit float64 `json:"limit"`
}

func (t target) met() bool { return t.Value <= t.Limit }

// sizeTargets are the limits of values in [sizeResult].
var sizeTargets = map[string]float64{
	builtinTaxonomy + ": start ms":       60,
	builtinTaxonomy + ": start MiB":      48,
	generatedTaxonomy + ": build ms":     3000,
	generatedTaxonomy + ": start CPU ms": 1000,
	generatedTaxonomy + ": start MiB":    350,
}

// evaluate compares all results with the targets.
func (r *report) evaluate() {
	r.Targets = nil
	add := func(name, route string, value, limit float64) {
		if limit > 0 {
			r.Targets = append(r.Targets, target{name, route, value, limit})
		}
	}
	for _, result := range r.Routes {
		row := routes[slices.IndexFunc(routes, func(row route) bool { return row.name == result.Route })]
		add(result.target("CPU ratio"), row.name, median(result.Ratios), row.cpu)
		add(result.target("allocations"), "", result.Allocations, row.allocs)
	}
	for _, s := range r.Sizes {
		for _, column := range sizeColumns {
			name := s.Name + ": " + column
			add(name, "", s.Values[column], sizeTargets[name])
		}
	}
}

// target returns the name of the target for a value.
func (r result) target(value string) string { return r.Route + ", " + r.Taxonomy + ": " + value }

// missed returns the targets that are not met.
func (r *report) missed() []target {
	return slices.DeleteFunc(slices.Clone(r.Targets), target.met)
}

// write prints the report as Markdown.
func (r *report) write(w io.Writer) {
	fmt.Fprintf(w, "%s.\n", r.Machine)
	rows := [][]string{{"Route", "taxonomy", "body", "CPU µs", "bare", "ratio", "range", "allocs"}}
	for _, result := range r.Routes {
		rows = append(rows, []string{
			result.Route, result.Taxonomy, fmt.Sprint(result.Body), f1(median(result.Placard)), f1(median(result.Bare)),
			f2(median(result.Ratios)) + r.mark(result.target("CPU ratio")), f2(slices.Min(result.Ratios)) + "–" + f2(slices.Max(result.Ratios)),
			fmt.Sprintf("%+.1f", result.Allocations) + r.mark(result.target("allocations")),
		})
	}
	writeTable(w, rows)

	rows = [][]string{append([]string{"Served"}, sizeColumns...)}
	for _, s := range r.Sizes {
		row := []string{s.Name}
		for _, column := range sizeColumns {
			row = append(row, f1(s.Values[column])+r.mark(s.Name+": "+column))
		}
		rows = append(rows, row)
	}
	writeTable(w, rows)
	fmt.Fprintf(w, "\n%d of %d targets met.\n", len(r.Targets)-len(r.missed()), len(r.Targets))
}

// mark returns the mark of a target, or "" if there is none.
func (r *report) mark(name string) string {
	n := slices.IndexFunc(r.Targets, func(t target) bool { return t.Name == name })
	switch {
	case n < 0:
		return ""
	case r.Targets[n].met():
		return " ✓"
	}
	return " ✗"
}

func f1(v float64) string { return fmt.Sprintf("%.1f", v) }
func f2(v float64) string { return fmt.Sprintf("%.2f", v) }

// writeTable prints a Markdown table, unless it has only a header.
func writeTable(w io.Writer, rows [][]string) {
	if len(rows) == 1 {
		return
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	for n, row := range rows {
		fmt.Fprintf(t, "| %s\t|\n", strings.Join(row, "\t| "))
		if n == 0 {
			fmt.Fprintf(t, "|---\t%s|\n", strings.Repeat("|--:\t", len(row)-1))
		}
	}
	_ = t.Flush()
}

func (r *report) save(name string) error {
	data, err := json.Marshal(r, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(data, '\n'), 0o644)
}

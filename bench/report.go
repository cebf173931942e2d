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
	Growth  []growth     `json:"growth,omitzero"`
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

// growth describes how a value grows with the number of elements.
type growth struct {
	Name     string    `json:"name"`
	Values   []float64 `json:"values"` // for each of sizes
	Exponent float64   `json:"exponent"`
	Limit    float64   `json:"limit"`
}

// Limits of exponents.
const (
	maxExponent = 1.15 // of the cost of building, starting and keeping a release
	noGrowth    = 0.03 // negligible: a factor of 1.17 from 100 to 20,000
)

// newGrowth computes the exponent of the last step. Constant costs hide that of
// earlier ones. The exponent of values that should not grow at all is that of all steps,
// which has less noise.
func newGrowth(name string, limit float64, values []float64) growth {
	last := len(sizes) - 1
	from := last - 1
	if limit == noGrowth {
		from = 0
	}
	return growth{name, values, exponent(float64(sizes[from]), values[from], float64(sizes[last]), values[last]), limit}
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
	builtinTaxonomy + ": start ms":            60,
	builtinTaxonomy + ": start MiB":           48,
	"50 releases: start ms":                   500,
	"50 releases: start MiB":                  150,
	"20000 elements, 2 locales: build ms":     3000,
	"20000 elements, 2 locales: start CPU ms": 1000,
	"20000 elements, 2 locales: start MiB":    350,
	"20000 elements, 5 locales: start CPU ms": 2000,
	"20000 elements, 5 locales: start MiB":    600,
}

// failure is a missed target or a regression.
type failure struct{ route, text string }

// evaluate computes the growth and compares all results with the targets.
func (r *report) evaluate() {
	r.fitGrowth()
	r.Targets = nil
	add := func(name, route string, value, limit float64) {
		if limit > 0 {
			r.Targets = append(r.Targets, target{name, route, value, limit})
		}
	}
	for _, row := range routes {
		if result := r.find(row.name, builtinTaxonomy); result != nil {
			add(row.name+": CPU ratio", row.name, median(result.Ratios), row.cpu)
			add(row.name+": allocations", "", result.Allocations, row.allocs)
		}
	}
	for _, s := range r.Sizes {
		for _, column := range sizeColumns {
			name := s.Name + ": " + column
			add(name, "", s.Values[column], sizeTargets[name])
		}
	}
	for _, g := range r.Growth {
		add("growth: "+g.Name, g.Name, g.Exponent, g.Limit)
	}
}

// fitGrowth computes how results grow with the number of elements.
func (r *report) fitGrowth() {
	r.Growth = nil
	add := func(name string, limit float64, value func(taxonomy string) float64) {
		var values []float64
		for _, elements := range sizes {
			values = append(values, value(generatedName(elements, 2)))
		}
		if !slices.Contains(values, 0) { // not measured
			r.Growth = append(r.Growth, newGrowth(name, limit, values))
		}
	}
	for _, column := range sizeColumns {
		add(column, maxExponent, func(taxonomy string) float64 {
			for _, s := range r.Sizes {
				if s.Name == taxonomy {
					return s.Values[column]
				}
			}
			return 0
		})
	}
	for _, row := range routes {
		add(row.name, noGrowth, func(taxonomy string) float64 {
			if result := r.find(row.name, taxonomy); result != nil {
				return median(result.Ratios)
			}
			return 0
		})
	}
}

// find returns the result of a route, or nil.
func (r *report) find(route, taxonomy string) *result {
	n := slices.IndexFunc(r.Routes, func(r result) bool { return r.Route == route && r.Taxonomy == taxonomy })
	if n < 0 {
		return nil
	}
	return &r.Routes[n]
}

// missed returns the targets that are not met.
func (r *report) missed() []failure {
	var all []failure
	for _, t := range r.Targets {
		if !t.met() {
			all = append(all, failure{t.Route, fmt.Sprintf("missed: %s is %.2f, want at most %.2f", t.Name, t.Value, t.Limit)})
		}
	}
	return all
}

// write prints the report as Markdown.
func (r *report) write(w io.Writer) {
	fmt.Fprintf(w, "%s.\n", r.Machine)
	rows := [][]string{{"Route", "taxonomy", "body", "CPU µs", "bare", "ratio", "range", "allocs"}}
	for _, result := range r.Routes {
		name := result.Route
		if result.Taxonomy != builtinTaxonomy {
			name = "" // no targets
		}
		rows = append(rows, []string{
			result.Route, result.Taxonomy, fmt.Sprint(result.Body), f1(median(result.Placard)), f1(median(result.Bare)),
			f2(median(result.Ratios)) + r.mark(name+": CPU ratio"), f2(slices.Min(result.Ratios)) + "–" + f2(slices.Max(result.Ratios)),
			fmt.Sprintf("%+.1f", result.Allocations) + r.mark(name+": allocations"),
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

	header := []string{"Growth"}
	for _, size := range sizes {
		header = append(header, fmt.Sprint(size))
	}
	rows = [][]string{append(header, "exponent", "target")}
	for _, g := range r.Growth {
		row := []string{g.Name}
		for _, v := range g.Values {
			row = append(row, f2(v))
		}
		rows = append(rows, append(row, f2(g.Exponent)+r.mark("growth: "+g.Name), f2(g.Limit)))
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

func loadReport(name string) (*report, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r := new(report)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

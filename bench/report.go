package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// report contains all results.
type report struct {
	Machine  machine        `json:"machine"`
	Rounds   int            `json:"rounds"`
	Routes   []result       `json:"routes"`
	Builds   []buildCost    `json:"builds,omitzero"`
	Starts   []startup      `json:"starts,omitzero"`
	Growth   []growth       `json:"growth,omitzero"`
	Large    []largeResult  `json:"large,omitzero"`
	Overload *overload      `json:"overload,omitzero"`
	Targets  []target       `json:"targets"`
	Missing  []missingRoute `json:"missing,omitzero"`
}

type machine struct {
	Go         string `json:"go"`
	System     string `json:"system"`
	Processors int    `json:"processors"`
	Commit     string `json:"commit"`
}

// result is the result of one route.
type result struct {
	Route     string      `json:"route"`
	Taxonomy  string      `json:"taxonomy"`
	Inputs    int         `json:"inputs"`
	Retries   int         `json:"retries,omitzero"` // rounds repeated because requests failed
	Body      int         `json:"body"`             // median size in bytes
	Placard   measurement `json:"placard"`
	Bare      measurement `json:"bare"`
	Ratios    []float64   `json:"ratios"` // CPU time ratios, one per round
	Ratio     summary     `json:"ratio"`
	Allocated *allocation `json:"allocated,omitzero"` // beyond those of the bare handler
	BareAlloc *allocation `json:"bare_allocated,omitzero"`
}

// missingRoute is a route that could not be measured.
type missingRoute struct {
	Route    string `json:"route"`
	Taxonomy string `json:"taxonomy"`
	Reason   string `json:"reason"`
}

// growth describes how a value grows with the number of elements.
type growth struct {
	Name   string    `json:"name"`
	Unit   string    `json:"unit"`
	Values []float64 `json:"values"` // for each of sizes
	Fit    float64   `json:"fit"`    // exponent over all sizes
	Last   float64   `json:"last"`   // exponent between the last two sizes
	Limit  float64   `json:"limit"`
}

// worst returns the exponent that is compared with the limit. Constant costs
// reduce the fitted exponent, so the last step counts too, except for values that
// should not grow at all.
func (g growth) worst() float64 {
	if g.Limit == noGrowth {
		return g.Fit
	}
	return max(g.Fit, g.Last)
}

func newGrowth(name, unit string, limit float64, values []float64) growth {
	x := make([]float64, len(values))
	for i := range x {
		x[i] = float64(sizes[i])
	}
	last := max(0, len(x)-2)
	return growth{name, unit, values, exponent(x, values), exponent(x[last:], values[last:]), limit}
}

// target is a limit for a value.
type target struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Limit   float64 `json:"limit"`
	AtLeast bool    `json:"at_least,omitzero"` // the limit is a minimum
	Met     bool    `json:"met"`
}

func atMost(name string, value, limit float64) target {
	return target{Name: name, Value: value, Limit: limit, Met: value <= limit}
}

func atLeast(name string, value, limit float64) target {
	return target{Name: name, Value: value, Limit: limit, AtLeast: true, Met: value >= limit}
}

func targetRatio(route string) string { return route + ": CPU ratio" }
func targetGrowth(name string) string { return "growth: " + name }

// Targets that do not apply to a single route.
const (
	maxExponent   = 1.15 // exponent of the cost of building, loading and keeping a release
	noGrowth      = 0.03 // a negligible exponent: a factor of 1.17 from 100 to 20,000
	minAdmitted   = 0.8  // fraction of the peak, during and after overload
	maxOverP99    = 500. // milliseconds
	maxOverMemory = 256. // MiB
)

// startTargets are the limits for the start of some subjects, by name:
// milliseconds until the first response, and MiB resident at that time.
var startTargets = map[string]struct{ first, resident float64 }{
	builtinTaxonomy: {60, 48},
	"50 releases":   {500, 150},
}

func targetFirst(subject string) string {
	return "start of " + subject + ": milliseconds until the first response"
}
func targetResident(subject string) string { return "start of " + subject + ": MiB resident" }

// evaluate compares all results with the targets.
func (r *report) evaluate() {
	r.Targets = nil
	for _, result := range r.Routes {
		if result.Taxonomy != builtinTaxonomy {
			continue
		}
		row := findRoute(result.Route)
		if row.cpu > 0 {
			r.Targets = append(r.Targets, atMost(targetRatio(result.Route), result.Ratio.Median, row.cpu))
		}
		if row.allocs > 0 && result.Allocated != nil {
			r.Targets = append(r.Targets, atMost(result.Route+": allocations", result.Allocated.Objects, row.allocs))
		}
	}
	for _, m := range r.Missing {
		if row := findRoute(m.Route); row.cpu > 0 && m.Taxonomy == builtinTaxonomy {
			r.Targets = append(r.Targets, target{Name: targetRatio(m.Route), Limit: row.cpu})
		}
	}
	for _, s := range r.Starts {
		if limit, ok := startTargets[s.Name]; ok {
			r.Targets = append(r.Targets,
				atMost(targetFirst(s.Name), s.First.Median, limit.first),
				atMost(targetResident(s.Name), s.Resident.Median, limit.resident))
		}
	}
	for _, l := range r.Large {
		r.Targets = append(r.Targets, l.targets()...)
	}
	for _, g := range r.Growth {
		r.Targets = append(r.Targets, atMost(targetGrowth(g.Name), g.worst(), g.Limit))
	}
	if r.Overload != nil {
		r.Targets = append(r.Targets, r.Overload.targets()...)
	}
}

// findRoute returns the route with the given name, or an empty one.
func findRoute(name string) *route {
	n := slices.IndexFunc(routes, func(r route) bool { return r.name == name })
	if n < 0 {
		return new(route)
	}
	return &routes[n]
}

// missed returns the targets that are not met.
func (r *report) missed() []target {
	return slices.DeleteFunc(slices.Clone(r.Targets), func(t target) bool { return t.Met })
}

// write prints the report as Markdown.
func (r *report) write(w io.Writer) {
	fmt.Fprintf(w, "%s, %s, %d processors, commit %s; medians of %d rounds.\n",
		r.Machine.Go, r.Machine.System, r.Machine.Processors, r.Machine.Commit, r.Rounds)
	r.writeRoutes(w)
	r.writeStarts(w)
	r.writeGrowth(w)
	r.writeLarge(w)
	r.writeOverload(w)
	for _, result := range r.Routes {
		if result.Retries > 0 {
			fmt.Fprintf(w, "\n%s (%s): %d rounds repeated because requests failed.\n", result.Route, result.Taxonomy, result.Retries)
		}
	}
	for _, m := range r.Missing {
		fmt.Fprintf(w, "\nNot measured: %s (%s): %s.\n", m.Route, m.Taxonomy, m.Reason)
	}
	missed := r.missed()
	fmt.Fprintf(w, "\n%d of %d targets met.\n", len(r.Targets)-len(missed), len(r.Targets))
	for _, t := range missed {
		relation := "at most"
		if t.AtLeast {
			relation = "at least"
		}
		fmt.Fprintf(w, "  missed: %s is %.2f, want %s %.2f\n", t.Name, t.Value, relation, t.Limit)
	}
}

// mark returns the printed mark of a target, or "" if there is none.
func (r *report) mark(name string) string {
	for _, t := range r.Targets {
		if t.Name == name {
			if t.Met {
				return "✓"
			}
			return "✗"
		}
	}
	return ""
}

func (r *report) writeRoutes(w io.Writer) {
	taxonomy := ""
	t := newTable("Route", "inputs", "body", "req/s", "bare", "p50 µs", "p99 µs", "CPU µs", "bare", "ratio", "range", "target", "allocs", "bytes")
	flush := func() {
		if len(t.rows) > 1 {
			fmt.Fprintf(w, "\n### Routes: %s\n\n", taxonomy)
			t.write(w)
			t.rows = t.rows[:1]
		}
	}
	for _, result := range r.Routes {
		if result.Taxonomy != taxonomy {
			flush()
			taxonomy = result.Taxonomy
		}
		target, allocs, bytes := "", "", ""
		if row := findRoute(result.Route); result.Taxonomy == builtinTaxonomy && row.cpu > 0 {
			target = fmt.Sprintf("%.1f %s", row.cpu, r.mark(targetRatio(result.Route)))
		}
		if result.Allocated != nil {
			allocs = strings.TrimSpace(fmt.Sprintf("%+.1f %s", result.Allocated.Objects, r.mark(result.Route+": allocations")))
			bytes = fmt.Sprintf("%+.0f", result.Allocated.Bytes)
		}
		placard, bare, ratio := result.Placard, result.Bare, result.Ratio
		t.row(result.Route, result.Inputs, result.Body, f0(placard.Rate), f0(bare.Rate), f0(placard.P50), f0(placard.P99),
			f1(placard.CPU), f1(bare.CPU), f2(ratio.Median), f2(ratio.Min)+"–"+f2(ratio.Max), target, allocs, bytes)
	}
	flush()
}

func (r *report) writeStarts(w io.Writer) {
	if len(r.Starts) == 0 {
		return
	}
	fmt.Fprint(w, "\n### Startup\n\n")
	t := newTable("Served", "first response ms", "range", "CPU ms", "resident MiB", "range")
	for _, s := range r.Starts {
		first := strings.TrimSpace(f1(s.First.Median) + " " + r.mark(targetFirst(s.Name)))
		resident := strings.TrimSpace(f1(s.Resident.Median) + " " + r.mark(targetResident(s.Name)))
		t.row(s.Name, first, f1(s.First.Min)+"–"+f1(s.First.Max), f1(s.CPU.Median), resident, f1(s.Resident.Min)+"–"+f1(s.Resident.Max))
	}
	t.write(w)
}

func (r *report) writeGrowth(w io.Writer) {
	if len(r.Growth) == 0 {
		return
	}
	fmt.Fprint(w, "\n### Growth with the number of elements\n\n")
	header := []any{"Value", "unit"}
	for _, size := range sizes {
		header = append(header, size)
	}
	t := newTable(append(header, "exponent", "last step", "target")...)
	for _, g := range r.Growth {
		row := []any{g.Name, g.Unit}
		for _, v := range g.Values {
			row = append(row, f2(v))
		}
		t.row(append(row, f2(g.Fit), f2(g.Last), f2(g.Limit)+" "+r.mark(targetGrowth(g.Name)))...)
	}
	t.write(w)
}

func (r *report) writeOverload(w io.Writer) {
	o := r.Overload
	if o == nil {
		return
	}
	fmt.Fprintf(w, "\n### Overload: %s\n\n", o.Route)
	t := newTable("Load", "offered/s", "admitted/s", "refused/s", "failed", "p50 ms", "p99 ms", "share")
	for _, phase := range []struct {
		name   string
		result func(cycle) loadResult
	}{
		{"peak: 32 connections", func(c cycle) loadResult { return c.Peak }},
		{"four times that: 1,000 connections", func(c cycle) loadResult { return c.Over }},
		{"the following second: 32 connections", func(c cycle) loadResult { return c.After }},
	} {
		medianOf := func(field func(loadResult) float64) float64 {
			return o.median(func(c cycle) float64 { return field(phase.result(c)) })
		}
		t.row(phase.name,
			f0(medianOf(func(l loadResult) float64 { return float64(l.Offered) / l.Seconds })),
			f0(medianOf(loadResult.rate)),
			f0(medianOf(func(l loadResult) float64 { return float64(l.Refused) / l.Seconds })),
			f0(medianOf(func(l loadResult) float64 { return float64(l.Failed) })),
			f1(medianOf(func(l loadResult) float64 { return l.P50 })),
			f1(medianOf(func(l loadResult) float64 { return l.P99 })),
			f2(medianOf(func(l loadResult) float64 { return l.Share })))
	}
	t.write(w)
	fmt.Fprint(w, "\nShare is the fraction of its runnable time during which the server was running; rates are divided by it before they are compared.\n")
	fmt.Fprintf(w, "Resident memory: %.1f MiB before, at most %.1f MiB in the first cycle and %.1f MiB in all %d.\n", o.Idle, o.FirstCycle, o.Resident, len(o.Cycles))
}

func f0(v float64) string { return fmt.Sprintf("%.0f", v) }
func f1(v float64) string { return fmt.Sprintf("%.1f", v) }
func f2(v float64) string { return fmt.Sprintf("%.2f", v) }

// table is an aligned Markdown table.
type table struct{ rows [][]string }

func newTable(header ...any) *table {
	t := new(table)
	t.row(header...)
	return t
}

func (t *table) row(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	t.rows = append(t.rows, row)
}

// write prints the table. The first column is left-aligned, and all others are
// right-aligned.
func (t *table) write(w io.Writer) {
	widths := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell), 3)
		}
	}
	for n, row := range t.rows {
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				fmt.Fprintf(w, "| %s%s |", cell, space)
			} else {
				fmt.Fprintf(w, " %s%s |", space, cell)
			}
		}
		fmt.Fprintln(w)
		if n > 0 {
			continue
		}
		for i, width := range widths {
			line := strings.Repeat("-", width)
			if i == 0 {
				fmt.Fprintf(w, "|-%s-|", line)
			} else {
				fmt.Fprintf(w, "-%s:|", line)
			}
		}
		fmt.Fprintln(w)
	}
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

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

// report is everything that was measured.
type report struct {
	Machine  machine      `json:"machine"`
	Rounds   int          `json:"rounds"`
	Routes   []result     `json:"routes"`
	Makings  []making     `json:"makings,omitzero"`
	Starts   []starting   `json:"starts,omitzero"`
	Growth   []growth     `json:"growth,omitzero"`
	Overload *overload    `json:"overload,omitzero"`
	Targets  []target     `json:"targets"`
	Missing  []unanswered `json:"missing,omitzero"`
}

type machine struct {
	Go         string `json:"go"`
	System     string `json:"system"`
	Processors int    `json:"processors"`
	Commit     string `json:"commit"`
}

// result is what was measured of one route.
type result struct {
	Route     string     `json:"route"`
	Taxonomy  string     `json:"taxonomy"`
	Inputs    int        `json:"inputs"`
	Spoilt    int        `json:"spoilt,omitzero"` // rounds made again because requests failed
	Body      int        `json:"body"`            // bytes, median
	Placard   effort     `json:"placard"`
	Bare      effort     `json:"bare"`
	Ratios    []float64  `json:"ratios"` // of CPU time, one for each round
	Ratio     figure     `json:"ratio"`
	Allocated *allocated `json:"allocated,omitzero"` // beyond what the bare handler allocates
	BareAlloc *allocated `json:"bare_allocated,omitzero"`
}

// unanswered is a route that could not be measured.
type unanswered struct {
	Route    string `json:"route"`
	Taxonomy string `json:"taxonomy"`
	Reason   string `json:"reason"`
}

// growth is how a figure grows with the number of elements.
type growth struct {
	Name   string    `json:"name"`
	Unit   string    `json:"unit"`
	Values []float64 `json:"values"` // for each of sizes
	Fit    float64   `json:"fit"`    // exponent over all sizes
	Last   float64   `json:"last"`   // exponent from the last size but one to the last
	Limit  float64   `json:"limit"`
}

// worst is the exponent that is held against the limit. A constant part makes
// small sizes expensive and the fit too small, so that the last step counts too,
// but for what should not grow at all.
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

// target is one promise and whether it holds.
type target struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Limit   float64 `json:"limit"`
	AtLeast bool    `json:"at_least,omitzero"` // the limit is a lower one
	Holds   bool    `json:"holds"`
}

func atMost(name string, value, limit float64) target {
	return target{Name: name, Value: value, Limit: limit, Holds: value <= limit}
}

func atLeast(name string, value, limit float64) target {
	return target{Name: name, Value: value, Limit: limit, AtLeast: true, Holds: value >= limit}
}

func targetRatio(route string) string   { return route + ": CPU ratio" }
func targetGrowth(figure string) string { return "growth: " + figure }

// Limits of what is measured beside the routes.
const (
	maxStart      = 60.0 // milliseconds until our own taxonomy is served
	maxResident   = 48.0 // MiB then
	maxExponent   = 1.15 // of making, loading and holding a release
	noGrowth      = 0.03 // an exponent that is none: a factor of 1.17 from 100 to 20,000
	minAdmitted   = 0.8  // of the peak, under overload and right after it
	maxOverP99    = 500. // milliseconds
	maxOverMemory = 256. // MiB
)

// judge compares everything measured with the targets.
func (r *report) judge() {
	r.Targets = nil
	for _, result := range r.Routes {
		if result.Taxonomy != ownTaxonomy {
			continue
		}
		row := routeNamed(result.Route)
		if row.cpu > 0 {
			r.Targets = append(r.Targets, atMost(targetRatio(result.Route), result.Ratio.Median, row.cpu))
		}
		if row.allocs > 0 && result.Allocated != nil {
			r.Targets = append(r.Targets, atMost(result.Route+": allocations", result.Allocated.Objects, row.allocs))
		}
	}
	for _, m := range r.Missing {
		if row := routeNamed(m.Route); row.cpu > 0 && m.Taxonomy == ownTaxonomy {
			r.Targets = append(r.Targets, target{Name: targetRatio(m.Route), Limit: row.cpu})
		}
	}
	for _, s := range r.Starts {
		if s.Name == ownTaxonomy {
			r.Targets = append(r.Targets,
				atMost("start: milliseconds until the first answer", s.First.Median, maxStart),
				atMost("start: MiB resident", s.Resident.Median, maxResident))
		}
	}
	for _, g := range r.Growth {
		r.Targets = append(r.Targets, atMost(targetGrowth(g.Name), g.worst(), g.Limit))
	}
	if r.Overload != nil {
		r.Targets = append(r.Targets, r.Overload.targets()...)
	}
}

func routeNamed(name string) *route {
	n := slices.IndexFunc(routes, func(r route) bool { return r.name == name })
	if n < 0 {
		return new(route)
	}
	return &routes[n]
}

// missed returns the targets that do not hold.
func (r *report) missed() []target {
	return slices.DeleteFunc(slices.Clone(r.Targets), func(t target) bool { return t.Holds })
}

// write prints the report as Markdown.
func (r *report) write(w io.Writer) {
	fmt.Fprintf(w, "%s, %s, %d processors, commit %s; medians of %d rounds.\n",
		r.Machine.Go, r.Machine.System, r.Machine.Processors, r.Machine.Commit, r.Rounds)
	r.writeRoutes(w)
	r.writeStarts(w)
	r.writeGrowth(w)
	r.writeOverload(w)
	for _, x := range r.Routes {
		if x.Spoilt > 0 {
			fmt.Fprintf(w, "\n%s (%s): %d rounds were made again because requests failed.\n", x.Route, x.Taxonomy, x.Spoilt)
		}
	}
	for _, m := range r.Missing {
		fmt.Fprintf(w, "\nNot measured: %s (%s): %s.\n", m.Route, m.Taxonomy, m.Reason)
	}
	missed := r.missed()
	fmt.Fprintf(w, "\n%d of %d targets hold.\n", len(r.Targets)-len(missed), len(r.Targets))
	for _, t := range missed {
		relation := "at most"
		if t.AtLeast {
			relation = "at least"
		}
		fmt.Fprintf(w, "  missed: %s is %.2f, and should be %s %.2f\n", t.Name, t.Value, relation, t.Limit)
	}
}

// holds returns the marks of the targets of one name, as they are printed.
func (r *report) holds(name string) string {
	for _, t := range r.Targets {
		if t.Name == name {
			if t.Holds {
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
	for _, x := range r.Routes {
		if x.Taxonomy != taxonomy {
			flush()
			taxonomy = x.Taxonomy
		}
		goal, allocs, bytes := "", "", ""
		if row := routeNamed(x.Route); x.Taxonomy == ownTaxonomy && row.cpu > 0 {
			goal = fmt.Sprintf("%.1f %s", row.cpu, r.holds(targetRatio(x.Route)))
		}
		if x.Allocated != nil {
			allocs = strings.TrimSpace(fmt.Sprintf("%+.1f %s", x.Allocated.Objects, r.holds(x.Route+": allocations")))
			bytes = fmt.Sprintf("%+.0f", x.Allocated.Bytes)
		}
		t.row(x.Route, x.Inputs, x.Body, f0(x.Placard.Rate), f0(x.Bare.Rate), f0(x.Placard.P50), f0(x.Placard.P99),
			f1(x.Placard.CPU), f1(x.Bare.CPU), f2(x.Ratio.Median), f2(x.Ratio.Min)+"–"+f2(x.Ratio.Max), goal, allocs, bytes)
	}
	flush()
}

func (r *report) writeStarts(w io.Writer) {
	if len(r.Starts) == 0 {
		return
	}
	fmt.Fprint(w, "\n### Starting\n\n")
	t := newTable("Served", "first answer ms", "range", "CPU ms", "resident MiB", "range")
	for _, s := range r.Starts {
		first, resident := f1(s.First.Median), f1(s.Resident.Median)
		if s.Name == ownTaxonomy {
			first += " " + r.holds("start: milliseconds until the first answer")
			resident += " " + r.holds("start: MiB resident")
		}
		t.row(s.Name, first, f1(s.First.Min)+"–"+f1(s.First.Max), f1(s.CPU.Median), resident, f1(s.Resident.Min)+"–"+f1(s.Resident.Max))
	}
	t.write(w)
}

func (r *report) writeGrowth(w io.Writer) {
	if len(r.Growth) == 0 {
		return
	}
	fmt.Fprint(w, "\n### Growth with the number of elements\n\n")
	header := []any{"Figure", "unit"}
	for _, size := range sizes {
		header = append(header, size)
	}
	t := newTable(append(header, "exponent", "last step", "target")...)
	for _, g := range r.Growth {
		row := []any{g.Name, g.Unit}
		for _, v := range g.Values {
			row = append(row, f2(v))
		}
		t.row(append(row, f2(g.Fit), f2(g.Last), f2(g.Limit)+" "+r.holds(targetGrowth(g.Name)))...)
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
	for _, x := range []struct {
		name string
		of   func(cycle) offering
	}{
		{"peak: 32 connections", func(c cycle) offering { return c.Peak }},
		{"four times that: 1,000 connections", func(c cycle) offering { return c.Over }},
		{"the second after: 32 connections", func(c cycle) offering { return c.After }},
	} {
		middle := func(part func(offering) float64) float64 {
			return o.middle(func(c cycle) float64 { return part(x.of(c)) })
		}
		t.row(x.name,
			f0(middle(func(o offering) float64 { return float64(o.Offered) / o.Seconds })),
			f0(middle(offering.rate)),
			f0(middle(func(o offering) float64 { return float64(o.Refused) / o.Seconds })),
			f0(middle(func(o offering) float64 { return float64(o.Failed) })),
			f1(middle(func(o offering) float64 { return o.P50 })),
			f1(middle(func(o offering) float64 { return o.P99 })),
			f2(middle(func(o offering) float64 { return o.Share })))
	}
	t.write(w)
	fmt.Fprint(w, "\nThe share is how much of the time that the server wanted to run it did run; rates are compared after dividing by it.\n")
	fmt.Fprintf(w, "Resident: %.1f MiB before, at most %.1f MiB in the first overload and %.1f MiB in %d.\n", o.Idle, o.Early, o.Resident, len(o.Cycles))
}

func f0(v float64) string { return fmt.Sprintf("%.0f", v) }
func f1(v float64) string { return fmt.Sprintf("%.1f", v) }
func f2(v float64) string { return fmt.Sprintf("%.2f", v) }

// grid is a Markdown table that can be read as it stands.
type grid struct{ rows [][]string }

func newTable(header ...any) *grid {
	t := new(grid)
	t.row(header...)
	return t
}

func (t *grid) row(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	t.rows = append(t.rows, row)
}

// write prints the table, the first column to the left and the others, which
// are figures, to the right.
func (t *grid) write(w io.Writer) {
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

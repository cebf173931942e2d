package datachain

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"placard/internal/problem"
)

// most is how many errors, and how many warnings, one report lists.
const most = 200

// Report is what was found in a document: errors, which make it invalid, and
// warnings, which do not. Both are ordered as a reader of the document meets
// them: by the place of the path's nearest present ancestor, then by path, then
// by code. At most 200 of each are listed; where there were more, the last
// warning is findings_truncated.
type Report struct {
	Errors   problem.List
	Warnings problem.List
}

// OK reports whether nothing found makes the document invalid.
func (r Report) OK() bool { return len(r.Errors) == 0 }

// place is where a finding belongs: a node, or a member that it lacks.
type place struct {
	at      ref
	missing string
}

// finding is one thing that is wrong. What it says is worked out only if it is
// among the first of its severity.
type finding struct {
	offset uint32
	path   problem.Path
	code   problem.Code
	say    func() problem.Problem
}

func (f finding) compare(g finding) int {
	return cmp.Or(
		cmp.Compare(f.offset, g.offset),
		strings.Compare(f.path.String(), g.path.String()),
		cmp.Compare(f.code, g.code),
	)
}

// findings collects what is wrong with one document, in any order, and keeps
// no more of it than a report can list.
type findings struct {
	tree     *tree
	errors   shelf
	warnings shelf
}

// shelf keeps the first findings of one severity.
type shelf struct {
	kept  []finding
	total int
	full  bool
	last  uint32 // the offset past which nothing can be among the first, if full
}

// takes counts a finding at offset and reports whether it may be among the first.
func (s *shelf) takes(offset uint32) bool {
	s.total++
	return !s.full || offset <= s.last
}

func (s *shelf) put(f finding) {
	s.kept = append(s.kept, f)
	if len(s.kept) == 2*most {
		s.cut()
		s.full, s.last = true, s.kept[most-1].offset
	}
}

// cut drops all but the first. Sorting is stable, so that of equals the one
// found first stays.
func (s *shelf) cut() {
	slices.SortStableFunc(s.kept, finding.compare)
	clear(s.kept[min(most, len(s.kept)):])
	s.kept = s.kept[:min(most, len(s.kept))]
}

// add takes a finding, whose words say gives.
func (f *findings) add(code problem.Code, severity problem.Severity, p place, say func() problem.Problem) {
	if f.takes(severity, p) {
		f.keep(code, severity, p, say)
	}
}

// takes counts a finding and reports whether it is worth keeping.
func (f *findings) takes(severity problem.Severity, p place) bool {
	return f.shelf(severity).takes(f.tree.nodes[p.at].start)
}

func (f *findings) keep(code problem.Code, severity problem.Severity, p place, say func() problem.Problem) {
	path := f.tree.path(p.at)
	if p.missing != "" {
		path = path.Field(p.missing)
	}
	f.shelf(severity).put(finding{f.tree.nodes[p.at].start, path, code, say})
}

func (f *findings) shelf(severity problem.Severity) *shelf {
	if severity == problem.Warning {
		return &f.warnings
	}
	return &f.errors
}

// report orders and words what was found.
func (f *findings) report(m *meter) (Report, error) {
	report := Report{
		Errors:   f.errors.words(problem.Error, m),
		Warnings: f.warnings.words(problem.Warning, m),
	}
	if m.err != nil {
		return Report{}, m.err
	}
	errors, warnings := f.errors.total-len(report.Errors), f.warnings.total-len(report.Warnings)
	if errors+warnings > 0 {
		report.Warnings = append(report.Warnings, findingsTruncated.
			Found("%s and %s more were found than are listed.", count(errors, "error"), count(warnings, "warning")).
			Hint("Mend what is listed, then send the document again."))
	}
	return report, nil
}

// words returns the first findings, in order, as they are told.
func (s *shelf) words(severity problem.Severity, m *meter) problem.List {
	if len(s.kept) == 0 {
		return nil
	}
	s.cut()
	var list problem.List
	for _, found := range s.kept {
		if !m.spend(16) {
			break
		}
		p := found.say().In(found.path)
		p.Severity = severity
		list = append(list, p)
	}
	return list
}

// count says how many of something there are.
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}

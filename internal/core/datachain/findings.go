package datachain

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"placard/internal/core/problem"
)

// maxFindings is the maximum number of errors, and of warnings, in a report.
const maxFindings = 200

// Report lists the problems in a document: errors, which make it invalid, and
// warnings, which do not. Both are in document order: by the position of the
// nearest ancestor that is present, then by path, then by code. At most 200 of
// each are listed; if there are more, the last warning is findings_truncated.
type Report struct {
	Errors   problem.List
	Warnings problem.List
}

// OK reports whether the document is valid: the report has no errors.
func (r Report) OK() bool { return len(r.Errors) == 0 }

// location is where a finding is: at a node, or at a member missing from it.
type location struct {
	node    ref
	missing string
}

// finding is one problem. Its message is built only if it is among the first
// findings of its severity.
type finding struct {
	offset uint32
	path   problem.Path
	code   problem.Code
	build  func() problem.Problem
}

func (f finding) compare(g finding) int {
	return cmp.Or(
		cmp.Compare(f.offset, g.offset),
		strings.Compare(f.path.String(), g.path.String()),
		cmp.Compare(f.code, g.code),
	)
}

// findings collects the findings in one document, in any order, and keeps no more
// than a report can list.
type findings struct {
	tree     *tree
	errors   findingList
	warnings findingList
}

// findingList keeps the first findings of one severity.
type findingList struct {
	kept  []finding
	total int
	full  bool
	last  uint32 // if full, later offsets cannot be among the first
}

// admits counts a finding at offset and reports whether it may be among the first.
func (l *findingList) admits(offset uint32) bool {
	l.total++
	return l.reaches(offset)
}

// reaches reports whether a finding at offset may be among the first.
func (l *findingList) reaches(offset uint32) bool { return !l.full || offset <= l.last }

func (l *findingList) add(f finding) {
	l.kept = append(l.kept, f)
	if len(l.kept) == 2*maxFindings {
		l.truncate()
		l.full, l.last = true, l.kept[maxFindings-1].offset
	}
}

// truncate sorts the findings and drops all but the first. The sort is stable:
// of equal findings, the one found first is kept.
func (l *findingList) truncate() {
	slices.SortStableFunc(l.kept, finding.compare)
	clear(l.kept[min(maxFindings, len(l.kept)):])
	l.kept = l.kept[:min(maxFindings, len(l.kept))]
}

// add records a finding, whose message is built by build.
func (f *findings) add(code problem.Code, severity problem.Severity, loc location, build func() problem.Problem) {
	if f.admits(severity, loc) {
		f.keep(code, severity, loc, build)
	}
}

// admits counts a finding and reports whether to keep it.
func (f *findings) admits(severity problem.Severity, loc location) bool {
	return f.list(severity).admits(f.tree.nodes[loc.node].start)
}

func (f *findings) keep(code problem.Code, severity problem.Severity, loc location, build func() problem.Problem) {
	path := f.tree.path(loc.node)
	if loc.missing != "" {
		path = path.Field(loc.missing)
	}
	f.list(severity).add(finding{f.tree.nodes[loc.node].start, path, code, build})
}

func (f *findings) list(severity problem.Severity) *findingList {
	if severity == problem.Warning {
		return &f.warnings
	}
	return &f.errors
}

// report sorts the findings and builds their messages. again is the call that
// validates the document again.
func (f *findings) report(m *meter, again problem.Call) (Report, error) {
	report := Report{
		Errors:   f.errors.problems(problem.Error, m),
		Warnings: f.warnings.problems(problem.Warning, m),
	}
	if m.err != nil {
		return Report{}, m.err
	}
	errors, warnings := f.errors.total-len(report.Errors), f.warnings.total-len(report.Warnings)
	if errors+warnings > 0 {
		report.Warnings = append(report.Warnings, findingsTruncated.
			Found("%s and %s are not listed.", count(errors, "error"), count(warnings, "warning")).
			Hint("Fix the listed problems, then validate the document again.").See(again))
	}
	return report, nil
}

// problems returns the first findings, in order.
func (l *findingList) problems(severity problem.Severity, m *meter) problem.List {
	if len(l.kept) == 0 {
		return nil
	}
	l.truncate()
	var list problem.List
	for _, found := range l.kept {
		if !m.spend(16) {
			break
		}
		p := found.build().In(found.path)
		p.Severity = severity
		list = append(list, p)
	}
	return list
}

// count returns n and a noun, as in "1 error" or "2 errors".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

package icon

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"unicode/utf8"

	"placard/internal/core/problem"
)

// finding is a problem at an offset in the source.
type finding struct {
	problem.Problem
	offset int
}

func (r *reader) report(at int, p problem.Problem) {
	r.found = append(r.found, finding{p, at})
}

// hasErrors reports whether a finding so far is an error.
func (r *reader) hasErrors() bool {
	return slices.ContainsFunc(r.found, func(f finding) bool { return f.Severity == problem.Error })
}

// problems returns the findings in source order, with their lines and columns. It
// computes all positions in one pass, so that a file with many findings is cheap
// to check.
func (r *reader) problems() problem.List {
	slices.SortStableFunc(r.found, func(a, b finding) int { return cmp.Compare(a.offset, b.offset) })
	var list problem.List
	line, column, at := 1, 1, 0
	for _, f := range r.found {
		skipped := r.src[at:f.offset]
		if i := bytes.LastIndexByte(skipped, '\n'); i >= 0 {
			line += bytes.Count(skipped, []byte{'\n'})
			column = 1
			skipped = skipped[i+1:]
		}
		column += utf8.RuneCount(skipped)
		at = f.offset
		list = append(list, f.At(problem.Pos{Line: line, Column: column}))
	}
	list.SortByPos()
	return list
}

// replaceUnprintable sanitizes decoder messages, which quote input verbatim. It
// is used with [strings.Map].
func replaceUnprintable(c rune) rune {
	if strconv.IsPrint(c) {
		return c
	}
	return utf8.RuneError
}

package icon

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"unicode/utf8"

	"placard/internal/problem"
)

// finding is a problem at an offset of the source.
type finding struct {
	problem.Problem
	at int
}

func (r *reader) report(at int, p problem.Problem) {
	r.found = append(r.found, finding{p, at})
}

// problems returns what was found, in order and with lines and columns. These
// are counted in one pass, so that a file of nothing but faults costs no more
// than any other.
func (r *reader) problems() problem.List {
	slices.SortStableFunc(r.found, func(a, b finding) int { return cmp.Compare(a.at, b.at) })
	var list problem.List
	line, column, at := 1, 1, 0
	for _, f := range r.found {
		passed := r.src[at:f.at]
		if i := bytes.LastIndexByte(passed, '\n'); i >= 0 {
			line += bytes.Count(passed, []byte{'\n'})
			column = 1
			passed = passed[i+1:]
		}
		column += utf8.RuneCount(passed)
		at = f.at
		list = append(list, f.At(problem.Pos{Line: line, Column: column}))
	}
	list.SortByPos()
	return list
}

// visible replaces what is not seen: the decoder quotes files as they are.
func visible(c rune) rune {
	if strconv.IsPrint(c) {
		return c
	}
	return utf8.RuneError
}

// Package problem is how every part of Placard says that something is wrong.
// It knows nothing of HTTP, MCP or terminals; each face renders it its own way.
//
// A [Problem] is made where the fault is seen. Findings about a document or an
// authoring tree are collected in a [List] and are ordinary values; a Problem
// returned as an error stops the work.
package problem

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Code names one kind of problem. Codes are stable for ever: adding one is
// fine, renaming or removing one is not.
type Code string

// The codes of faults that stop a request, whatever it asked for.
const (
	BadRequest           Code = "bad_request"
	NotFound             Code = "not_found"
	MethodNotAllowed     Code = "method_not_allowed"
	PayloadTooLarge      Code = "payload_too_large"
	UnsupportedMediaType Code = "unsupported_media_type"
	RateLimited          Code = "rate_limited"
	InternalError        Code = "internal_error"
	UpstreamError        Code = "upstream_error"
	Overloaded           Code = "overloaded"
	NotReady             Code = "not_ready"
	Timeout              Code = "timeout"
)

// Severity tells a finding that makes its subject unusable from one that does not.
type Severity string

const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Problem is one thing that is wrong, said for the person who can mend it.
type Problem struct {
	Code     Code     `json:"code"`
	Message  string   `json:"message"`
	Path     Path     `json:"path,omitzero"`
	FixHint  string   `json:"fix_hint,omitzero"`
	Severity Severity `json:"severity,omitzero"`

	// Pos is where the fault stands in a file; zero for faults in documents
	// that have no file.
	Pos Pos `json:"position,omitzero"`
}

// New returns a problem without path, hint or severity.
func New(code Code, format string, args ...any) Problem {
	return Problem{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Hint returns a copy of p that says what to do next.
func (p Problem) Hint(format string, args ...any) Problem {
	p.FixHint = fmt.Sprintf(format, args...)
	return p
}

// In returns a copy of p that points into a document.
func (p Problem) In(path Path) Problem {
	p.Path = path
	return p
}

// At returns a copy of p that points into a file.
func (p Problem) At(pos Pos) Problem {
	p.Pos = pos
	return p
}

// Error makes a Problem usable as an error, for faults that stop the work.
func (p Problem) Error() string {
	var b strings.Builder
	if !p.Pos.IsZero() {
		fmt.Fprintf(&b, "%s: ", p.Pos)
	}
	fmt.Fprintf(&b, "%s: %s", p.Code, p.Message)
	if p.Path != Root && !p.Path.IsZero() {
		fmt.Fprintf(&b, " (at %s)", p.Path)
	}
	return b.String()
}

// Pos is a place in a file. Line and Column count from 1; Column counts
// characters, not bytes. A zero Line means the file as a whole.
type Pos struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitzero"`
	Column int    `json:"column,omitzero"`
}

// IsZero reports whether p points nowhere.
func (p Pos) IsZero() bool { return p == Pos{} }

func (p Pos) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

func (p Pos) compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// List is a number of findings about one subject.
type List []Problem

// HasErrors reports whether anything in the list is more than a warning.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(p Problem) bool { return p.Severity != Warning })
}

// Split returns the errors and the warnings of l, each in l's order.
func (l List) Split() (errors, warnings List) {
	for _, p := range l {
		if p.Severity == Warning {
			warnings = append(warnings, p)
		} else {
			errors = append(errors, p)
		}
	}
	return errors, warnings
}

// SortByPos orders findings as a reader meets them: by file, line and column,
// then by code and message so that the order never depends on chance.
func (l List) SortByPos() {
	slices.SortStableFunc(l, func(a, b Problem) int {
		return cmp.Or(a.Pos.compare(b.Pos), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
}

// Error makes a List usable as an error where findings stop the work.
func (l List) Error() string {
	switch len(l) {
	case 0:
		return "no problems"
	case 1:
		return l[0].Error()
	}
	return fmt.Sprintf("%s (and %d more)", l[0].Error(), len(l)-1)
}

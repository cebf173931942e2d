// Package problem describes faults in documents, taxonomies and requests.
// It knows nothing about HTTP, MCP or terminals; each renders a [Problem] its
// own way.
//
// Findings about a document or an authoring tree are ordinary values, collected
// in a [List]. A Problem returned as an error aborts the operation.
package problem

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Code identifies one kind of problem. Codes are stable: new ones may be added,
// but none is renamed or removed.
type Code string

// Codes of problems that abort a request. They are common to all routes and
// tools.
const (
	BadRequest           Code = "bad_request"
	NotFound             Code = "not_found"
	Gone                 Code = "gone"
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

// Severity distinguishes errors, which make a document or an authoring tree
// unusable, from warnings.
type Severity string

const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Problem is one finding, worded for the person who can fix it.
type Problem struct {
	Code     Code     `json:"code"`
	Message  string   `json:"message"`
	Path     Path     `json:"path,omitzero"`
	FixHint  string   `json:"fix_hint,omitzero"`
	Severity Severity `json:"severity,omitzero"`

	// Call and then Also are appended to FixHint by [Problem.Render]. They have no
	// encoding.
	Call Call `json:"call,omitzero"`
	Also Call `json:"also,omitzero"`

	// Pos is the position in a file. It is zero for documents that were not
	// read from a file.
	Pos Pos `json:"position,omitzero"`
	// LineText is the line of the file at Pos, for excerpts. It is empty if it is
	// not known.
	LineText string `json:"-"`

	cause error
}

// New returns a problem without a path, hint or severity.
func New(code Code, format string, args ...any) Problem {
	return Problem{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Failure returns a problem without a code, for failures of commands and of operating
// a server. Clients never see it.
func Failure(format string, args ...any) Problem {
	return Problem{Message: fmt.Sprintf(format, args...)}
}

// Because returns a copy of p with the error that caused it. The cause is for callers
// and logs; it has no encoding.
func (p Problem) Because(cause error) Problem {
	p.cause = cause
	return p
}

// Unwrap returns the cause, or nil.
func (p Problem) Unwrap() error { return p.cause }

// Hint returns a copy of p with a hint that says how to fix it.
func (p Problem) Hint(format string, args ...any) Problem {
	p.FixHint = fmt.Sprintf(format, args...)
	return p
}

// In returns a copy of p with the given path in a document.
func (p Problem) In(path Path) Problem {
	p.Path = path
	return p
}

// At returns a copy of p with the given position in a file.
func (p Problem) At(pos Pos) Problem {
	p.Pos = pos
	return p
}

// Error implements the error interface. Its text is for logs: it ends with the cause
// or, if there is no code, with the hint, because the message of a [Failure] describes
// the cause already.
func (p Problem) Error() string {
	var b strings.Builder
	if !p.Pos.IsZero() {
		fmt.Fprintf(&b, "%s: ", p.Pos)
	}
	if p.Code != "" {
		fmt.Fprintf(&b, "%s: ", p.Code)
	}
	b.WriteString(p.Message)
	if p.Path != Root && !p.Path.IsZero() {
		fmt.Fprintf(&b, " (at %s)", p.Path)
	}
	switch {
	case p.Code == "" && p.FixHint != "":
		b.WriteString(" " + p.FixHint)
	case p.Code != "" && p.cause != nil:
		fmt.Fprintf(&b, " %v", p.cause)
	}
	return b.String()
}

// Pos is a position in a file. Line and Column start at 1; Column counts
// characters, not bytes. A zero Line means the whole file.
type Pos struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitzero"`
	Column int    `json:"column,omitzero"`
}

// IsZero reports whether p is the zero position.
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

// List is a list of findings about one document, tree or request.
type List []Problem

// HasErrors reports whether l contains anything other than warnings.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(p Problem) bool { return p.Severity != Warning })
}

// Split returns the errors and the warnings in l, each in the original order.
func (l List) Split() (errs, warnings List) {
	for _, p := range l {
		if p.Severity == Warning {
			warnings = append(warnings, p)
		} else {
			errs = append(errs, p)
		}
	}
	return errs, warnings
}

// SortByPos sorts the findings by file, line and column, and then by code and
// message to make the order deterministic.
func (l List) SortByPos() {
	slices.SortStableFunc(l, func(a, b Problem) int {
		return cmp.Or(a.Pos.compare(b.Pos), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
}

// Error implements the error interface.
func (l List) Error() string {
	switch len(l) {
	case 0:
		return "no problems"
	case 1:
		return l[0].Error()
	}
	return fmt.Sprintf("%s (and %d more)", l[0].Error(), len(l)-1)
}

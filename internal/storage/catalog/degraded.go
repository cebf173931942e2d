package catalog

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// State tells whether a degraded release is served at all.
type State string

const (
	Stale       State = "stale"       // the last good copy is served
	Unavailable State = "unavailable" // there is no good copy
)

// Degradation explains why a release is not served as it is published or, in an
// authoring tree, as it is written.
type Degradation struct {
	State    State     `json:"state"`
	Since    time.Time `json:"since"`
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
	// FirstError is a finding in an authoring tree. Other reasons are internal
	// and only logged.
	FirstError problem.Problem `json:"first_error"`
}

// DegradedRelease is a release with its degradation. The ID is zero if the index
// cannot be read, which affects all releases.
type DegradedRelease struct {
	ID taxonomy.ID `json:"id,omitzero"`
	Degradation
}

// Summary describes the degradation in full sentences, with the hint of the first
// error.
func (d DegradedRelease) Summary() string {
	first := d.FirstError.Message + " " + d.FirstError.FixHint
	if !d.FirstError.Pos.IsZero() {
		first = d.FirstError.Pos.String() + ": " + first
	}
	switch {
	case d.ID.IsZero():
		return first
	case d.Errors == 1:
		return fmt.Sprintf("%s has an error. %s", d.ID, first)
	}
	return fmt.Sprintf("%s has %d errors. The first: %s", d.ID, d.Errors, first)
}

// Degraded returns the releases that are not served as they are published. They
// are in the order of the index.
func (c *Catalog) Degraded() []DegradedRelease {
	s := c.current.Load()
	failure := c.indexError.Load()
	switch {
	case failure == nil && s == nil:
		return nil
	case failure == nil:
		return s.degraded
	}
	whole := DegradedRelease{Degradation: Degradation{
		State: Unavailable, Since: failure.since, Errors: 1,
		FirstError: unreadable("The list of releases cannot be read."),
	}}
	if s == nil {
		return []DegradedRelease{whole}
	}
	whole.State = Stale
	return append([]DegradedRelease{whole}, s.degraded...)
}

// degradation returns nil if sv is served as published.
func (sv *servedRelease) degradation() *Degradation {
	if sv.err == nil {
		return nil
	}
	findings, ok := errors.AsType[problem.List](sv.err)
	errs, warnings := findings.Split()
	if !ok || len(errs) == 0 {
		errs = problem.List{unreadable("The release cannot be read.")}
	}
	first := errs[0]
	// File names may be invalid UTF-8, which JSON cannot represent.
	for _, text := range []*string{&first.Message, &first.FixHint, &first.Pos.File} {
		*text = strings.ToValidUTF8(*text, "\uFFFD")
	}
	d := &Degradation{State: Stale, Since: sv.since, Errors: len(errs), Warnings: len(warnings), FirstError: first}
	if sv.release == nil {
		d.State = Unavailable
	}
	return d
}

func unreadable(message string) problem.Problem {
	p := problem.New(problem.UpstreamError, "%s", message).Hint("The log of the server contains the reason.")
	p.Severity = problem.Error
	return p
}

// now returns the current time in the precision of responses.
func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

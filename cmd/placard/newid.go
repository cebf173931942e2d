package main

import (
	"time"

	"placard/internal/core/problem"
	"placard/internal/core/source"
	"placard/internal/core/taxonomy"
)

// parseNewID parses the id of a new release. The status may be omitted and is then
// beta. The hint of its error suggests the date of now.
func parseNewID(arg string, now time.Time) (taxonomy.ID, error) {
	for _, text := range []string{arg, arg + "-" + string(taxonomy.Beta)} {
		if id, err := taxonomy.ParseID(text); err == nil && len(id.Type) <= source.MaxIDLength {
			return id, nil
		}
	}
	return taxonomy.ID{}, problem.Failure("%q is not of the form TYPE@DATE, TYPE@DATE-beta or TYPE@DATE-stable.", problem.Clip(arg)).
		Hint("Write a type of at most %d letters, digits, _ and -, and a date, such as parks@%s.", source.MaxIDLength, now.Format(time.DateOnly))
}

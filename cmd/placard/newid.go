package main

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"

	"placard/internal/core/problem"
	"placard/internal/core/source"
	"placard/internal/core/taxonomy"
)

// datedStatus matches a date, which may be invalid, with a status.
var datedStatus = regexp.MustCompile(`^(.*[0-9])-([^0-9]*)$`)

// parseNewID parses the id of a new release. The status may be omitted and is then
// beta. The hints of its errors suggest the date of now.
func parseNewID(arg string, now time.Time) (taxonomy.ID, error) {
	invalid := func(value, message, hint string) (taxonomy.ID, error) {
		return taxonomy.ID{}, problem.Failure("%q "+message, problem.Clip(value)).Hint("%s", hint)
	}
	today := now.Format(time.DateOnly)
	typ, dated, ok := strings.Cut(arg, "@")
	switch {
	case !ok:
		return invalid(arg, "is not of the form TYPE@DATE.", "Write a type and a date, such as parks@"+today+".")
	case !taxonomy.IsWord(typ):
		return invalid(typ, "is not a valid type.", "Use only a-z, A-Z, 0-9, _ and -, as in parks@"+today+".")
	case len(typ) > source.MaxIDLength:
		return invalid(typ, "is too long for a type.", fmt.Sprintf("Use at most %d characters.", source.MaxIDLength))
	}
	date, status := dated, string(taxonomy.Beta)
	if m := datedStatus.FindStringSubmatch(dated); m != nil {
		date, status = m[1], m[2]
	}
	if !taxonomy.IsDate(date) {
		return invalid(date, "is not a valid date.", "Write the date as YYYY-MM-DD, as in "+typ+"@"+today+".")
	}
	id, err := taxonomy.ParseIDParts(typ, date+"-"+status)
	if err != nil {
		statuses := []string{string(taxonomy.Beta), string(taxonomy.Stable)}
		return invalid(status, "is not a status.", cmp.Or(problem.DidYouMean(status, statuses), "Use beta or stable. Without a status, the release is a beta."))
	}
	return id, nil
}

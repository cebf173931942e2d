package main

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"placard/internal/core/problem"
	"placard/internal/core/source"
	"placard/internal/core/taxonomy"
)

// parseNewID parses the id of a new release. The status may be omitted and is then
// beta. The hints of its errors suggest the date of now.
func parseNewID(arg string, now time.Time) (taxonomy.ID, error) {
	example := func(typ string) string { return typ + "@" + now.Format(time.DateOnly) }
	invalid := func(hint, format string, args ...any) (taxonomy.ID, error) {
		return taxonomy.ID{}, problem.Failure(format, args...).Hint("%s", hint)
	}
	quoted := strconv.Quote(problem.Clip(arg))
	typ, dated, ok := strings.Cut(arg, "@")
	switch {
	case !ok && strings.Contains(arg, "/"):
		i := strings.LastIndexByte(arg, '/')
		if id, err := parseNewID(arg[:i]+"@"+arg[i+1:], now); err == nil {
			return invalid("Did you mean "+strconv.Quote(id.String())+"?", "%s is not of the form TYPE@DATE.", quoted)
		}
		return invalid("Write a type and a date, such as "+example("parks")+".", "%s is not of the form TYPE@DATE.", quoted)
	case !ok:
		return invalid("Write a type and a date, such as "+example(validType(arg))+".", "%s has no date.", quoted)
	case !taxonomy.IsWord(typ):
		return invalid("Use only a-z, A-Z, 0-9, _ and -, as in "+example(validType(typ))+".", "%q is not a valid type.", problem.Clip(typ))
	case len(typ) > source.MaxIDLength:
		return invalid(fmt.Sprintf("Use at most %d characters.", source.MaxIDLength), "%q is too long for a type.", problem.Clip(typ))
	}
	date, status := dated, string(taxonomy.Beta)
	if m := datedStatus.FindStringSubmatch(dated); m != nil {
		date, status = m[1], m[2]
	}
	if !taxonomy.IsDate(date) {
		hint := "Write the date as YYYY-MM-DD, as in " + example(typ) + "."
		if m := looseDate.FindStringSubmatch(date); m != nil {
			if day := fmt.Sprintf("%s-%02s-%02s", m[1], m[2], m[3]); taxonomy.IsDate(day) {
				hint = "Did you mean " + strconv.Quote(typ+"@"+day) + "?"
			}
		}
		return invalid(hint, "%q is not a valid date.", problem.Clip(date))
	}
	id, err := taxonomy.ParseIDParts(typ, date+"-"+status)
	if err != nil {
		statuses := []string{string(taxonomy.Beta), string(taxonomy.Stable)}
		return invalid(cmp.Or(problem.DidYouMean(status, statuses), "Use beta or stable. Without a status, the release is a beta."), "%q is not a status.", problem.Clip(status))
	}
	return id, nil
}

var (
	datedStatus = regexp.MustCompile(`^(.*[0-9])-([^0-9]*)$`)
	looseDate   = regexp.MustCompile(`^(\d{4})[-./]?(\d\d?)[-./]?(\d\d?)$`)
	notInType   = regexp.MustCompile(`[^a-zA-Z0-9_-]+`)
)

// validType returns a type similar to s, without accents.
func validType(s string) string {
	decomposed := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(problem.Clip(s)))
	return cmp.Or(strings.Trim(notInType.ReplaceAllString(decomposed, "_"), "_"), "parks")
}

package datachain

import (
	"math"
	"regexp"
	"strconv"

	"placard/internal/core/taxonomy"
)

// afterDate matches the time in an ISO 8601 timestamp: that of RFC 3339, optionally
// without seconds, without the minutes or the colon of the offset, or without an offset,
// which means UTC.
var afterDate = regexp.MustCompile(`^[Tt](?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:[.,]\d+)?)?(?:[Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$`)

// isTimestamp reports whether s is an ISO 8601 date and time.
func isTimestamp(s string) bool {
	return len(s) > 10 && taxonomy.IsDate(s[:10]) && afterDate.MatchString(s[10:])
}

// isWhole reports whether the JSON number raw is an integer, in any spelling.
func isWhole(raw string) bool {
	f := number(raw)
	return f == math.Trunc(f)
}

// number returns the value of the JSON number raw. Numbers outside the range of
// float64, and very long ones, become an infinity.
func number(raw string) float64 {
	if len(raw) > 1<<12 {
		return math.Inf(1)
	}
	f, _ := strconv.ParseFloat(raw, 64)
	return f
}

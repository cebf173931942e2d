package datachain

import (
	"math"
	"strconv"
	"strings"

	"placard/internal/core/taxonomy"
)

// isTimestamp reports whether s is an ISO 8601 timestamp: an RFC 3339 timestamp,
// optionally without seconds or without the colon in the offset.
func isTimestamp(s string) bool {
	if len(s) < len("2006-01-02T15:04Z") || !taxonomy.IsDate(s[:10]) || s[10] != 'T' && s[10] != 't' || s[13] != ':' {
		return false
	}
	hour, ok := twoDigits(s[11:], 23)
	if !ok {
		return false
	}
	minute, ok := twoDigits(s[14:], 59)
	if !ok {
		return false
	}
	second, zone, ok := seconds(s[16:])
	if !ok {
		return false
	}
	offset, ok := zoneOffset(zone)
	// A leap second is at the end of a day in UTC.
	return ok && (second < 60 || (hour*60+minute-offset+2*1440)%1440 == 1439)
}

// seconds parses the optional seconds at the start of s.
func seconds(s string) (whole int, rest string, ok bool) {
	if !strings.HasPrefix(s, ":") {
		return 0, s, true
	}
	if whole, ok = twoDigits(s[1:], 60); !ok {
		return 0, "", false
	}
	rest = s[3:]
	if fraction, found := strings.CutPrefix(rest, "."); found {
		rest = strings.TrimLeft(fraction, "0123456789")
		ok = len(rest) < len(fraction)
	}
	return whole, rest, ok
}

// zoneOffset parses a time zone and returns its offset from UTC in minutes.
func zoneOffset(s string) (minutes int, ok bool) {
	if s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) == len("+02:00") && s[3] == ':' {
		s = s[:3] + s[4:]
	}
	if len(s) != len("+0200") || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	hours, ok1 := twoDigits(s[1:], 23)
	minutes, ok2 := twoDigits(s[3:], 59)
	minutes += 60 * hours
	if s[0] == '-' {
		minutes = -minutes
	}
	return minutes, ok1 && ok2
}

// twoDigits parses the two digits at the start of s, which must not exceed limit.
func twoDigits(s string, limit int) (n int, ok bool) {
	if len(s) < 2 || s[0] < '0' || '9' < s[0] || s[1] < '0' || '9' < s[1] {
		return 0, false
	}
	n = int(s[0]-'0')*10 + int(s[1]-'0')
	return n, n <= limit
}

// isWhole reports whether the JSON number raw is an integer, in any spelling.
func isWhole(raw string) bool {
	if !strings.ContainsAny(raw, ".eE") {
		return true
	}
	digits, exponent := strings.TrimPrefix(raw, "-"), 0
	if e := exponentOf(digits); e != "" {
		// If e is out of range, Atoi returns the nearest int, which gives the same
		// result.
		exponent, _ = strconv.Atoi(e[1:])
		digits = digits[:len(digits)-len(e)]
	}
	before, after, _ := strings.Cut(digits, ".")
	digits = before + after
	significant := strings.TrimRight(digits, "0")
	return significant == "" || exponent >= len(after)-(len(digits)-len(significant))
}

// isNegative reports whether the JSON number raw is less than zero.
func isNegative(raw string) bool {
	digits, negative := strings.CutPrefix(raw, "-")
	return negative && strings.ContainsAny(digits[:len(digits)-len(exponentOf(digits))], "123456789")
}

// exponentOf returns the exponent of the JSON number raw, including the e.
func exponentOf(raw string) string {
	if i := strings.IndexAny(raw, "eE"); i >= 0 {
		return raw[i:]
	}
	return ""
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

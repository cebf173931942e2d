package main

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"placard/internal/core/link"
	"placard/internal/core/problem"
	"placard/internal/serve/redisdb"
	"placard/internal/serve/web"
)

// size is a number of bytes, written like 64KiB.
type size int64

var units = []struct {
	name  string
	bytes size
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"", 1}}

func (s size) String() string {
	for _, u := range units {
		if s%u.bytes == 0 && s >= u.bytes {
			return strconv.FormatInt(int64(s/u.bytes), 10) + u.name
		}
	}
	return "0"
}

func (s *size) Set(text string) error {
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n < 0 || n > int64(1<<40/u.bytes) {
			break
		}
		*s = size(n) * u.bytes
		return nil
	}
	return problem.Failure("%q is not a size", text).Hint(`Use the form "65536", "64KiB" or "1MiB".`)
}

func (*size) Type() string { return "size" }

// describeSize returns a number of bytes for people, such as 1.5 MiB.
func describeSize(n int64) string {
	const unit = 1024
	if n < unit {
		return strconv.FormatInt(n, 10) + " B"
	}
	value, prefixes := float64(n)/unit, "KMGTPE"
	for value >= unit {
		value /= unit
		prefixes = prefixes[1:]
	}
	return fmt.Sprintf("%.1f %ciB", value, prefixes[0])
}

const (
	day    = 24 * time.Hour
	maxAge = 36500 * day
)

// age is a duration in days or hours, written like 30d or 12h.
type age time.Duration

func (a age) String() string {
	if d := time.Duration(a); d%day != 0 {
		return strconv.FormatInt(int64(d/time.Hour), 10) + "h"
	}
	return strconv.FormatInt(int64(time.Duration(a)/day), 10) + "d"
}

func (a *age) Set(text string) error {
	for suffix, unit := range map[string]time.Duration{"d": day, "h": time.Hour} {
		number, ok := strings.CutSuffix(text, suffix)
		n, err := strconv.ParseUint(number, 10, 64)
		if ok && err == nil && n <= uint64(maxAge/unit) {
			*a = age(time.Duration(n) * unit)
			return nil
		}
	}
	return problem.Failure("%q is not a number of days or hours of at most 100 years", text).Hint(`Use the form "30d" or "12h".`)
}

func (*age) Type() string { return "age" }

// list is a flag value: a comma-separated list of items.
type list[T any] struct {
	items []T
	parse func(string) (T, error)
	noun  string
}

func (l *list[T]) String() string {
	texts := make([]string, len(l.items))
	for i, item := range l.items {
		texts[i] = fmt.Sprint(item)
	}
	return strings.Join(texts, ",")
}

func (l *list[T]) Set(text string) error {
	var all []T
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		parsed, err := l.parse(item)
		if err != nil {
			return err
		}
		all = append(all, parsed)
	}
	l.items = all
	return nil
}

func (l *list[T]) Type() string { return l.noun }

// parseHost returns the name of a host in lower case.
func parseHost(text string) (string, error) {
	host := strings.ToLower(strings.Trim(text, "[]"))
	if _, err := netip.ParseAddr(host); err != nil && strings.ContainsAny(host, ":/ @*") {
		return "", problem.Failure("%q is not a host name", host).Hint("Omit scheme and port.")
	}
	return host, nil
}

// siteLink is a flag value: a name with an optional web or mail address, as in
// "City of Example=https://city.example".
type siteLink struct{ web.Link }

func (l siteLink) String() string {
	if l.Address == "" {
		return l.Name
	}
	return l.Name + "=" + l.Address
}

func (l *siteLink) Set(text string) error {
	name, address, hasAddress := strings.Cut(text, "=")
	parsed := web.Link{Name: strings.TrimSpace(name), Address: cmp.Or(link.Web(address), link.Mail(address))}
	if hasAddress && (parsed.Name == "" || parsed.Address == "") {
		return problem.Failure("%q is not a name with an address", text).Hint("Use NAME, NAME=https://city.example or NAME=mailto:info@city.example.")
	}
	l.Link = parsed
	return nil
}

func (*siteLink) Type() string { return "NAME=URL" }

// parseSiteLink returns a name with an address.
func parseSiteLink(text string) (siteLink, error) {
	var l siteLink
	err := l.Set(text)
	if err == nil && l.Address == "" {
		err = problem.Failure("%q has no address", text).Hint("Use NAME=URL,NAME=URL.")
	}
	return l, err
}

// redisAddress is a flag value with the address of a Redis server. It is printed
// without its password.
type redisAddress struct{ redisdb.Address }

func (a *redisAddress) Set(text string) (err error) {
	a.Address = redisdb.Address{}
	if text == "" {
		return nil
	}
	if a.Address, err = redisdb.ParseAddress(text); err != nil {
		return problem.Failure("%v", err).Hint("Use the form redis://user:password@host:6379.")
	}
	return nil
}

func (*redisAddress) Type() string { return "URL" }

// logLevel is the lowest level of records in a log.
type logLevel slog.Level

func (l logLevel) String() string { return slog.Level(l).String() }

func (l *logLevel) Set(text string) error {
	if err := (*slog.Level)(l).UnmarshalText([]byte(text)); err != nil {
		return problem.Failure("%q is not a log level", text).Hint("Use debug, info, warn or error.")
	}
	return nil
}

func (*logLevel) Type() string { return "level" }

// choice is a flag value with a fixed set of options.
type choice struct {
	value   *string
	options []string
}

// newChoice returns a choice that sets value, initially to the first option.
func newChoice(value *string, options ...string) choice {
	*value = options[0]
	return choice{value, options}
}

func (c choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

func (c choice) Set(text string) error {
	if !slices.Contains(c.options, text) {
		return problem.Failure("%q is not one of %s", text, strings.Join(c.options, ", ")).
			Hint("%s", cmp.Or(problem.DidYouMean(text, c.options), "Use "+problem.OneOf(c.options)+"."))
	}
	*c.value = text
	return nil
}

func (c choice) Type() string { return strings.Join(c.options, "|") }

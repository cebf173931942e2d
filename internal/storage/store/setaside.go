package store

import (
	"regexp"
	"strconv"
	"time"
)

// Files that are set aside keep their name, with a suffix and the time.
const (
	damagedSuffix = ".damaged-"
	orphanSuffix  = ".orphan-"
)

var setAside = regexp.MustCompile(`\.(?:damaged|orphan)-([0-9]+)$`)

func setAsideName(name, suffix string) string {
	return name + suffix + strconv.FormatInt(time.Now().UnixNano(), 10)
}

// setAsideTime returns when a file or folder was set aside. If it was not, ok is
// false.
func setAsideTime(name string) (at time.Time, ok bool) {
	match := setAside.FindStringSubmatch(name)
	if match == nil {
		return time.Time{}, false
	}
	nanoseconds, err := strconv.ParseInt(match[1], 10, 64)
	return time.Unix(0, nanoseconds).UTC(), err == nil
}

// SetAsideIndex returns the name under which a [Backend] keeps a damaged index.
func SetAsideIndex() string { return setAsideName(IndexFile, damagedSuffix) }

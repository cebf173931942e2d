//go:build !linux

package budget

import "time"

// threadTime returns the time since work began, which no thread can exceed, as
// there is no portable clock of a thread's processor time.
func threadTime(started time.Time) time.Duration { return time.Since(started) }

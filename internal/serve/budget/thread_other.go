//go:build !linux

package budget

import "time"

// threadTime returns the time since started, an upper bound of the thread's
// processor time, for which there is no portable clock.
func threadTime(started time.Time) time.Duration { return time.Since(started) }

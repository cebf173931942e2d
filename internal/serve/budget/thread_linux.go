package budget

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the processor time used by the current thread.
func threadTime(started time.Time) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		// A sandbox may forbid this clock. Elapsed time is an upper bound.
		return time.Since(started)
	}
	return time.Duration(t.Nano())
}

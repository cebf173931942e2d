package s3store

import "time"

// SetStallTimeout changes the time in which a server must respond.
func SetStallTimeout(d time.Duration) { stallTimeout = d }

package s3store

import "time"

// SetStallTimeout changes the time in which a server must respond.
func SetStallTimeout(d time.Duration) { stallTimeout = d }

// The functions that [store.Open] and [store.OpenObjects] call, with a transport.
var (
	OpenWith        = open
	OpenObjectsWith = openObjects
)

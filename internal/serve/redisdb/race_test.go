//go:build race

package redisdb_test

// raceDetector reports whether the test was built with the race detector, which makes
// durations meaningless.
const raceDetector = true

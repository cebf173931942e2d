//go:build !race

package redisdb_test

const raceDetector = false

//go:build race

package datachain

// slowdown is how much longer everything takes with the race detector.
const slowdown = 16

//go:build race

package datachain

// slowdown is the factor by which the race detector slows tests down.
const slowdown = 16

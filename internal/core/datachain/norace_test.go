//go:build !race

package datachain

const slowdown = 1

package store

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// maxParallel is the number of files that are read at a time. Each read of a store on
// a server takes a round trip.
const maxParallel = 32

// forEach calls f with the numbers from 0 to n-1, several at a time, and returns the
// first error. It stops early after an error and when ctx is done.
func forEach(ctx context.Context, n int, f func(int) error) error {
	return forEachOf(ctx, maxParallel, n, f)
}

// forEachOf is like forEach, with another limit than maxParallel.
func forEachOf(ctx context.Context, limit, n int, f func(int) error) error {
	g, running := errgroup.WithContext(ctx)
	g.SetLimit(limit)
	for i := range n {
		if running.Err() != nil {
			break
		}
		g.Go(func() error { return f(i) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

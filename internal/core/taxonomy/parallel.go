package taxonomy

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Parallel calls f with each of 0 to n-1 on up to GOMAXPROCS goroutines, and waits for
// all calls. Calls start in this order. If a call panics, Parallel panics in the
// goroutine of its caller, which can recover; the remaining calls may not be made.
func Parallel(n int, f func(i int)) {
	var started atomic.Int64
	var failure atomic.Pointer[string]
	var group sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					text := fmt.Sprintf("%v\n%s", v, debug.Stack())
					failure.CompareAndSwap(nil, &text)
				}
			}()
			for failure.Load() == nil {
				i := int(started.Add(1)) - 1
				if i >= n {
					return
				}
				f(i)
			}
		})
	}
	group.Wait()
	if text := failure.Load(); text != nil {
		panic(*text)
	}
}

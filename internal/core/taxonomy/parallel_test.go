package taxonomy_test

import (
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"placard/internal/core/taxonomy"
)

func TestParallelMakesEachCallOnce(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000} {
		calls := make([]int, n)
		taxonomy.Parallel(n, func(i int) { calls[i]++ })
		for i, got := range calls {
			if got != 1 {
				t.Errorf("Parallel(%d): got %d calls with %d, want 1", n, got, i)
			}
		}
	}
}

func TestParallelRunsCallsAtTheSameTime(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var arrived atomic.Int32
	both := make(chan struct{})
	taxonomy.Parallel(2, func(int) {
		if arrived.Add(1) == 2 {
			close(both)
		}
		<-both
	})
}

func TestAPanicReachesTheCaller(t *testing.T) {
	defer func() {
		v, _ := recover().(string)
		if !strings.HasPrefix(v, "broken\n") || !strings.Contains(v, "parallel_test.go") {
			t.Errorf("got panic %q, want one with the value and the stack of the call", v)
		}
	}()
	taxonomy.Parallel(100, func(i int) {
		if i == 7 {
			panic("broken")
		}
	})
}

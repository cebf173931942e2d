//go:build !race

// The race detector makes sync.Pool drop items at random.

package requestbody_test

import (
	"bytes"
	"io"
	"testing"

	"placard/internal/serve/requestbody"
)

func TestReadReusesBuffers(t *testing.T) {
	for _, size := range []int{2, 4 << 10, 20 << 10, 200 << 10} {
		content := bytes.Repeat([]byte(" "), size)
		body := bytes.NewReader(nil)
		r := request(body, int64(size))
		r.Body = io.NopCloser(body)
		if allocs := testing.AllocsPerRun(100, func() {
			body.Reset(content)
			b, err := requestbody.Read(r, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			b.Free()
		}); allocs > 1 { // 1: the garbage collector may empty a pool
			t.Errorf("%d bytes: got %v allocations, want 0", size, allocs)
		}
	}
}

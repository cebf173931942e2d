package compress

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// maxEncoderMemory is the limit stated in docs/operating.md.
const maxEncoderMemory = 84 << 20

// TestEncoderMemoryIsBounded compresses in another process, because the number of
// encoders depends on the number of processors at startup.
func TestEncoderMemoryIsBounded(t *testing.T) {
	const variable = "PLACARD_TEST_ENCODERS"
	if os.Getenv(variable) != "" {
		reportEncoderMemory()
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestEncoderMemoryIsBounded$", "-test.v")
	cmd.Env = append(os.Environ(), variable+"=1", "GOMAXPROCS=32")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var first, all int
	_, report, _ := strings.Cut(string(out), "heap: ")
	if _, err := fmt.Sscanf(report, "%d %d", &first, &all); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("one zstd response: %.1f MiB; all codings: %.1f MiB", float64(first)/(1<<20), float64(all)/(1<<20))
	if first > 6<<20 {
		t.Errorf("one zstd response keeps %d bytes, want at most 6 MiB", first)
	}
	if all > maxEncoderMemory {
		t.Errorf("the encoders keep %d bytes, want at most %d", all, maxEncoderMemory)
	}
}

// reportEncoderMemory prints the growth of the heap after one response, and after
// every encoder has compressed one.
func reportEncoderMemory() {
	body := []byte(strings.Repeat(`{"id":"public_safety","title":[{"locale":"en","value":"Public safety"}]},`, 10_000))
	start := heapSize()
	Bytes(body, Zstd, Thorough)
	first := heapSize() - start
	for _, pools := range encoders[Gzip:] {
		for _, p := range pools {
			for len(p.idle) < cap(p.idle) {
				e := p.newEncoder()
				e.encode(body)
				p.idle <- e
			}
		}
	}
	fmt.Println("heap:", first, heapSize()-start)
}

func heapSize() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func TestCacheCountsTheMemoryItHolds(t *testing.T) {
	const size = 1 << 20
	cache := NewCache(size)
	Bytes(make([]byte, size), Zstd, Thorough) // create the encoder
	before := heapSize()
	for i := range 2000 {
		cache.Bytes([]byte(strings.Repeat(fmt.Sprintf("response %d ", i), 2000)), Zstd)
	}
	if grown := heapSize() - before; grown > size {
		t.Errorf("a cache of %d bytes holds %d", size, grown)
	}
	runtime.KeepAlive(cache)
}

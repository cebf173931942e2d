package compress

import (
	"io"
	"runtime"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// An encoder is reused for many bodies and uses megabytes of memory, so the
// number of encoders is bounded. Compressing is never blocked by a client, and
// more encoders than processors would only use more memory. Thorough encoders
// are larger and needed only to fill the cache.
const (
	maxQuickEncoders    = 8
	maxThoroughEncoders = 2
)

// The window is larger than almost every response. A larger window would use
// more memory, also in clients.
const windowBits = 19

// encoders holds the encoders of each coding and effort. The size of an encoder
// in MiB is in the comments; docs/operating.md states the total.
var encoders = [codings][efforts]*encoderPool{
	Gzip: {
		Quick:    newEncoderPool(maxQuickEncoders, func() encoder { return newGzip(5) }),    // 1.0
		Thorough: newEncoderPool(maxThoroughEncoders, func() encoder { return newGzip(9) }), // 1.4
	},
	Zstd: {
		Quick: newEncoderPool(maxQuickEncoders, func() encoder { return newZstd(zstd.SpeedDefault) }), // 2.0
		// SpeedBestCompression has tables of 34 MiB, whatever the window.
		Thorough: newEncoderPool(maxThoroughEncoders, func() encoder { return newZstd(zstd.SpeedBetterCompression) }), // 4.8
	},
	Brotli: {
		Quick: newEncoderPool(maxQuickEncoders, func() encoder { return newBrotli(2) }), // 2.9
		// Each level above 7 doubles the memory and saves less than 0.5 %.
		Thorough: newEncoderPool(maxThoroughEncoders, func() encoder { return newBrotli(7) }), // 11.3
	},
}

type encoder interface {
	encode(body []byte) []byte
}

// encoderPool creates encoders on demand and keeps them.
type encoderPool struct {
	slots      chan struct{} // holds one value for each encoder in use
	idle       chan encoder
	newEncoder func() encoder
}

// newEncoderPool returns a pool of at most limit encoders, and at most one per
// processor.
func newEncoderPool(limit int, newEncoder func() encoder) *encoderPool {
	limit = min(limit, runtime.GOMAXPROCS(0))
	return &encoderPool{make(chan struct{}, limit), make(chan encoder, limit), newEncoder}
}

func (p *encoderPool) encode(body []byte) []byte {
	p.slots <- struct{}{}
	defer func() { <-p.slots }()
	var e encoder
	select {
	case e = <-p.idle:
	default:
		e = p.newEncoder()
	}
	out := e.encode(body)
	// Not deferred: an encoder that panicked is not reused.
	p.idle <- e
	return out
}

// initialCapacity returns the capacity of the buffer for a compressed body.
func initialCapacity(body []byte) int { return len(body) / 3 }

// writerEncoder is an encoder that writes to an [io.Writer], which is itself.
type writerEncoder struct {
	writer interface {
		io.WriteCloser
		Reset(io.Writer)
	}
	out []byte
}

func (e *writerEncoder) encode(body []byte) []byte {
	e.out = make([]byte, 0, initialCapacity(body))
	e.writer.Reset(e)
	// Write never fails.
	_, _ = e.writer.Write(body)
	_ = e.writer.Close()
	out := e.out
	e.out = nil // an idle encoder does not keep the body
	return out
}

func (e *writerEncoder) Write(b []byte) (int, error) {
	e.out = append(e.out, b...)
	return len(b), nil
}

func newGzip(level int) encoder {
	w, err := gzip.NewWriterLevel(nil, level)
	if err != nil {
		panic(err) // the level is out of range
	}
	return &writerEncoder{writer: w}
}

func newBrotli(level int) encoder {
	return &writerEncoder{writer: brotli.NewWriterOptions(nil, brotli.WriterOptions{Quality: level, LGWin: windowBits})}
}

type zstdEncoder struct{ *zstd.Encoder }

func (e zstdEncoder) encode(body []byte) []byte {
	return e.EncodeAll(body, make([]byte, 0, initialCapacity(body)))
}

func newZstd(level zstd.EncoderLevel) encoder {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithWindowSize(1<<windowBits),
		zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // an option is out of range
	}
	return zstdEncoder{w}
}

package server

import (
	"io"
	"sync"
	"time"
)

// BatchWriter is a writer for logs. It collects lines for a short time and writes
// them together, outside the goroutine that logs. A process that is killed loses
// the lines collected last, so warnings and errors are flushed; see [LogHandler].
type BatchWriter struct {
	w io.Writer

	mu      sync.Mutex
	pending []byte
	spare   []byte
	closed  bool
	writing sync.Mutex // locked while mu is held, so that batches stay in order

	started chan struct{} // receives a value when pending becomes non-empty
	done    chan struct{}
}

const (
	// batchDelay is the time that a line may stay in memory.
	batchDelay = 20 * time.Millisecond
	// maxPending is the number of bytes collected before writes block.
	maxPending = 4 << 20
)

// NewBatchWriter returns a BatchWriter that writes to w until it is closed.
func NewBatchWriter(w io.Writer) *BatchWriter {
	b := &BatchWriter{w: w, started: make(chan struct{}, 1), done: make(chan struct{})}
	go b.run()
	return b
}

// Write adds lines to the current batch.
func (b *BatchWriter) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || len(b.pending) > maxPending {
		b.pending = append(b.pending, p...)
		b.flush()
		return len(p), nil
	}
	if len(b.pending) == 0 {
		select {
		case b.started <- struct{}{}:
		default: // run has not received the previous one yet
		}
	}
	b.pending = append(b.pending, p...)
	return len(p), nil
}

// Flush writes the current batch to the underlying writer before it returns.
func (b *BatchWriter) Flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flush()
}

// Close flushes the current batch. Later lines are written immediately.
func (b *BatchWriter) Close() {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return
	}
	b.closed = true
	b.flush()
	close(b.started)
	b.mu.Unlock()
	<-b.done
}

func (b *BatchWriter) run() {
	defer close(b.done)
	for range b.started {
		time.Sleep(batchDelay)
		b.mu.Lock()
		batch := b.pending
		b.pending, b.spare = b.spare[:0], nil
		b.writing.Lock()
		b.mu.Unlock()
		b.write(batch)
		b.writing.Unlock()
		b.mu.Lock()
		b.spare = batch
		b.mu.Unlock()
	}
}

// flush writes the current batch. The mutex must be held.
func (b *BatchWriter) flush() {
	b.writing.Lock()
	defer b.writing.Unlock()
	b.write(b.pending)
	b.pending = b.pending[:0]
}

func (b *BatchWriter) write(lines []byte) {
	if len(lines) > 0 {
		// A log that cannot be written cannot be reported either.
		_, _ = b.w.Write(lines)
	}
}

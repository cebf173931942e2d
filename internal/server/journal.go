package server

import (
	"io"
	"sync"
	"time"
)

// Journal is a writer for logs that writes in batches, off the path of those
// who log: a line waits a little for others, and then all are written at once.
// A process that is killed loses the lines of the last moment.
type Journal struct {
	w io.Writer

	mu      sync.Mutex
	pending []byte
	spare   []byte
	closed  bool
	writing sync.Mutex // taken while mu is held, so that batches keep their order

	begun chan struct{} // there is something to write
	ended chan struct{}
}

const (
	// journalDelay is how long a line may wait.
	journalDelay = 20 * time.Millisecond
	// journalSize is how many bytes may wait; who logs more than can be
	// written has to wait too.
	journalSize = 4 << 20
)

// NewJournal returns a journal that writes to w until it is closed.
func NewJournal(w io.Writer) *Journal {
	j := &Journal{w: w, begun: make(chan struct{}, 1), ended: make(chan struct{})}
	go j.run()
	return j
}

// Write takes lines to be written.
func (j *Journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed || len(j.pending) > journalSize {
		j.pending = append(j.pending, p...)
		j.flush()
		return len(p), nil
	}
	if len(j.pending) == 0 {
		select {
		case j.begun <- struct{}{}:
		default: // it has been told already
		}
	}
	j.pending = append(j.pending, p...)
	return len(p), nil
}

// Close writes what is pending. Lines that come later are written at once.
func (j *Journal) Close() {
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return
	}
	j.closed = true
	j.flush()
	close(j.begun)
	j.mu.Unlock()
	<-j.ended
}

func (j *Journal) run() {
	defer close(j.ended)
	for range j.begun {
		time.Sleep(journalDelay)
		j.mu.Lock()
		batch := j.pending
		j.pending, j.spare = j.spare[:0], nil
		j.writing.Lock()
		j.mu.Unlock()
		j.write(batch)
		j.writing.Unlock()
		j.mu.Lock()
		j.spare = batch
		j.mu.Unlock()
	}
}

// flush writes what is pending; the lock is held.
func (j *Journal) flush() {
	j.writing.Lock()
	defer j.writing.Unlock()
	j.write(j.pending)
	j.pending = j.pending[:0]
}

func (j *Journal) write(lines []byte) {
	if len(lines) > 0 {
		// There is nobody to tell that a log cannot be written.
		_, _ = j.w.Write(lines)
	}
}

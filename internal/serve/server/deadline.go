package server

import (
	"errors"
	"os"
	"sync"
	"time"
)

// deadline is the deadline of one direction of a connection. For each request,
// net/http sets seven deadlines, nearly all of them later than one that is
// already set. Setting one takes almost a microsecond, so only the earliest is
// passed to the runtime. When it expires and a later deadline has been set since,
// the interrupted operation is repeated with that one.
type deadline struct {
	created time.Time             // when the connection was accepted
	apply   func(time.Time) error // sets the deadline of the underlying connection

	mu      sync.Mutex
	wanted  time.Time // zero if there is none
	applied time.Time
	busy    bool // an operation is in progress
}

func (c *conn) SetReadDeadline(t time.Time) error  { return c.read.set(t) }
func (c *conn) SetWriteDeadline(t time.Time) error { return c.write.set(t) }

func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

func (d *deadline) set(t time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wanted = t
	if d.busy {
		return d.update()
	}
	return nil
}

// before returns the earlier of t and the current deadline.
func (d *deadline) before(t time.Time) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.wanted.IsZero() && d.wanted.Before(t) {
		return d.wanted
	}
	return t
}

// update applies the wanted deadline if it is earlier than the applied one. The
// mutex must be held.
func (d *deadline) update() error {
	if d.wanted.IsZero() || !d.applied.IsZero() && !d.wanted.Before(d.applied) {
		return nil
	}
	d.applied = d.wanted
	return d.apply(d.applied)
}

// begin must be called before each operation on the connection.
func (d *deadline) begin() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	// net/http aborts reads by setting a deadline in the distant past. Detecting
	// it needs neither the clock nor the runtime.
	if !d.wanted.IsZero() && d.wanted.Before(d.created) {
		return os.ErrDeadlineExceeded
	}
	if err := d.update(); err != nil {
		return err
	}
	d.busy = true
	return nil
}

// end must be called with the result of each operation. It reports whether the
// operation is complete; otherwise it was interrupted by a deadline that is no
// longer wanted and must be repeated.
func (d *deadline) end(err error) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.busy = false
	if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
		return true
	}
	if !d.wanted.IsZero() && !d.wanted.After(time.Now()) {
		return true
	}
	d.applied = d.wanted
	return d.apply(d.applied) != nil
}

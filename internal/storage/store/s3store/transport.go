package s3store

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// stallTimeout is the time in which a server must send or accept something. Tests
// change it.
var stallTimeout = 10 * time.Second

// operationTimeout is the time limit for an operation, including retries.
const operationTimeout = 5 * time.Minute

var errStalled = errors.New("the server does not respond")

// operation is one operation of a store. It may need several requests.
type operation struct {
	stall  *time.Timer
	cancel context.CancelCauseFunc
}

// operationKey is the key of an [operation] in its context.
type operationKey struct{}

// limitTime returns a context for one operation, with both time limits. The caller must
// call stop when the operation is finished.
func limitTime(ctx context.Context) (limited context.Context, stop func()) {
	ctx, stopTotal := context.WithTimeoutCause(ctx, operationTimeout, errStalled)
	ctx, stopStall := limitStall(ctx)
	return ctx, func() {
		stopStall()
		stopTotal()
	}
}

// limitStall is like limitTime, but the operation may take any time. It is canceled if
// it makes no progress for stallTimeout, however often requests are retried.
func limitStall(ctx context.Context) (limited context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stall := time.AfterFunc(stallTimeout, func() { cancel(errStalled) })
	return context.WithValue(ctx, operationKey{}, operation{stall, cancel}), func() {
		stall.Stop()
		cancel(nil)
	}
}

// newTransport returns the transport of requests.
func newTransport(base http.RoundTripper, failFast bool) http.RoundTripper {
	if base == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.MaxIdleConnsPerHost = 32 // as many as the store reads at a time
		t.DisableCompression = true
		base = t
	}
	return transport{base, failFast}
}

// transport resets the timer of an operation when a body makes progress.
type transport struct {
	base     http.RoundTripper
	failFast bool // see store.Options
}

// RoundTrip implements [http.RoundTripper].
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	op, ok := r.Context().Value(operationKey{}).(operation)
	if !ok {
		return t.base.RoundTrip(r)
	}
	if r.Body != nil && r.Body != http.NoBody {
		r = r.Clone(r.Context())
		r.Body = progressBody{r.Body, op.stall}
	}
	response, err := t.base.RoundTrip(r)
	if err != nil {
		if t.failFast && isDialError(err) {
			op.cancel(err) // the client would retry
		}
		return nil, err
	}
	response.Body = progressBody{response.Body, op.stall}
	return response, nil
}

// isDialError reports whether err says that there is no connection to the server.
func isDialError(err error) bool {
	dial, ok := errors.AsType[*net.OpError](err)
	return ok && dial.Op == "dial"
}

type progressBody struct {
	io.ReadCloser
	timer *time.Timer
}

func (b progressBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.timer.Reset(stallTimeout)
	}
	return n, err
}

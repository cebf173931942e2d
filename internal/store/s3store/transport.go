package s3store

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// stallTimeout is the time in which a server must send or accept something. Tests
// change it.
var stallTimeout = 10 * time.Second

// operationTimeout is the time limit for an operation, including retries.
const operationTimeout = 5 * time.Minute

var errStalled = errors.New("the server does not respond")

// progressKey is the key of the timer of an operation in its context.
type progressKey struct{}

// limitTime returns a context for one operation. It is canceled if the operation makes
// no progress for stallTimeout, however often requests are retried. The caller must
// call stop when the operation is finished.
func limitTime(ctx context.Context) (limited context.Context, stop func()) {
	ctx, stopTotal := context.WithTimeoutCause(ctx, operationTimeout, errStalled)
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(stallTimeout, func() { cancel(errStalled) })
	return context.WithValue(ctx, progressKey{}, timer), func() {
		timer.Stop()
		cancel(nil)
		stopTotal()
	}
}

// newTransport returns the transport of requests, which reports progress.
func newTransport(base http.RoundTripper) http.RoundTripper {
	if base == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.MaxIdleConnsPerHost = 32 // as many as the store reads at a time
		t.DisableCompression = true
		base = t
	}
	return progressTransport{base}
}

// progressTransport resets the timer of an operation when a body makes progress.
type progressTransport struct{ base http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (t progressTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	timer, ok := r.Context().Value(progressKey{}).(*time.Timer)
	if !ok {
		return t.base.RoundTrip(r)
	}
	if r.Body != nil && r.Body != http.NoBody {
		r = r.Clone(r.Context())
		r.Body = progressBody{r.Body, timer}
	}
	response, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	response.Body = progressBody{response.Body, timer}
	return response, nil
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

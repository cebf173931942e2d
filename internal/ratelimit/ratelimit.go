// Package ratelimit counts what each client asks for and says when it has
// asked enough. A client is an address, or an address and the name it gives
// itself; every client has a window in every bucket. Package ratelimit knows
// neither routes nor HTTP: the faces say which bucket a request belongs to, and
// the server who is asking.
//
// A window starts with a client's first request in a bucket and lasts as long
// as the bucket's limit says; then the next request starts another. So a client
// can be told to the second when it may ask again.
package ratelimit

import (
	"context"
	"time"
)

// Limiter decides which requests are within the limits. [Memory] is one for a
// single process; package ratelimit/limittest is the contract of all.
type Limiter interface {
	// Take charges one request of a client to a bucket. Its error means that
	// there is no decision, never that the limit is reached.
	Take(context.Context, Bucket, Client) (Decision, error)
}

// Decision is the answer to one request.
type Decision struct {
	Allowed bool
	Reset   time.Duration // until the client's window ends; zero where nothing is counted
}

// RetryAfter returns the whole seconds after which the client's next window has
// begun, at least 1.
func (d Decision) RetryAfter() int {
	return int(max(1, (d.Reset+time.Second-1)/time.Second))
}

// Bucket is a kind of request with a limit of its own.
type Bucket uint8

const (
	Free Bucket = iota // never charged
	Read
	Icons
	Validate
	Resolve
	buckets = iota
)

var bucketNames = [buckets]string{"free", "read", "icons", "validate", "resolve"}

func (b Bucket) String() string { return bucketNames[b] }

// Policy is how much a client may ask for.
type Policy struct {
	Read, Icons, Validate, Resolve Limit

	// Names is how many names one address may open; with more it is counted
	// as if it had given none. A name is open from its first request until all
	// the windows it has started are over.
	Names Limit
}

// DefaultPolicy is what the API promises.
var DefaultPolicy = Policy{
	Read:     Limit{300, time.Minute},
	Icons:    Limit{1200, time.Minute},
	Validate: Limit{30, time.Minute},
	Resolve:  Limit{15, time.Minute},
	Names:    Limit{100, time.Minute},
}

// Limit returns the limit of a bucket.
func (p Policy) Limit(b Bucket) Limit {
	return [buckets]Limit{Read: p.Read, Icons: p.Icons, Validate: p.Validate, Resolve: p.Resolve}[b]
}

// Package ratelimit limits the rate of requests per client. A client is an
// address, or an address and a self-chosen name, and has one window in every
// bucket. Package ratelimit knows nothing about routes or HTTP: the REST and MCP
// APIs choose the bucket of a request, and the server identifies the client.
//
// A window starts with the client's first request in a bucket and has the
// length of the bucket's limit. The first request after its end starts the next
// window, so it is known exactly when a rejected client may retry.
package ratelimit

import (
	"context"
	"time"
)

// Limiter decides whether a request is within the limits. [Memory] implements it
// for a single process. Package ratelimit/limittest tests implementations.
type Limiter interface {
	// Take counts one request by a client in a bucket.
	Take(context.Context, Bucket, Client) Decision
}

// Decision is the result of [Limiter.Take].
type Decision struct {
	Allowed bool
	Reset   time.Duration // time until the client's window ends; 0 if the bucket has no limit
}

// RetryAfter returns the number of seconds until the client's window ends,
// rounded up and at least 1.
func (d Decision) RetryAfter() int {
	return int(max(1, (d.Reset+time.Second-1)/time.Second))
}

// Bucket is a kind of request that has its own limit.
type Bucket uint8

const (
	Free Bucket = iota // not limited
	Read
	Icons
	Validate
	Resolve
	numBuckets = iota
)

var bucketNames = [numBuckets]string{"free", "read", "icons", "validate", "resolve"}

func (b Bucket) String() string { return bucketNames[b] }

// Policy holds the limits that apply to each client.
type Policy struct {
	Read, Icons, Validate, Resolve Limit

	// Names limits the number of names that one address may open. Requests
	// under additional names count as if they had no name. A name is open from
	// its first request until all of its windows have ended.
	Names Limit
}

// DefaultPolicy holds the documented limits of the API.
var DefaultPolicy = Policy{
	Read:     Limit{300, time.Minute},
	Icons:    Limit{1200, time.Minute},
	Validate: Limit{30, time.Minute},
	Resolve:  Limit{15, time.Minute},
	Names:    Limit{100, time.Minute},
}

// Limit returns the limit of a bucket.
func (p Policy) Limit(b Bucket) Limit {
	return [numBuckets]Limit{Read: p.Read, Icons: p.Icons, Validate: p.Validate, Resolve: p.Resolve}[b]
}

// Share returns the limits of one of several nodes that cannot count together: an
// equal part of each limit, and at least one request.
func (p Policy) Share(nodes int) Policy {
	part := func(l Limit) Limit {
		if !l.IsZero() {
			l.Requests = max(1, l.Requests/nodes)
		}
		return l
	}
	return Policy{part(p.Read), part(p.Icons), part(p.Validate), part(p.Resolve), part(p.Names)}
}

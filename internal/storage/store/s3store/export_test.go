package s3store

import (
	"net/http"
	"time"
)

// SetStallTimeout changes the time in which a server must respond.
func SetStallTimeout(d time.Duration) { stallTimeout = d }

// OpenBucketWith is like [OpenBucket], with a transport and a limit for objects.
func OpenBucketWith(address string, t http.RoundTripper, maxSize int64) (*Bucket, error) {
	b, err := newBucket(address, Options{Transport: t})
	if err != nil {
		return nil, err
	}
	b.maxSize = maxSize
	return &Bucket{b}, nil
}

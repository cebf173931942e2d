package s3store

import (
	"context"

	"placard/internal/store"
)

// probeFile is an object with which [bucket.probe] tries conditional writes.
const probeFile = ".work/conditional-writes"

// probe finds out once whether the server honours conditional writes. Without them,
// two writers could overwrite each other's index.
func (b *bucket) probe(ctx context.Context) error {
	if b.singleWriter {
		return nil
	}
	b.probeMu.Lock()
	defer b.probeMu.Unlock()
	if b.probed {
		return nil
	}
	// Whether or not the object exists, one of the two writes must be refused.
	first := b.put(ctx, probeFile, []byte("probe\n"), condition{})
	if first != nil && !isConflict(first) {
		return first
	}
	again := b.put(ctx, probeFile, []byte("probe\n"), condition{})
	stale := b.put(ctx, probeFile, []byte("probe\n"), condition{etag: "00000000000000000000000000000000"})
	for _, err := range []error{again, stale} {
		if err == nil {
			return store.NoConditionalWrites(b.name)
		}
		if !isConflict(err) {
			return err
		}
	}
	b.probed = true
	return nil
}

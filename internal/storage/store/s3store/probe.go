package s3store

import (
	"context"
	"errors"
	"io/fs"
	"net/http"

	"golang.org/x/sync/errgroup"

	"placard/internal/storage/store"
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
	write := func(cond condition) error { return b.put(ctx, probeFile, []byte("probe\n"), cond) }
	var create, replace error
	var g errgroup.Group
	g.Go(func() error { create = write(condition{}); return nil })
	g.Go(func() error { replace = write(condition{etag: "00000000000000000000000000000000"}); return nil })
	_ = g.Wait() // the errors are in the variables
	if create == nil {
		create = write(condition{}) // the object exists now
	}
	for _, err := range []error{create, replace} {
		response, answered := errors.AsType[*serverError](err)
		switch {
		case err == nil, answered && response.status == http.StatusNotImplemented:
			return store.NoConditionalWrites(b.address.String())
		case isConflict(err), errors.Is(err, fs.ErrNotExist):
			// The write was refused because of its condition.
		default:
			return err
		}
	}
	b.probed = true
	return nil
}

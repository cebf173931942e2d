package s3store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"time"

	"placard/internal/core/release"
	"placard/internal/storage/store"
)

// UpdateIndex implements [store.Backend].
func (b *bucket) UpdateIndex(ctx context.Context, change func(*store.Index) (bool, error)) error {
	for {
		created := false
		err := b.replaceIndex(ctx, func(current cachedObject) (*store.Index, error) {
			ix, err := b.decodeIndex(ctx, current)
			if err != nil {
				return nil, err
			}
			if created = ix.Layout == 0; created {
				// Write the empty index first, so that a store with releases but no
				// index is known to be damaged.
				return ix, nil
			}
			changed, err := change(ix)
			if err != nil || !changed {
				return nil, err
			}
			return ix, nil
		})
		if err != nil || !created {
			return err
		}
	}
}

// errCreated says that another writer has created the index in the meantime.
var errCreated = errors.New("the index was created")

// decodeIndex returns the index in an object. It is empty if the object does not exist
// and the store is new.
func (b *bucket) decodeIndex(ctx context.Context, object cachedObject) (*store.Index, error) {
	if object.data != nil {
		return store.DecodeIndex(object.data)
	}
	ix, err := b.files(ctx).Index(ctx)
	if err == nil && ix.Layout != 0 {
		err = errCreated
	}
	return ix, err
}

func (b *bucket) files(ctx context.Context) store.FS {
	return store.FS{FS: b.FS(ctx), Name: b.address.String()}
}

// RepairIndex implements [store.Backend].
func (b *bucket) RepairIndex(ctx context.Context, rebuild func([]byte) (*store.Index, error)) (repaired bool, err error) {
	err = b.replaceIndex(ctx, func(current cachedObject) (*store.Index, error) {
		repaired = false // the last call counts
		_, err := b.decodeIndex(ctx, current)
		if _, damaged := errors.AsType[*release.DamageError](err); !damaged {
			return nil, err
		}
		ix, err := rebuild(current.data)
		if err == nil && current.data != nil {
			err = b.put(ctx, store.SetAsideIndex(), current.data, condition{any: true})
		}
		repaired = true
		return ix, err
	})
	return repaired && err == nil, err
}

// replaceIndex replaces the index with the result of change, unless that is nil. If
// another process has replaced the index in the meantime, change is called again.
func (b *bucket) replaceIndex(ctx context.Context, change func(current cachedObject) (*store.Index, error)) error {
	if err := b.probe(ctx); err != nil {
		return err
	}
	for attempt := 0; ; attempt++ {
		current, err := b.readIndex(ctx)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		next, err := change(current)
		if errors.Is(err, errCreated) {
			continue
		}
		if err != nil || next == nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		// Once the request has been sent, only its response tells the outcome.
		committed, err := b.commit(context.WithoutCancel(ctx), current, next)
		if err != nil || committed {
			return err
		}
		if err := sleep(ctx, backoff(attempt)); err != nil {
			return err
		}
	}
}

// commit replaces the index current with next, and reports whether it did. It did not
// if another writer was first.
func (b *bucket) commit(ctx context.Context, current cachedObject, next *store.Index) (bool, error) {
	data, err := next.Encode()
	if err != nil {
		return false, err
	}
	for try := 1; ; try++ {
		err = b.put(ctx, store.IndexFile, data, condition{etag: current.etag})
		if err == nil {
			return true, nil
		}
		// If the response was lost, or a retry was refused after a successful request,
		// the index says which.
		now, readErr := b.readIndex(ctx)
		switch {
		case readErr != nil && !errors.Is(readErr, fs.ErrNotExist):
			return false, &store.OutcomeUnknownError{Err: err}
		case now.etag != current.etag:
			return b.isCommitted(ctx, current, now, next, data)
		case isRefused(err) && !isConflict(err):
			return false, err
		case try == maxTries:
			return false, &store.OutcomeUnknownError{Err: err}
		}
		// The index has not been replaced yet. The same request can be repeated: it
		// succeeds at most once.
		if err := sleep(ctx, backoff(try)); err != nil {
			return false, err
		}
	}
}

// isCommitted reports whether next was written before the index became now. If it was
// not, it never will be, and its record is deleted, unless another writer could still
// use the same one.
func (b *bucket) isCommitted(ctx context.Context, before, now cachedObject, next *store.Index, data []byte) (bool, error) {
	if bytes.Equal(now.data, data) {
		return true, nil // written by this process, or by one that made the same change
	}
	old, err := store.DecodeIndex(before.data)
	if err == nil && old.Journal == next.Journal || next.Journal.Record == "" {
		return false, nil // without a record, the change can be made again
	}
	index, err := b.decodeIndex(ctx, now)
	if err != nil {
		return false, &store.OutcomeUnknownError{Err: err}
	}
	included, err := b.files(ctx).Includes(index.Journal, next.Journal)
	if err != nil {
		return false, &store.OutcomeUnknownError{Err: err}
	}
	if !included && index.Journal.Revision >= next.Journal.Revision {
		// If this fails, the record is pruned later.
		_ = b.delete(ctx, b.key(next.Journal.Record))
	}
	return included, nil
}

// backoff returns a random delay that grows with the number of attempts, so that
// competing writers spread out.
func backoff(attempt int) time.Duration {
	return rand.N(10 * time.Millisecond << min(attempt, 6))
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// readIndex returns the index. If it has not changed since the last call, the
// server sends only its headers.
func (b *bucket) readIndex(ctx context.Context) (cachedObject, error) {
	b.indexMu.Lock()
	known := b.index
	b.indexMu.Unlock()
	object, err := b.get(ctx, store.IndexFile, known.etag)
	switch {
	case errors.Is(err, errNotModified):
		return known, nil
	case err != nil:
		return cachedObject{}, err
	}
	if _, err := store.DecodeIndex(object.data); err != nil {
		// It may have been damaged on the way. The server must send it again: with an
		// ETag, it would only confirm that the index is still the same.
		return object, nil
	}
	b.indexMu.Lock()
	b.index = object
	b.indexMu.Unlock()
	return object, nil
}

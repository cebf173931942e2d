package s3store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"time"

	"placard/internal/release"
	"placard/internal/store"
)

// UpdateIndex implements [store.Backend].
func (b *bucket) UpdateIndex(ctx context.Context, change func(*store.Index) (bool, error)) error {
	return b.replaceIndex(ctx, func(current cachedObject) (*store.Index, error) {
		ix, err := b.decodeIndex(ctx, current)
		if err != nil {
			return nil, err
		}
		if ix.Layout == 0 {
			// Write the empty index first, so that a store with releases but no index
			// is known to be damaged.
			return ix, nil
		}
		changed, err := change(ix)
		if err != nil || !changed {
			return nil, err
		}
		return ix, nil
	})
}

// decodeIndex returns the index in an object. It is empty if the object does not exist
// and the store is new.
func (b *bucket) decodeIndex(ctx context.Context, object cachedObject) (*store.Index, error) {
	if object.data == nil {
		return b.files(ctx).Index(ctx)
	}
	return store.DecodeIndex(object.data)
}

func (b *bucket) files(ctx context.Context) store.FS {
	return store.FS{FS: b.FS(ctx), Name: b.address.String()}
}

// RepairIndex implements [store.Backend].
func (b *bucket) RepairIndex(ctx context.Context, rebuild func([]byte) (*store.Index, error)) error {
	return b.replaceIndex(ctx, func(current cachedObject) (*store.Index, error) {
		_, err := b.decodeIndex(ctx, current)
		if _, damaged := errors.AsType[*release.DamageError](err); !damaged {
			return nil, err
		}
		ix, err := rebuild(current.data)
		if err != nil || current.data == nil {
			return ix, err
		}
		return ix, b.put(ctx, store.SetAsideIndex(), current.data, condition{any: true})
	})
}

// replaceIndex replaces the index with the result of change, unless that is nil. If
// another process has replaced the index in the meantime, or the result is an empty
// index, change is called again.
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
		if err != nil || next == nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		isNew := next.Layout == 0
		// Once the request has been sent, only its response tells the outcome.
		committed, err := b.commit(context.WithoutCancel(ctx), current, next)
		if err != nil || committed && !isNew {
			return err
		}
		if !committed {
			if err := sleep(ctx, backoff(attempt)); err != nil {
				return err
			}
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
		if IsRefused(err) && !isConflict(err) {
			return false, err
		}
		// If the response was lost, or a retry was refused because the first request
		// was successful, the index says which.
		now, readErr := b.readIndex(ctx)
		switch {
		case readErr != nil && !errors.Is(readErr, fs.ErrNotExist):
			return false, &store.OutcomeUnknownError{Err: err}
		case now.etag != current.etag:
			return b.isCommitted(ctx, current, now, next, data)
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
// not, it never will be, and its record is deleted.
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
	if !included {
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
	b.indexMu.Lock()
	b.index = object
	b.indexMu.Unlock()
	return object, nil
}

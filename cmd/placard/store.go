package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"syscall"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
)

var errNoStore = problem.Failure("--store is empty.").Hint("Write --store STORE.")

// storeMeta describes the values of --store in the help of a command.
const storeMeta = "`STORE`, a folder or s3://bucket/prefix"

// openStore returns the store with the given name, a value of --store. The store
// need not exist. Its errors become failures of the command with [storeFailure].
func openStore(name string, opts store.Options) (*store.Store, error) {
	if name == "" {
		return nil, errNoStore
	}
	if !store.IsAddress(name) && !store.IsFolder(name) && isTree(name) {
		return nil, problem.Failure("%q is an authoring tree, not a store.", name).Hint(`Name the folder of a store. "placard publish" creates it.`)
	}
	return store.Open(name, opts)
}

// openExistingStore is like openStore, but returns an error if the store does not
// exist. A bucket is not accessed before it is read.
func openExistingStore(name string, opts store.Options) (*store.Store, error) {
	if name != "" {
		if err := checkExists(name); err != nil {
			return nil, err
		}
	}
	return openStore(name, opts)
}

// storeLabel returns the name of a store for sentences, without the parameters of an
// address.
func storeLabel(name string) string {
	if store.IsAddress(name) {
		return store.Label(name)
	}
	return strconv.Quote(name)
}

// checkExists returns an error if the store with the given name does not exist.
func checkExists(name string) error {
	if store.IsAddress(name) {
		return nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return &fs.PathError{Op: "open", Path: name, Err: syscall.ENOTDIR}
	}
	return nil
}

// checkLocal returns an error if the value of a flag or argument, which is the path of a
// file or folder, is an address.
func checkLocal(flag, path string) error {
	if store.IsAddress(path) {
		return problem.Failure("%s is an address, not a path.", flag).Hint("Use a path on this machine.")
	}
	return nil
}

// storeFailure returns an error of the store with the given name as a failure of
// the command.
func storeFailure(name string, err error) error { return failure{problemIn(name, err)} }

// describedStore is a store or an authoring tree whose errors have a message and a hint
// for operators.
type describedStore struct {
	name string
	catalog.Store
}

// Index implements [catalog.Store].
func (s describedStore) Index(ctx context.Context) (*store.Index, error) {
	index, err := s.Store.Index(ctx)
	if err != nil {
		return index, problemIn(s.name, err)
	}
	return index, nil
}

// Load implements [catalog.Store].
func (s describedStore) Load(ctx context.Context, e store.Entry) (*release.Release, error) {
	r, err := s.Store.Load(ctx, e)
	if err == nil || errors.As(err, new(problem.List)) {
		return r, err
	}
	return nil, problemIn(s.name, err)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"placard/internal/catalog"
	"placard/internal/source"
	"placard/internal/store"
)

var errNoStore = errors.New("--store is empty")

// openStore returns the store with the given name, a value of --store. The store
// need not exist. Its errors become failures of the command with [storeFailure].
func openStore(name string) (*store.Store, error) {
	if name == "" {
		return nil, errNoStore
	}
	if err := checkNoTree(name); err != nil {
		return nil, err
	}
	return store.OpenFolder(name), nil
}

// openExistingStore is like openStore, but returns an error if the store does not
// exist.
func openExistingStore(name string) (*store.Store, error) {
	if name != "" {
		if err := checkExists(name); err != nil {
			return nil, err
		}
	}
	return openStore(name)
}

// checkExists returns an error if the store with the given name does not exist.
func checkExists(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return &fs.PathError{Op: "open", Path: name, Err: syscall.ENOTDIR}
	}
	return nil
}

// checkNoTree returns an error if the name of a store is that of an authoring tree.
func checkNoTree(name string) error {
	if store.IsFolder(name) {
		return nil
	}
	if ids, _ := source.Releases(os.DirFS(name)); len(ids) > 0 {
		return fmt.Errorf("%s is an authoring tree, not a store; use --source %s", name, name)
	}
	return nil
}

// storeFailure returns an error of the store with the given name as a failure of
// the command.
func storeFailure(name string, err error) error { return failure{storeError{name, err}} }

// describedStore is a store or an authoring tree in a folder whose errors are
// described in Placard's own words.
type describedStore struct {
	dir string
	catalog.Store
}

// Index implements [catalog.Store].
func (s describedStore) Index(ctx context.Context) (*store.Index, error) {
	index, err := s.Store.Index(ctx)
	if err != nil {
		return nil, storeError{s.dir, err}
	}
	return index, nil
}

package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/fsnotify/fsnotify"

	"placard/internal/core/taxonomy"
)

// folderEvents signals changes in folders. Some changes cause no signal: those that
// another computer makes in a network folder, and all changes if the operating
// system cannot observe so many folders. The methods of a nil folderEvents do
// nothing.
type folderEvents struct {
	watcher *fsnotify.Watcher
	signals chan struct{}
}

// newFolderEvents returns nil if the operating system does not support events. The
// caller must call close.
func newFolderEvents() *folderEvents {
	if runtime.GOOS != "linux" && runtime.GOOS != "windows" {
		return nil // kqueue would open every file of the folders
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil
	}
	e := &folderEvents{watcher, make(chan struct{}, 1)}
	go e.forward()
	return e
}

// forward merges the events and errors of the watcher until it is closed. An error
// usually means that events were lost.
func (e *folderEvents) forward() {
	for {
		select {
		case _, ok := <-e.watcher.Events:
			if !ok {
				return
			}
		case _, ok := <-e.watcher.Errors:
			if !ok {
				return
			}
		}
		select {
		case e.signals <- struct{}{}:
		default:
		}
	}
}

// changes returns a channel that receives a value after one or more changes.
func (e *folderEvents) changes() <-chan struct{} {
	if e == nil {
		return nil
	}
	return e.signals
}

// follow observes the folders of a tree that has the given releases.
func (e *folderEvents) follow(t tree, ids []taxonomy.ID) {
	if e == nil {
		return
	}
	folders := []string{t.dir}
	for _, id := range ids {
		release := filepath.Join(t.dir, filepath.FromSlash(id.Folder()))
		folders = append(folders, filepath.Dir(release), release)
		entries, _ := os.ReadDir(release) // reported when the release is read
		for _, entry := range entries {
			if entry.IsDir() && !strings.HasPrefix(entry.Name(), ".") {
				folders = append(folders, filepath.Join(release, entry.Name()))
			}
		}
	}
	for _, folder := range folders {
		_ = e.watcher.Add(folder) // regular walks see the changes
	}
}

func (e *folderEvents) close() {
	if e != nil {
		e.watcher.Close()
	}
}

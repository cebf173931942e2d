package store

import (
	"errors"
	"io/fs"
)

// statFS is the part of os.DirFS that folderFS needs.
type statFS interface {
	fs.StatFS
	fs.ReadLinkFS
}

// folderFS is the file system of a store in a folder. It opens only regular files
// and folders: opening a FIFO can block permanently, and a device may be endless.
type folderFS struct{ statFS }

var errNotRegular = errors.New("not a regular file")

// Open implements fs.FS.
func (f folderFS) Open(name string) (fs.File, error) {
	info, err := f.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	return f.statFS.Open(name)
}

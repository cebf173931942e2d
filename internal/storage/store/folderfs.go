package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// folderFS is the file system of a store in a folder. It opens only regular files
// and folders: opening a FIFO can block permanently, and a device may be endless.
// Paths in its errors include the folder, like those in errors of package os.
type folderFS struct {
	fs  fs.FS
	dir string
}

func newFolderFS(dir string) folderFS { return folderFS{os.DirFS(dir), dir} }

var errNotRegular = errors.New("not a regular file")

// Open implements fs.FS.
func (f folderFS) Open(name string) (fs.File, error) {
	info, err := f.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, f.inFolder(&fs.PathError{Op: "open", Path: name, Err: errNotRegular})
	}
	file, err := f.fs.Open(name)
	return file, f.inFolder(err)
}

// Stat implements fs.StatFS.
func (f folderFS) Stat(name string) (fs.FileInfo, error) {
	info, err := fs.Stat(f.fs, name)
	return info, f.inFolder(err)
}

// Lstat implements fs.ReadLinkFS.
func (f folderFS) Lstat(name string) (fs.FileInfo, error) {
	info, err := fs.Lstat(f.fs, name)
	return info, f.inFolder(err)
}

// ReadLink implements fs.ReadLinkFS.
func (f folderFS) ReadLink(name string) (string, error) {
	target, err := fs.ReadLink(f.fs, name)
	return target, f.inFolder(err)
}

// inFolder adds the folder to the path in err.
func (f folderFS) inFolder(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: e.Op, Path: filepath.Join(f.dir, filepath.FromSlash(e.Path)), Err: e.Err}
	}
	return err
}

package release

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// maxFileSize is the maximum size of a file in a store, in bytes. It is far more
// than any release needs, and protects readers from a file that exhausts memory.
const maxFileSize = 256 << 20

// ReadFile reads a file of a store. If the file is missing, too large, or replaced
// by anything that is not a regular file, ReadFile returns a [DamageError]. Other
// errors of the file system are not damage, since they may be temporary.
func ReadFile(fsys fs.FS, name string) ([]byte, error) {
	data, err := readFile(fsys, name)
	var damage *DamageError
	var local *fs.PathError // unlike errors of a server
	switch {
	case err == nil || errors.As(err, &damage):
		return data, err
	case errors.Is(err, fs.ErrNotExist), errors.As(err, &local) && isReplaced(fsys, name):
		return nil, &DamageError{name, err}
	}
	return nil, fmt.Errorf("read %s: %w", name, err)
}

func readFile(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &DamageError{name, errors.New("it is not a regular file")}
	}
	if info.Size() > maxFileSize {
		return nil, &DamageError{name, fmt.Errorf("it is larger than %d MiB", maxFileSize>>20)}
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, err
	}
	return data, nil
}

// isReplaced reports whether something other than a regular file has the name, such
// as a link that cannot be followed.
func isReplaced(fsys fs.FS, name string) bool {
	info, err := fs.Lstat(fsys, name)
	return err == nil && !info.Mode().IsRegular()
}

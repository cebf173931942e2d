package main

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"placard/internal/core/problem"
)

// replaceContent replaces the content of a file, which need not exist, in one step and
// keeps its permissions.
func replaceContent(name string, content []byte) error {
	return rewrite(name, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// rewrite is like replaceContent, with the content that write writes.
func rewrite(name string, write func(io.Writer) error) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info = nil
	case err != nil:
		return err
	default:
		if err := checkWritable(name, info); err != nil {
			return err
		}
	}
	return writeAtomically(name, info, write)
}

// checkWritable returns an error if a file must not be written: it could still be
// replaced.
func checkWritable(name string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return problem.Failure("%q is not a regular file, so its content cannot be replaced.", name).Hint("Replace it with a file, or choose another one.")
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// writeAtomically replaces the content of a file in one step. If the file is a symbolic
// link, the file that it leads to is replaced. A file keeps its permissions; a new one,
// whose info is nil, gets those that the umask allows.
func writeAtomically(name string, info fs.FileInfo, write func(io.Writer) error) error {
	target := name
	if _, err := os.Lstat(name); err == nil {
		if target, err = filepath.EvalSymlinks(name); err != nil {
			return err
		}
	}
	// Hidden files are ignored in an authoring tree.
	staged, err := os.OpenFile(filepath.Join(filepath.Dir(target), ".placard-"+rand.Text()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return errorAbout(name, err)
	}
	defer os.Remove(staged.Name()) // fails after the file is renamed
	if err = write(staged); err == nil && info != nil {
		err = staged.Chmod(info.Mode().Perm())
	}
	if err == nil {
		err = staged.Sync()
	}
	if closeErr := staged.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(staged.Name(), target)
	}
	return errorAbout(name, err)
}

// errorAbout returns an error about a staged file as one about the file that it
// replaces, which is the one that the user knows.
func errorAbout(name string, err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: p.Op, Path: name, Err: p.Err}
	}
	return err
}

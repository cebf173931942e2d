package export

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"syscall"
)

// Folder returns a target in a folder, which is created if necessary.
func Folder(dir string) Target { return &folder{dir} }

type folder struct{ dir string }

// path returns the path of a file.
func (f *folder) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f *folder) layout(context.Context, *earlier) (layout, error) { return layoutFolders, nil }

// list yields all files, except hidden ones at the top, such as those of Git. A
// symbolic link in the folder is a file, even if it leads to a folder.
func (f *folder) list(ctx context.Context, _ []string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		// Unlike filepath.WalkDir, this follows a symbolic link to the folder itself.
		err := fs.WalkDir(os.DirFS(f.dir), ".", func(name string, entry fs.DirEntry, err error) error {
			if name == "." && errors.Is(err, fs.ErrNotExist) {
				return nil // it is created with the first file
			}
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return errorAbout(f.path(name), err)
			}
			switch hidden := isHidden(name); {
			case hidden && entry.IsDir():
				return fs.SkipDir
			case !hidden && !entry.IsDir() && !yield(name, nil):
				return errStopped
			}
			return nil
		})
		if err != nil && err != errStopped {
			yield("", err)
		}
	}
}

// errStopped ends a walk whose results are no longer needed.
var errStopped = errors.New("stopped")

func (f *folder) read(_ context.Context, name string) ([]byte, error) {
	data, err := os.ReadFile(f.path(name))
	if errors.Is(err, syscall.ENOTDIR) {
		err = errorAbout(f.dir, err)
	}
	return data, err
}

// has compares the content of the file instead of trusting the index: an unchanged file
// keeps its date, from which servers make its ETag, and a damaged one is replaced.
func (f *folder) has(o object, _ bool) bool {
	data, err := os.ReadFile(f.path(o.name))
	return err == nil && bytes.Equal(data, o.data)
}

func (f *folder) write(_ context.Context, o object) error {
	file := f.path(o.name)
	dir := filepath.Dir(file)
	staged := filepath.Join(dir, temporaryPrefix+rand.Text())
	err := o.create(staged)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err // about a folder
		}
		err = o.create(staged)
	}
	if err == nil {
		err = os.Rename(staged, file)
	}
	if err != nil {
		_ = os.Remove(staged) // may not exist
	}
	return errorAbout(file, err)
}

// create writes the content of an object to a new file.
func (o *object) create(name string) error {
	if o.encode == nil {
		return os.WriteFile(name, o.data, 0o644)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	err = o.encode(f)
	return cmp.Or(err, f.Close())
}

// errorAbout returns an error with the path of a file in place of another one, such as
// that of the staged file.
func errorAbout(file string, err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: p.Op, Path: file, Err: p.Err}
	}
	return err
}

// remove removes a file and the folders that are empty without it.
func (f *folder) remove(_ context.Context, name string) error {
	if err := os.Remove(f.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if os.Remove(f.path(dir)) != nil {
			break // it is not empty
		}
	}
	return nil
}

func (f *folder) parallel() int { return 2 * runtime.GOMAXPROCS(0) }

// maxHeaderRules is the number of rules that Cloudflare Pages reads.
const maxHeaderRules = 100

func (f *folder) rules(p *plan) ([]object, error) {
	rules, err := p.headerRules()
	if err != nil {
		return nil, err
	}
	if len(rules) > maxHeaderRules {
		p.notes = append(p.notes, fmt.Sprintf("%s has %d rules. Cloudflare Pages reads only the first %d; export fewer versions for it.",
			HeadersFile, len(rules), maxHeaderRules))
	}
	return []object{
		{name: HeadersFile, data: headersFile(rules)},
		{name: RewritesFile, data: rewritesFile(p.rewrites())},
	}, nil
}

func (f *folder) label(name string) string { return f.path(name) }

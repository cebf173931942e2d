package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"placard/internal/core/problem"
)

// Options are the options of stores of all kinds.
type Options struct {
	// SingleWriter allows changes on servers without conditional writes. Two
	// writers at a time can then lose changes.
	SingleWriter bool
	// FailFast returns an error at once if there is no connection to the server, for
	// callers that retry. Other failed requests are always repeated.
	FailFast bool
}

// Scheme is a kind of store with addresses, such as s3://bucket/prefix. The package
// that implements it registers it when a program imports the package.
type Scheme struct {
	Name string // the start of addresses, up to ://
	Form string // an address, for hints
	Open func(address string, opts Options) (*Store, error)
	// OpenObjects gives access to the files below an address that are not part of a
	// store, such as an export.
	OpenObjects func(address string) (Objects, error)
}

var schemes []Scheme

// Register adds a scheme. It is called by init functions only.
func Register(s Scheme) { schemes = append(schemes, s) }

// Open returns the store with the given name, which is the path of a folder or an
// address. The store need not exist, and no connection is made.
func Open(name string, opts Options) (*Store, error) {
	if !IsAddress(name) {
		return OpenFolder(name), nil
	}
	s, err := findScheme(name)
	if err != nil {
		return nil, err
	}
	return s.Open(name, opts)
}

// OpenObjects returns the files below an address.
func OpenObjects(address string) (Objects, error) {
	s, err := findScheme(address)
	if err != nil {
		return nil, err
	}
	return s.OpenObjects(address)
}

func findScheme(address string) (Scheme, error) {
	i := slices.IndexFunc(schemes, func(s Scheme) bool { return strings.HasPrefix(address, s.Name+"://") })
	if i >= 0 {
		return schemes[i], nil
	}
	var starts, forms []string
	for _, s := range schemes {
		starts = append(starts, s.Name+"://")
		forms = append(forms, s.Form)
	}
	return Scheme{}, problem.Failure("An address begins with %s, not with %q.", problem.OneOf(starts), problem.Clip(addressStart.FindString(address))).
		Hint("Use the form %s, or the path of a folder.", problem.OneOf(forms))
}

// IsAddress reports whether name is an address rather than the path of a folder. It need
// not be a valid one: a misspelt address must not become a folder.
func IsAddress(name string) bool { return addressStart.MatchString(name) }

// addressStart matches the start of an address, up to the slashes if it has any. A single
// letter is the name of a drive, not a scheme.
var addressStart = regexp.MustCompile(`^(?:.*?://|[\s"']*(?:[A-Za-z][A-Za-z0-9+.-]+:/|(?i:s3a?|gs|https?|ftp|file)(?::|//)))`)

// Label returns the name of a store for messages, without the parameters of an address.
func Label(name string) string {
	if IsAddress(name) {
		name, _, _ = strings.Cut(name, "?")
	}
	return name
}

// FileLabel returns the name of a file of a store for messages.
func FileLabel(name, file string) string {
	if IsAddress(name) {
		return strings.TrimSuffix(Label(name), "/") + "/" + file
	}
	return filepath.Join(name, filepath.FromSlash(file))
}

// Objects are the files below an address.
type Objects interface {
	fmt.Stringer // the address without parameters
	// List yields the names and ETags of the objects whose names begin with a prefix,
	// and an error if it fails.
	List(ctx context.Context, prefix string) iter.Seq2[ListedObject, error]
	// Read returns the content of an object. A missing object is [fs.ErrNotExist].
	Read(ctx context.Context, name string) ([]byte, error)
	// Write writes an object. The error is [ErrInvalidName] if the server refuses its
	// name, such as that of a folder.
	Write(context.Context, Object) error
	// Remove removes an object, which need not exist.
	Remove(ctx context.Context, name string) error
}

// ErrInvalidName says that a server refuses the name of an object.
var ErrInvalidName = errors.New("the name is not valid")

// Object is an object to be written.
type Object struct {
	Name         string
	Data         []byte
	ContentType  string
	CacheControl string
	Metadata     map[string]string
}

// ListedObject is an object in a list.
type ListedObject struct{ Name, ETag string }

package site

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// Files of an export that are not responses.
const (
	IndexFile    = "export.json"
	HeadersFile  = "_headers"
	RewritesFile = "_redirects"
	NginxFile    = "nginx.conf"
)

// temporaryPrefix is the start of the base names of files that are being written.
const temporaryPrefix = ".placard-"

func isTemporary(name string) bool { return strings.HasPrefix(path.Base(name), temporaryPrefix) }

// isOwnFile reports whether every export has a file with the given name, or may have
// left it behind.
func isOwnFile(name string) bool {
	switch name {
	case IndexFile, HeadersFile, RewritesFile, NginxFile:
		return true
	}
	return isTemporary(name)
}

// indexFormat is the format of [index].
const indexFormat = 1

// index is the content of [IndexFile]. It is the same for the same responses.
type index struct {
	Format   int                 `json:"format"`
	Complete bool                `json:"complete"` // false while an export is in progress, or if it was interrupted
	LeftOut  []LeftOut           `json:"left_out"`
	Headers  []map[string]string `json:"headers"`
	Files    []file              `json:"files"`
	Previous []string            `json:"previous,omitzero"` // other files, of earlier exports

	byName map[string]*file
}

// index returns the index of a plan. previous are the names of other files in the
// target; nil means that the export is complete.
func (p *plan) index(previous map[string]bool) *index {
	return &index{
		Format: indexFormat, Complete: previous == nil,
		LeftOut: p.leftOut, Headers: p.headers, Files: p.files,
		Previous: slices.Sorted(maps.Keys(previous)),
	}
}

func (ix *index) encode() ([]byte, error) {
	b, err := json.Marshal(ix, json.Deterministic(true))
	return append(b, '\n'), err
}

func decodeIndex(data []byte) (*index, error) {
	ix := new(index)
	if err := json.Unmarshal(data, ix); err != nil {
		return nil, err
	}
	if ix.Format != indexFormat {
		return nil, fmt.Errorf("%s has format %d", IndexFile, ix.Format)
	}
	ix.byName = make(map[string]*file, len(ix.Files))
	for i := range ix.Files {
		f := &ix.Files[i]
		if f.Header < 0 || f.Header >= len(ix.Headers) {
			return nil, fmt.Errorf("%s refers to a header that it does not list", IndexFile)
		}
		ix.byName[f.Name] = f
	}
	return ix, nil
}

// names returns the names of all files that were exported. A nil index has none.
func (ix *index) names() map[string]bool {
	names := make(map[string]bool)
	if ix != nil {
		for _, f := range ix.Files {
			names[f.Name] = true
		}
		for _, name := range ix.Previous {
			names[name] = true
		}
	}
	return names
}

// hasHeader reports whether a file was last exported with the given header.
func (ix *index) hasHeader(name string, header map[string]string) bool {
	return ix != nil && ix.Complete && ix.byName[name] != nil && maps.Equal(ix.Headers[ix.byName[name].Header], header)
}

// equal reports whether two indexes are encoded as the same bytes.
func (ix *index) equal(other *index) bool {
	if ix == nil {
		return false
	}
	a, err := ix.encode()
	b, otherErr := other.encode()
	return err == nil && otherErr == nil && string(a) == string(b)
}

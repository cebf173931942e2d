package site

import (
	"bufio"
	"fmt"
	"io"
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

	byName map[string]*file // of an index that was read; nil for previous files
}

// index returns the index of a complete export.
func (p *plan) index() *index {
	return &index{Format: indexFormat, Complete: true, LeftOut: p.leftOut, Headers: p.headers, Files: p.files}
}

// encode writes the index as JSON. It is large if there are many files.
func (ix *index) encode(w io.Writer) error {
	b := bufio.NewWriter(w)
	if err := json.MarshalWrite(b, ix, json.Deterministic(true)); err != nil {
		return err
	}
	b.WriteByte('\n') // the error is returned by Flush
	return b.Flush()
}

func decodeIndex(data []byte) (*index, error) {
	ix := new(index)
	if err := json.Unmarshal(data, ix); err != nil {
		return nil, err
	}
	if ix.Format != indexFormat {
		return nil, fmt.Errorf("%s has format %d", IndexFile, ix.Format)
	}
	ix.byName = make(map[string]*file, len(ix.Files)+len(ix.Previous))
	for i := range ix.Files {
		f := &ix.Files[i]
		if f.Header < 0 || f.Header >= len(ix.Headers) {
			return nil, fmt.Errorf("%s refers to a header that it does not list", IndexFile)
		}
		ix.byName[f.Name] = f
	}
	for _, name := range ix.Previous {
		ix.byName[name] = nil
	}
	return ix, nil
}

// has reports whether a file was exported. A nil index has none.
func (ix *index) has(name string) bool {
	if ix == nil {
		return false
	}
	_, ok := ix.byName[name]
	return ok
}

// names returns the sorted names of all files that were exported.
func (ix *index) names() []string {
	if ix == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(ix.byName))
}

// hasHeader reports whether a file was last exported with the given header.
func (ix *index) hasHeader(name string, header map[string]string) bool {
	return ix != nil && ix.Complete && ix.byName[name] != nil && maps.Equal(ix.Headers[ix.byName[name].Header], header)
}

// equal reports whether two indexes are encoded as the same bytes.
func (ix *index) equal(other *index) bool {
	return ix != nil && ix.Complete == other.Complete && slices.Equal(ix.LeftOut, other.LeftOut) &&
		slices.EqualFunc(ix.Headers, other.Headers, maps.Equal) && slices.EqualFunc(ix.Files, other.Files, file.isSame) &&
		slices.Equal(ix.Previous, other.Previous)
}

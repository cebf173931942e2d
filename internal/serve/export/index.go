package export

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"placard/internal/storage/store"
)

// Files of an export that are not responses.
const (
	IndexFile    = store.ExportFile
	HeadersFile  = "_headers"
	RewritesFile = "_redirects"
)

// formerFile is a file that earlier versions of this package wrote. It is removed.
const formerFile = "nginx.conf"

// temporaryPrefix is the start of the base names of files that are being written.
const temporaryPrefix = ".placard-"

func isTemporary(name string) bool { return strings.HasPrefix(path.Base(name), temporaryPrefix) }

// isLeftover reports whether a file of an export is never part of the next one.
func isLeftover(name string) bool { return isTemporary(name) || name == formerFile }

// isHidden reports whether a file is hidden at the top of a target, such as those of Git.
// Exports leave such files alone.
func isHidden(name string) bool {
	return name != "." && strings.HasPrefix(name, ".") && !isTemporary(name)
}

// isOwnFile reports whether every export has a file with the given name, or may have
// left it behind.
func isOwnFile(name string) bool {
	switch name {
	case IndexFile, HeadersFile, RewritesFile:
		return true
	}
	return isLeftover(name)
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
	Claimed  []string            `json:"claimed,omitzero"` // the names of all files, old and new, unless complete
}

// index returns the index of a complete export.
func (p *plan) index() *index {
	return &index{Format: indexFormat, Complete: true, LeftOut: p.leftOut, Headers: p.headers.list, Files: p.files}
}

// claim returns the index of an export in progress. It names the files of the earlier
// export and of this one, and describes none of them.
func (p *plan) claim(old *earlier) *index {
	claimed := slices.Collect(maps.Keys(p.names))
	if old != nil {
		for name := range old.files {
			if !p.names[name] {
				claimed = append(claimed, name)
			}
		}
	}
	slices.Sort(claimed)
	return &index{Format: indexFormat, Claimed: claimed}
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

// earlier is what an export needs to know about the one before it.
type earlier struct {
	digest  digest // of the index
	headers []map[string]string
	files   map[string]int // header numbers by name; claimedOnly for files that may not be complete
}

// claimedOnly is the header number of files that an index names without a header.
const claimedOnly = -1

func decodeIndex(data []byte) (*earlier, error) {
	var ix index
	if err := json.Unmarshal(data, &ix); err != nil {
		return nil, err
	}
	if ix.Format != indexFormat {
		return nil, fmt.Errorf("%s has format %d", IndexFile, ix.Format)
	}
	e := &earlier{sha256.Sum256(data), ix.Headers, make(map[string]int, len(ix.Files)+len(ix.Claimed))}
	for _, f := range ix.Files {
		if f.Header < 0 || f.Header >= len(ix.Headers) {
			return nil, fmt.Errorf("%s refers to a header that it does not list", IndexFile)
		}
		e.files[f.Name] = f.Header
	}
	for _, name := range ix.Claimed {
		e.files[name] = claimedOnly
	}
	return e, nil
}

// layout returns the layout of an export to a bucket.
func (e *earlier) layout() layout {
	for name := range e.files {
		if path.Base(name) == "index.json" {
			return layoutFolders
		}
	}
	return layoutKeys
}

// has reports whether a file was exported. Without an earlier export, none was.
func (e *earlier) has(name string) bool {
	if e == nil {
		return false
	}
	_, ok := e.files[name]
	return ok
}

// hasHeader reports whether a file was last exported with the given header.
func (e *earlier) hasHeader(name string, header map[string]string) bool {
	if !e.has(name) || e.files[name] == claimedOnly {
		return false
	}
	return maps.Equal(e.headers[e.files[name]], header)
}

// hasIndex reports whether the index of the earlier export has the same bytes.
func (e *earlier) hasIndex(ix *index) bool {
	h := sha256.New()
	return e != nil && ix.encode(h) == nil && digest(h.Sum(nil)) == e.digest
}

package release

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// A blob file stores many small named blobs in one file, so that a release can be
// loaded with a few reads. All numbers are little-endian:
//
//	magic    "ppk" and the format as a byte
//	count    the number of entries (32 bits)
//	entries  sorted by name, each with the offset of its blob in the file
//	         (64 bits), the length of the blob (64 bits), its SHA-256, the
//	         length of the name (32 bits), and the name
//	blobs    in the order of the entries, without gaps
//
// The part before the blobs is the index. It has the checksums of the blobs, so
// its own checksum, which is in [HeaderFile], covers the whole file. To read and
// verify one blob, a reader needs only the index and the bytes of that blob.
const (
	blobMagic      = "ppk\x01"
	blobHeaderSize = len(blobMagic) + 4
	blobEntrySize  = 8 + 8 + sha256.Size + 4 // without the name
)

// blobFile is a parsed blob file.
type blobFile struct {
	data    []byte
	index   []byte // the start of data
	entries []blobEntry
}

type blobEntry struct {
	name   string
	offset uint64
	length uint64
	sum    [sha256.Size]byte
}

// encodeBlobs returns a file of the blobs, which are keyed by name, and the size of its
// index.
func encodeBlobs(blobs map[string][]byte) (data []byte, indexSize int) {
	names := slices.Sorted(maps.Keys(blobs))
	indexSize = blobHeaderSize
	size := 0
	for _, name := range names {
		indexSize += blobEntrySize + len(name)
		size += len(blobs[name])
	}
	data = make([]byte, 0, indexSize+size)
	data = append(data, blobMagic...)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(names)))
	offset := uint64(indexSize)
	for _, name := range names {
		blob := blobs[name]
		sum := sha256.Sum256(blob)
		data = binary.LittleEndian.AppendUint64(data, offset)
		data = binary.LittleEndian.AppendUint64(data, uint64(len(blob)))
		data = append(data, sum[:]...)
		data = binary.LittleEndian.AppendUint32(data, uint32(len(name)))
		data = append(data, name...)
		offset += uint64(len(blob))
	}
	for _, name := range names {
		data = append(data, blobs[name]...)
	}
	return data, indexSize
}

// parseBlobs parses a blob file. It accepts only the output of [encodeBlobs], but
// leaves the verification of blobs to [blobFile.blob]. The result retains data.
func parseBlobs(data []byte) (*blobFile, error) {
	if len(data) < blobHeaderSize || string(data[:3]) != blobMagic[:3] {
		return nil, errors.New("it is not a blob file")
	}
	if data[3] != blobMagic[3] {
		return nil, fmt.Errorf("its format is %d, want %d", data[3], blobMagic[3])
	}
	count := binary.LittleEndian.Uint32(data[len(blobMagic):])
	rest := data[blobHeaderSize:]
	if uint64(count) > uint64(len(rest)/blobEntrySize) {
		return nil, fmt.Errorf("its index is truncated: %d bytes cannot hold %d entries", len(data), count)
	}
	f := &blobFile{data: data, entries: make([]blobEntry, count)}
	for i := range f.entries {
		e := &f.entries[i]
		if len(rest) < blobEntrySize {
			return nil, fmt.Errorf("its index is truncated in entry %d", i)
		}
		e.offset = binary.LittleEndian.Uint64(rest)
		e.length = binary.LittleEndian.Uint64(rest[8:])
		copy(e.sum[:], rest[16:])
		nameSize := binary.LittleEndian.Uint32(rest[16+sha256.Size:])
		rest = rest[blobEntrySize:]
		if uint64(nameSize) > uint64(len(rest)) {
			return nil, fmt.Errorf("its index is truncated in the name of entry %d", i)
		}
		e.name = string(rest[:nameSize])
		rest = rest[nameSize:]
		if i > 0 && e.name <= f.entries[i-1].name {
			return nil, fmt.Errorf("entry %q follows %q, but names must be sorted and unique", e.name, f.entries[i-1].name)
		}
	}
	f.index = data[:len(data)-len(rest)]
	end := uint64(len(f.index))
	for _, e := range f.entries {
		if e.offset != end {
			return nil, fmt.Errorf("entry %q starts at byte %d, want %d", e.name, e.offset, end)
		}
		if e.length > uint64(len(data))-end {
			return nil, fmt.Errorf("entry %q has %d bytes at %d and ends after the file, which has %d", e.name, e.length, e.offset, len(data))
		}
		end += e.length
	}
	if end != uint64(len(data)) {
		return nil, fmt.Errorf("the last entry ends at byte %d, but the file has %d bytes", end, len(data))
	}
	return f, nil
}

// blob verifies and returns the blob with the given name, a slice of the file's
// data. The error wraps [fs.ErrNotExist] if the file has no such entry.
func (f *blobFile) blob(name string) ([]byte, error) {
	i, found := slices.BinarySearchFunc(f.entries, name, func(e blobEntry, name string) int { return strings.Compare(e.name, name) })
	if !found {
		return nil, fmt.Errorf("entry %q: %w", name, fs.ErrNotExist)
	}
	e := &f.entries[i]
	end := e.offset + e.length
	blob := f.data[e.offset:end:end]
	if sha256.Sum256(blob) != e.sum {
		return nil, fmt.Errorf("entry %q does not match its checksum", name)
	}
	return blob, nil
}

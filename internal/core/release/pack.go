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

// A pack stores many small named blobs in one file, so that a release can be
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
	packMagic      = "ppk\x01"
	packHeaderSize = len(packMagic) + 4
	packEntrySize  = 8 + 8 + sha256.Size + 4 // without the name
)

// pack is a parsed pack.
type pack struct {
	data    []byte
	index   []byte // the start of data
	entries []packEntry
}

type packEntry struct {
	name   string
	offset uint64
	length uint64
	sum    [sha256.Size]byte
}

// encodePack returns a pack of the blobs, which are keyed by name, and the size of
// its index.
func encodePack(blobs map[string][]byte) (data []byte, indexSize int) {
	names := slices.Sorted(maps.Keys(blobs))
	indexSize = packHeaderSize
	size := 0
	for _, name := range names {
		indexSize += packEntrySize + len(name)
		size += len(blobs[name])
	}
	data = make([]byte, 0, indexSize+size)
	data = append(data, packMagic...)
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

// parsePack parses a pack. It accepts only the output of [encodePack], but leaves
// the verification of blobs to [pack.blob]. The pack retains data.
func parsePack(data []byte) (*pack, error) {
	if len(data) < packHeaderSize || string(data[:3]) != packMagic[:3] {
		return nil, errors.New("it is not a pack")
	}
	if data[3] != packMagic[3] {
		return nil, fmt.Errorf("its format is %d, want %d", data[3], packMagic[3])
	}
	count := binary.LittleEndian.Uint32(data[len(packMagic):])
	rest := data[packHeaderSize:]
	if uint64(count) > uint64(len(rest)/packEntrySize) {
		return nil, fmt.Errorf("its index is truncated: %d bytes cannot hold %d entries", len(data), count)
	}
	p := &pack{data: data, entries: make([]packEntry, count)}
	for i := range p.entries {
		e := &p.entries[i]
		if len(rest) < packEntrySize {
			return nil, fmt.Errorf("its index is truncated in entry %d", i)
		}
		e.offset = binary.LittleEndian.Uint64(rest)
		e.length = binary.LittleEndian.Uint64(rest[8:])
		copy(e.sum[:], rest[16:])
		nameSize := binary.LittleEndian.Uint32(rest[16+sha256.Size:])
		rest = rest[packEntrySize:]
		if uint64(nameSize) > uint64(len(rest)) {
			return nil, fmt.Errorf("its index is truncated in the name of entry %d", i)
		}
		e.name = string(rest[:nameSize])
		rest = rest[nameSize:]
		if i > 0 && e.name <= p.entries[i-1].name {
			return nil, fmt.Errorf("entry %q follows %q, but names must be sorted and unique", e.name, p.entries[i-1].name)
		}
	}
	p.index = data[:len(data)-len(rest)]
	end := uint64(len(p.index))
	for _, e := range p.entries {
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
	return p, nil
}

// blob verifies and returns the blob with the given name, a slice of the pack's
// data. The error wraps [fs.ErrNotExist] if the pack has no such entry.
func (p *pack) blob(name string) ([]byte, error) {
	i, found := slices.BinarySearchFunc(p.entries, name, func(e packEntry, name string) int { return strings.Compare(e.name, name) })
	if !found {
		return nil, fmt.Errorf("entry %q: %w", name, fs.ErrNotExist)
	}
	e := &p.entries[i]
	end := e.offset + e.length
	blob := p.data[e.offset:end:end]
	if sha256.Sum256(blob) != e.sum {
		return nil, fmt.Errorf("entry %q does not match its checksum", name)
	}
	return blob, nil
}

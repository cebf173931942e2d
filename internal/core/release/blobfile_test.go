package release

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var samples = map[string][]byte{"a": []byte("first"), "b": []byte("other"), "c/d": []byte("<svg/>"), "e": nil}

func TestBlobFileRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blobs := rapid.MapOf(rapid.String(), rapid.SliceOf(rapid.Byte())).Draw(t, "blobs")
		data, indexSize := encodeBlobs(blobs)
		p, err := parseBlobs(data)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.index) != indexSize || len(p.entries) != len(blobs) {
			t.Fatalf("got an index of %d bytes and %d entries, want %d and %d", len(p.index), len(p.entries), indexSize, len(blobs))
		}
		for name, want := range blobs {
			got, err := p.blob(name)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("blob %q: got %q, %v, want %q", name, got, err, want)
			}
		}
	})
}

func TestBlobFileWithoutEntries(t *testing.T) {
	data, _ := encodeBlobs(nil)
	p, err := parseBlobs(data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.blob("a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
}

func TestParseBlobsRejectsMalformedFiles(t *testing.T) {
	data, indexSize := encodeBlobs(samples)
	// The fields of the second entry, b, which follows the entry of a.
	const (
		count  = len(blobMagic)
		first  = blobHeaderSize
		second = first + blobEntrySize + len("a")
		offset = second
		length = second + 8
		size   = second + blobEntrySize - 4 // of the name
		name   = second + blobEntrySize
	)
	put64 := func(at int, v uint64) func([]byte) []byte {
		return func(b []byte) []byte { binary.LittleEndian.PutUint64(b[at:], v); return b }
	}
	put32 := func(at int, v uint32) func([]byte) []byte {
		return func(b []byte) []byte { binary.LittleEndian.PutUint32(b[at:], v); return b }
	}
	put8 := func(at int, v byte) func([]byte) []byte {
		return func(b []byte) []byte { b[at] = v; return b }
	}
	cut := func(n int) func([]byte) []byte { return func(b []byte) []byte { return b[:n] } }
	for _, tc := range []struct {
		name   string
		change func([]byte) []byte
		want   string
	}{
		{"empty file", cut(0), "not a blob file"},
		{"other magic", put8(0, 'z'), "not a blob file"},
		{"other format", put8(3, 9), "its format is 9, want 1"},
		{"truncated header", cut(blobHeaderSize - 1), "not a blob file"},
		{"truncated entry", cut(second + 10), "index is truncated"},
		{"truncated blobs", cut(len(data) - 1), "ends after the file"},
		{"no blobs", cut(indexSize), "ends after the file"},
		{"huge count", put32(count, math.MaxUint32), "index is truncated"},
		{"count too large", put32(count, 5), "index is truncated"},
		{"count too small", put32(count, 3), "starts at byte"},
		{"long name", put32(size, math.MaxUint32), "index is truncated"},
		{"duplicate name", put8(name, 'a'), "sorted and unique"},
		{"unsorted name", put8(name, 'A'), "sorted and unique"},
		{"overlap", put64(offset, uint64(indexSize)), "starts at byte"},
		{"gap", put64(offset, uint64(indexSize)+6), "starts at byte"},
		{"offset out of range", put64(offset, math.MaxUint64), "starts at byte"},
		{"length out of range", put64(length, math.MaxUint64), "ends after the file"},
		{"shorter blob", put64(length, 4), "starts at byte"},
		{"trailing byte", func(b []byte) []byte { return append(b, 0) }, "the last entry ends at byte 238, but the file has 239 bytes"},
	} {
		_, err := parseBlobs(tc.change(bytes.Clone(data)))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want an error with %q", tc.name, err, tc.want)
		}
	}
}

func TestBlobRejectsDamage(t *testing.T) {
	data, indexSize := encodeBlobs(samples)
	flipped := bytes.Clone(data)
	flipped[indexSize] ^= 1
	swapped := bytes.Clone(data)
	copy(swapped[indexSize:], "otherfirst")
	sum := bytes.Clone(data)
	sum[blobHeaderSize+16] ^= 1
	for _, tc := range []struct {
		name    string
		data    []byte
		damaged string
	}{
		{"flipped bit", flipped, "a"},
		{"swapped blobs", swapped, "a b"},
		{"wrong checksum", sum, "a"},
	} {
		p, err := parseBlobs(tc.data)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		var damaged []string
		for _, e := range p.entries {
			if _, err := p.blob(e.name); err != nil {
				damaged = append(damaged, e.name)
			}
		}
		if got := strings.Join(damaged, " "); got != tc.damaged {
			t.Errorf("%s: entries %q are rejected, want %q", tc.name, got, tc.damaged)
		}
	}
}

func FuzzParseBlobs(f *testing.F) {
	for _, blobs := range []map[string][]byte{nil, samples, {"": nil}} {
		data, _ := encodeBlobs(blobs)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := parseBlobs(data)
		if err != nil {
			return
		}
		blobs := make(map[string][]byte)
		for _, e := range p.entries {
			blob, err := p.blob(e.name)
			if err != nil {
				return
			}
			blobs[e.name] = blob
		}
		if again, _ := encodeBlobs(blobs); !bytes.Equal(again, data) {
			t.Errorf("the file is encoded as %q, want %q", again, data)
		}
	})
}

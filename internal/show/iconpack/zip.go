package iconpack

import (
	"archive/zip"
	"bytes"
	"hash/crc32"
	"io"
	"path"

	"github.com/klauspost/compress/flate"

	"placard/internal/core/problem"
	"placard/internal/core/release"
)

// maxIconBytes is the maximum size in bytes of the icons in an archive of
// [ZipAll]. It limits the time and memory that writing one takes.
const maxIconBytes = 4 << 20

// compressionLevel is the level at which small files are as small as at higher
// ones.
const compressionLevel = 6

// dosDate is 1980-01-01, the first date that zip archives can represent, so that
// the bytes of an archive do not depend on when it is written.
const dosDate = 1<<5 | 1

// Zip writes the pack as a zip archive. It calls step, which may be nil, before
// each file and while it draws, and stops with its error.
func (p *Pack) Zip(w io.Writer, step func() error) error {
	// The level is valid, and writing to a buffer cannot fail.
	deflater, _ := flate.NewWriter(io.Discard, compressionLevel)
	archive := zip.NewWriter(w)
	var deflated bytes.Buffer
	for _, f := range p.Files() {
		if step != nil {
			if err := step(); err != nil {
				return err
			}
		}
		data, err := f.Data(step)
		if err != nil {
			return err
		}
		header := &zip.FileHeader{
			Name: f.Name, Method: zip.Store, CRC32: crc32.ChecksumIEEE(data),
			UncompressedSize64: uint64(len(data)), CompressedSize64: uint64(len(data)),
			Flags:         0x800,                  // names are UTF-8
			ReaderVersion: 20, CreatorVersion: 20, // 2.0, the first with folders and Deflate
		}
		//lint:ignore SA1019 CreateRaw does not read Modified.
		header.ModifiedDate = dosDate
		content := data
		if path.Ext(f.Name) != ".png" { // which is compressed already
			deflated.Reset()
			deflater.Reset(&deflated)
			_, _ = deflater.Write(data)
			_ = deflater.Close()
			if deflated.Len() < len(data) {
				content = deflated.Bytes()
				header.Method, header.CompressedSize64 = zip.Deflate, uint64(len(content))
			}
		}
		entry, err := archive.CreateRaw(header)
		if err != nil {
			return err
		}
		if _, err := entry.Write(content); err != nil {
			return err
		}
	}
	return archive.Close()
}

// ZipAll returns the complete pack of a release as a zip archive. If the release has
// too many icons, it returns a problem.
func ZipAll(r *release.Release) ([]byte, error) {
	p, err := New(r, Options{})
	if err != nil {
		return nil, err
	}
	size := 0
	for i := range p.elements {
		for _, packed := range p.elements[i].icons {
			svg, err := p.icon(&p.elements[i], packed, nil)
			if err != nil {
				return nil, err
			}
			size += len(svg)
		}
		if size > maxIconBytes {
			return nil, problem.New(problem.PayloadTooLarge, "The icons of %s have more than %d MiB.", r.Name(), maxIconBytes>>20).
				Hint("Write the pack with the command placard icons, or request icons one at a time.")
		}
	}
	var b bytes.Buffer
	if err := p.Zip(&b, nil); err != nil {
		return nil, err
	}
	return bytes.Clone(b.Bytes()), nil // without the unused capacity
}

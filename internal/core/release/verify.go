package release

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// Verification is the result of [Verify].
type Verification struct {
	// ID and ContentHash are from [HeaderFile], and Digest is its digest. They are
	// zero if it is damaged.
	ID          taxonomy.ID
	ContentHash string
	Digest      string
	Bytes       int64 // the size of all files that could be read
	// Errors has an error for each bad file: a [DamageError], or another error if
	// the file could not be read.
	Errors []error
}

// Verify reads every byte of a stored release. Unlike [Decode], it reports all
// damaged files, requires all icons, and also checks parts in another format,
// which Decode would rebuild.
func Verify(fsys fs.FS) Verification {
	d := decoder{fsys: fsys, data: make(map[string][]byte)}
	var v Verification
	fail := func(err error) { v.Errors = append(v.Errors, err) }
	headerErr := d.readHeader()
	if headerErr == nil {
		v.ID, v.ContentHash, v.Digest = d.header.ID, d.header.ContentHash, Digest(d.data[HeaderFile])
	} else {
		fail(headerErr)
	}
	content, err := d.read(contentFile)
	if err == nil && headerErr == nil {
		err = d.verify(contentFile, content)
	}
	if err != nil {
		fail(err)
	}
	for _, name := range []string{iconsFile, searchFile} {
		if err := d.verifyBlobs(name, headerErr == nil); err != nil {
			fail(err)
		}
	}
	for _, data := range d.data {
		v.Bytes += int64(len(data))
	}
	if len(v.Errors) > 0 {
		return v
	}
	r, err := d.decode()
	if err == nil {
		err = d.checkIcons(r)
	}
	if err != nil {
		fail(err)
	}
	return v
}

// verifyBlobs checks every blob of a blob file and, if the header can be used, its
// index.
func (d *decoder) verifyBlobs(name string, hasHeader bool) error {
	data, err := d.read(name)
	if err != nil {
		return err
	}
	p, err := parseBlobs(data)
	if err != nil {
		return &DamageError{name, err}
	}
	if hasHeader {
		if err := d.verify(name, p.index); err != nil {
			return err
		}
	}
	if damaged := p.damaged(); len(damaged) > 0 {
		return &DamageError{name, fmt.Errorf("it contains wrong bytes for %s", problem.Listing(damaged, 5))}
	}
	return nil
}

// damaged returns the names of the blobs that do not match their checksums.
func (f *blobFile) damaged() []string {
	var names []string
	for _, e := range f.entries {
		if sha256.Sum256(f.data[e.offset:e.offset+e.length]) != e.sum {
			names = append(names, e.name)
		}
	}
	return names
}

// checkIcons returns an error if the stored icons lack icons or symbols of r. A file in
// another format may have other entries.
func (d *decoder) checkIcons(r *Release) error {
	if d.header.IconFormat != iconFormat {
		return nil
	}
	p, err := d.readBlobs(iconsFile)
	if err != nil {
		return err
	}
	var want []string
	for id := range r.Taxonomy.Symbols {
		want = append(want, symbolName(id))
	}
	for _, e := range r.Taxonomy.Elements {
		for _, variant := range e.IconVariants {
			want = append(want, iconName(e.ID, variant))
		}
	}
	missing := slices.DeleteFunc(want, func(name string) bool {
		_, err := p.blob(name)
		return !errors.Is(err, fs.ErrNotExist)
	})
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return &DamageError{iconsFile, fmt.Errorf("it lacks %s", problem.Listing(missing, 5))}
}

package release

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/search"
	"placard/internal/taxonomy"
)

// The files of a stored release.
const (
	// HeaderFile is written last and names every other file with its checksum.
	HeaderFile  = "release.json"
	contentFile = "content.json"
)

const (
	// layout numbers the arrangement of files and the form of the header.
	layout = 1
	// iconFormat numbers what icon.Compose draws: it grows when the same input
	// gives other bytes, and stored icons of another number are drawn again.
	iconFormat = 1
)

// header is the content of [HeaderFile], which is sealed.
type header struct {
	Layout      int               `json:"layout"`
	ID          taxonomy.ID       `json:"id"`
	ContentHash string            `json:"content_hash"`
	CreatedAt   string            `json:"created_at,omitzero"`
	Notes       string            `json:"notes,omitzero"`
	IconFormat  int               `json:"icon_format"`
	IndexFormat int               `json:"index_format"`
	Files       map[string]string `json:"files"` // checksums by name
	Checksum    string            `json:"checksum,omitzero"`
}

// Files returns the files of r, name and bytes, [HeaderFile] last.
func (r *Release) Files() (iter.Seq2[string, []byte], error) {
	content, err := encodeContent(r.Taxonomy)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{contentFile: content}
	for n, e := range r.Taxonomy.Elements {
		for i, variant := range e.IconVariants {
			// A release that was stored without an icon is stored so again.
			if svg := r.icons[n][i]; svg != nil {
				files[iconFile(e.ID, variant)] = svg
			}
		}
	}
	for _, l := range r.search {
		if files[indexFile(l.locale)], err = l.index.AppendBinary(nil); err != nil {
			return nil, fmt.Errorf("search index of locale %q: %w", l.locale, err)
		}
	}
	h := header{
		Layout:      layout,
		ID:          r.Manifest.ID,
		ContentHash: r.Manifest.ContentHash,
		CreatedAt:   r.Manifest.CreatedAt,
		Notes:       r.Manifest.Notes,
		IconFormat:  iconFormat,
		IndexFormat: search.Format,
		Files:       make(map[string]string, len(files)),
	}
	for name, data := range files {
		h.Files[name] = checksum(data)
	}
	object, err := json.Marshal(h, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	return func(yield func(string, []byte) bool) {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if !yield(name, files[name]) {
				return
			}
		}
		yield(HeaderFile, Seal(object))
	}, nil
}

const (
	iconDir   = "icons"
	searchDir = "search"
)

func iconFile(element, variant string) string {
	return iconDir + "/" + element + "/" + variant + ".svg"
}
func indexFile(locale string) string { return searchDir + "/" + locale + ".idx" }

// Holds reports whether a stored release has a file or folder called name at
// its top.
func Holds(name string) bool {
	return name == HeaderFile || name == contentFile || name == iconDir || name == searchDir
}

// DamageError says which file of a stored release cannot be trusted.
type DamageError struct {
	File string
	Err  error
}

func (e *DamageError) Error() string { return fmt.Sprintf("%s is damaged: %v", e.File, e.Err) }
func (e *DamageError) Unwrap() error { return e.Err }

// Decode reads a stored release and verifies every file of it. Icons that are
// absent are tolerated and composed when asked for; anything else that is
// missing or altered makes the whole release unusable, and the error is a
// [DamageError]. Derived parts of another format than ours are made anew.
func Decode(fsys fs.FS) (*Release, error) {
	d := decoder{fsys: fsys}
	if err := d.readHeader(); err != nil {
		return nil, err
	}
	content, err := d.read(contentFile)
	if err != nil {
		return nil, err
	}
	if checksum(content) != d.header.ContentHash {
		return nil, &DamageError{contentFile, errors.New("it does not have the release's content hash")}
	}
	t, err := decodeContent(content)
	if err != nil {
		return nil, &DamageError{contentFile, err}
	}
	t.ID, t.CreatedAt, t.Notes = d.header.ID, d.header.CreatedAt, d.header.Notes
	r, err := assemble(t, d.header.ContentHash)
	if err != nil {
		return nil, &DamageError{contentFile, err}
	}
	if err := d.decodeIcons(r); err != nil {
		return nil, err
	}
	if err := d.decodeSearch(r); err != nil {
		return nil, err
	}
	return r, nil
}

type decoder struct {
	fsys   fs.FS
	header header
}

func (d *decoder) readHeader() error {
	data, err := fs.ReadFile(d.fsys, HeaderFile)
	if err != nil {
		return unreadable(HeaderFile, err)
	}
	if err := Unseal(data); err != nil {
		return &DamageError{HeaderFile, err}
	}
	if err := json.Unmarshal(data, &d.header); err != nil {
		return &DamageError{HeaderFile, err}
	}
	if d.header.Layout != layout {
		return fmt.Errorf("%s: layout %d is not known to this version of Placard, which reads layout %d", HeaderFile, d.header.Layout, layout)
	}
	return nil
}

// read returns a file of the release after comparing it with its checksum.
func (d *decoder) read(name string) ([]byte, error) {
	want, listed := d.header.Files[name]
	if !listed {
		return nil, &DamageError{name, errors.New("it is not listed in " + HeaderFile)}
	}
	data, err := fs.ReadFile(d.fsys, name)
	if err != nil {
		return nil, unreadable(name, err)
	}
	if got := checksum(data); got != want {
		return nil, &DamageError{name, fmt.Errorf("its checksum is %s instead of %s", got, want)}
	}
	return data, nil
}

func (d *decoder) decodeIcons(r *Release) error {
	if d.header.IconFormat != iconFormat {
		return r.bakeIcons()
	}
	for n, e := range r.Taxonomy.Elements {
		for i, variant := range e.IconVariants {
			name := iconFile(e.ID, variant)
			if _, listed := d.header.Files[name]; !listed {
				continue
			}
			svg, err := d.read(name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			r.icons[n][i] = svg
		}
	}
	return nil
}

func (d *decoder) decodeSearch(r *Release) error {
	if d.header.IndexFormat != search.Format {
		r.buildSearch()
		return nil
	}
	for _, locale := range r.Manifest.Locales {
		name := indexFile(locale)
		data, err := d.read(name)
		if err != nil {
			return err
		}
		index, err := search.Decode(data)
		if err != nil {
			return &DamageError{name, err}
		}
		r.search = append(r.search, localeIndex{locale, index})
	}
	return nil
}

// unreadable tells a file that is gone, which is damage, from a file system
// that cannot be read just now, which is not.
func unreadable(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &DamageError{name, err}
	}
	return fmt.Errorf("read %s: %w", name, err)
}

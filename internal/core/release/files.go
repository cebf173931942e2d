package release

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/search"
	"placard/internal/core/taxonomy"
)

// The files of a stored release.
const (
	// HeaderFile is written last and lists the other files with their checksums.
	HeaderFile  = "release.json"
	contentFile = "content.json"
	iconsFile   = "icons.pack"  // entries are named by iconName and symbolName
	searchFile  = "search.pack" // entries are named by locale
)

// iconFormat is the version of the output of icon.Compose and icon.Symbol.SVG. It
// is incremented when the same input gives different bytes. Stored icons and
// symbols of another version are ignored and drawn again.
const iconFormat = 4

// header is the content of [HeaderFile], which is sealed.
type header struct {
	Layout      int         `json:"layout"`
	ID          taxonomy.ID `json:"id"`
	ContentHash string      `json:"content_hash"`
	CreatedAt   string      `json:"created_at,omitzero"`
	Notes       string      `json:"notes,omitzero"`
	// Ignored does not affect what is served.
	Ignored     taxonomy.Ignored `json:"ignored,omitzero"`
	IconFormat  int              `json:"icon_format"`
	IndexFormat int              `json:"index_format"`
	// Files are the checksums of the other files by name. For a blob file, it is the
	// checksum of its index.
	Files    map[string]string `json:"files"`
	Checksum string            `json:"checksum,omitzero"`
}

// Files returns the names and contents of the files of r, [HeaderFile] last.
// All files are in one folder.
func (r *Release) Files() (iter.Seq2[string, []byte], error) {
	content := r.content
	if content == nil {
		var err error
		if content, err = encodeContent(r.Taxonomy); err != nil {
			return nil, err
		}
	}
	icons := make(map[string][]byte)
	for id, svg := range r.symbols {
		icons[symbolName(id)] = svg
	}
	for n, e := range r.Taxonomy.Elements {
		for i, variant := range e.IconVariants {
			// An icon that was missing when r was loaded stays missing.
			if svg := r.icons[n][i]; svg != nil {
				icons[iconName(e.ID, variant)] = svg
			}
		}
	}
	indexes := make(map[string][]byte)
	for _, l := range r.search {
		data, err := l.index.AppendBinary(nil)
		if err != nil {
			return nil, fmt.Errorf("search index of locale %q: %w", l.locale, err)
		}
		indexes[l.locale] = data
	}
	iconBlobs, iconIndexSize := encodeBlobs(icons)
	searchBlobs, searchIndexSize := encodeBlobs(indexes)
	h := header{
		Layout:      Layout,
		ID:          r.Manifest.ID,
		ContentHash: r.Manifest.ContentHash,
		CreatedAt:   r.Manifest.CreatedAt,
		Notes:       r.Manifest.Notes,
		Ignored:     r.Taxonomy.Ignored,
		IconFormat:  iconFormat,
		IndexFormat: search.Format,
		Files: map[string]string{
			contentFile: checksum(content),
			iconsFile:   checksum(iconBlobs[:iconIndexSize]),
			searchFile:  checksum(searchBlobs[:searchIndexSize]),
		},
	}
	object, err := json.Marshal(h, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	for name, data := range map[string][]byte{contentFile: content, iconsFile: iconBlobs, searchFile: searchBlobs} {
		if len(data) > maxFileSize {
			return nil, fmt.Errorf("%s would be larger than %d MiB", name, maxFileSize>>20)
		}
	}
	return func(yield func(string, []byte) bool) {
		_ = yield(contentFile, content) &&
			yield(iconsFile, iconBlobs) &&
			yield(searchFile, searchBlobs) &&
			yield(HeaderFile, Seal(object))
	}, nil
}

// iconName returns the name of an icon in [iconsFile].
func iconName(element, variant string) string { return element + "/" + variant + ".svg" }

// symbolName returns the name of a symbol in [iconsFile]. The names of icons
// have a slash.
func symbolName(id string) string { return id + ".svg" }

// FileNames returns the names of the files of a stored release.
func FileNames() []string { return []string{contentFile, iconsFile, searchFile, HeaderFile} }

// IsFile reports whether a stored release has a file with this name.
func IsFile(name string) bool { return slices.Contains(FileNames(), name) }

// DamageError reports a missing or altered file of a store.
type DamageError struct {
	File string
	Err  error
}

func (e *DamageError) Error() string { return fmt.Sprintf("%s is damaged: %v", e.File, e.Err) }
func (e *DamageError) Unwrap() error { return e.Err }

// Decode reads and verifies a stored release. Missing symbols are written again,
// and missing icons are composed on demand. If anything else is missing, or anything is damaged, Decode returns a
// [DamageError]. Icons and search indexes of another format are rebuilt.
func Decode(fsys fs.FS) (*Release, error) {
	d := decoder{fsys: fsys}
	if err := d.readHeader(); err != nil {
		return nil, err
	}
	return d.decode()
}

// decode reads and verifies all files but the header, which has been read.
func (d *decoder) decode() (*Release, error) {
	content, err := d.read(contentFile)
	if err != nil {
		return nil, err
	}
	if err := d.verify(contentFile, content); err != nil {
		return nil, err
	}
	if d.header.Files[contentFile] != d.header.ContentHash {
		return nil, &DamageError{contentFile, errors.New("its checksum is not the content hash of the release")}
	}
	t, err := decodeContent(content)
	if err != nil {
		return nil, &DamageError{contentFile, err}
	}
	t.ID, t.CreatedAt, t.Notes, t.Ignored = d.header.ID, d.header.CreatedAt, d.header.Notes, d.header.Ignored
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
	data   map[string][]byte // if not nil, the files that were read, by name
}

func (d *decoder) readHeader() error {
	data, err := d.read(HeaderFile)
	if err != nil {
		return err
	}
	if err := Unseal(data); err != nil {
		return &DamageError{HeaderFile, err}
	}
	if err := json.Unmarshal(data, &d.header); err != nil {
		return &DamageError{HeaderFile, err}
	}
	return CheckLayout(HeaderFile, d.header.Layout)
}

func (d *decoder) read(name string) ([]byte, error) {
	if data, ok := d.data[name]; ok {
		return data, nil
	}
	data, err := ReadFile(d.fsys, name)
	if err == nil && d.data != nil {
		d.data[name] = data
	}
	return data, err
}

// verify compares the checksum of data with the one listed for a file.
func (d *decoder) verify(name string, data []byte) error {
	want, listed := d.header.Files[name]
	if !listed {
		return &DamageError{name, errors.New("it is not listed in " + HeaderFile)}
	}
	if got := checksum(data); got != want {
		return &DamageError{name, fmt.Errorf("its checksum is %s, want %s", got, want)}
	}
	return nil
}

// readBlobs returns a blob file of the release and verifies its index.
func (d *decoder) readBlobs(name string) (*blobFile, error) {
	data, err := d.read(name)
	if err != nil {
		return nil, err
	}
	p, err := parseBlobs(data)
	if err != nil {
		return nil, &DamageError{name, err}
	}
	if err := d.verify(name, p.index); err != nil {
		return nil, err
	}
	return p, nil
}

func (d *decoder) decodeIcons(r *Release) error {
	if d.header.IconFormat != iconFormat {
		symbols, err := parseSymbols(r.Taxonomy)
		if err != nil {
			return err
		}
		return r.drawAll(symbols)
	}
	icons, err := d.readBlobs(iconsFile)
	if errors.Is(err, fs.ErrNotExist) {
		icons, err = new(blobFile), nil
	}
	if err != nil {
		return err
	}
	for id := range r.Taxonomy.Symbols {
		svg, err := icons.blob(symbolName(id))
		if errors.Is(err, fs.ErrNotExist) {
			symbol, err := r.ParseSymbol(id)
			if err != nil {
				return &DamageError{contentFile, err}
			}
			r.symbols[id] = symbol.SVG()
			continue
		}
		if err != nil {
			return &DamageError{iconsFile, err}
		}
		r.symbols[id] = svg
	}
	for n, e := range r.Taxonomy.Elements {
		for i, variant := range e.IconVariants {
			svg, err := icons.blob(iconName(e.ID, variant))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return &DamageError{iconsFile, err}
			}
			r.icons[n][i] = svg // nil if it is missing: Icon composes it
		}
	}
	return nil
}

func (d *decoder) decodeSearch(r *Release) error {
	if d.header.IndexFormat != search.Format {
		r.buildSearch()
		return nil
	}
	indexes, err := d.readBlobs(searchFile)
	if err != nil {
		return err
	}
	for _, locale := range r.Manifest.Locales {
		data, err := indexes.blob(locale)
		if err != nil {
			return &DamageError{searchFile, err}
		}
		index, err := search.Decode(data)
		if err != nil {
			return &DamageError{searchFile, fmt.Errorf("locale %q: %w", locale, err)}
		}
		r.search = append(r.search, localeIndex{locale, index})
	}
	return nil
}

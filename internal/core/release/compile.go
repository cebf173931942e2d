package release

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"github.com/go-json-experiment/json"

	"placard/internal/core/datachain"
	"placard/internal/core/docschema"
	"placard/internal/core/icon"
	"placard/internal/core/search"
	"placard/internal/core/taxonomy"
)

// Compile compiles a taxonomy that has been checked and derived. The same
// taxonomy always gives the same release, byte for byte. The release retains t,
// which must not be modified afterwards.
func Compile(t *taxonomy.Taxonomy) (*Release, error) {
	symbols, err := parseSymbols(t)
	if err != nil {
		return nil, err
	}
	return CompileWithSymbols(t, symbols)
}

// CompileWithSymbols is [Compile] for a taxonomy whose symbols have been parsed.
func CompileWithSymbols(t *taxonomy.Taxonomy, symbols map[string]*icon.Symbol) (*Release, error) {
	var r *Release
	var err error
	indexes := make([]localeIndex, len(t.Locales))
	taxonomy.Parallel(1+len(indexes), func(i int) {
		if i == 0 {
			r, err = compileWithoutSearch(t, symbols)
		} else {
			indexes[i-1] = buildIndex(t, t.Locales[i-1])
		}
	})
	if err != nil {
		return nil, err
	}
	r.search = indexes
	return r, nil
}

// compileWithoutSearch returns a release without search indexes.
func compileWithoutSearch(t *taxonomy.Taxonomy, symbols map[string]*icon.Symbol) (*Release, error) {
	content, err := encodeContent(t)
	if err != nil {
		return nil, err
	}
	r, err := assemble(t, checksum(content))
	if err != nil {
		return nil, err
	}
	r.content = content
	return r, r.drawAll(symbols)
}

// assemble returns a release without symbols, icons and search indexes, which
// Compile builds and Decode reads.
func assemble(t *taxonomy.Taxonomy, hash string) (*Release, error) {
	if len(t.Locales) == 0 {
		return nil, fmt.Errorf("%s has no locales", t.ID)
	}
	r := &Release{
		name:     t.ID.String(),
		Taxonomy: t,
		Manifest: taxonomy.Manifest{
			ID:          t.ID,
			Status:      t.ID.Status,
			ContentHash: hash,
			Title:       t.Title,
			Description: t.Description,
			Type:        t.Type.ID,
			Locales:     t.Locales,
			Subchains:   t.Type.Subchains,
			CreatedAt:   t.CreatedAt,
			Notes:       t.Notes,
		},
		elements: make(map[string]int, len(t.Elements)),
		runs:     make(map[string]run, len(t.Categories)),
		icons:    make([][][]byte, len(t.Elements)),
		symbols:  make(map[string][]byte, len(t.Symbols)),
		schema:   datachain.NewSchema(t),
		guides:   make(guides, len(t.Locales)),
	}
	for i := range t.Categories {
		for _, v := range t.Categories[i].Variables {
			if !v.Kind.IsKnown() {
				return nil, fmt.Errorf("variable %q of category %q has the unknown kind %q", v.ID, t.Categories[i].ID, v.Kind)
			}
		}
	}
	var err error
	if r.ManifestJSON, err = json.Marshal(r.Manifest); err != nil {
		return nil, err
	}
	if r.TypeJSON, err = json.Marshal(t.Type); err != nil {
		return nil, err
	}
	if err := r.encodeRecords(); err != nil {
		return nil, err
	}
	for i := range t.Elements {
		e := &t.Elements[i]
		r.elements[e.ID] = i
		run := r.runs[e.CategoryID]
		if run.count == 0 {
			run.first = i
		}
		run.count++
		r.runs[e.CategoryID] = run
		r.icons[i] = make([][]byte, len(e.IconVariants))
	}
	r.fingerprint = r.computeFingerprint()
	return r, nil
}

func (r *Release) encodeRecords() error {
	t := r.Taxonomy
	categories, elements := newRecordEncoder(t.Locales, len(t.Categories)), newRecordEncoder(t.Locales, len(t.Elements))
	for i := range r.Taxonomy.Categories {
		c := &r.Taxonomy.Categories[i]
		if err := categories.add(c); err != nil {
			return fmt.Errorf("category %q: %w", c.ID, err)
		}
	}
	for i := range r.Taxonomy.Elements {
		e := &r.Taxonomy.Elements[i]
		if err := elements.add(e); err != nil {
			return fmt.Errorf("element %q: %w", e.ID, err)
		}
	}
	r.Categories, r.Elements = categories.finish(), elements.finishWithBrief()
	return nil
}

// computeFingerprint hashes everything that is served from r. The content hash
// in the manifest covers the files of the symbols; together with the format
// numbers it also covers symbols, icons, search results and the JSON Schema.
func (r *Release) computeFingerprint() string {
	h := sha256.New()
	fmt.Fprintln(h, iconFormat, search.Format, docschema.Format)
	h.Write(r.ManifestJSON)
	h.Write(r.TypeJSON)
	for _, records := range []Records{r.Categories, r.Elements} {
		for i := range records {
			h.Write(records[i].JSON())
		}
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:16])
}

func parseSymbols(t *taxonomy.Taxonomy) (map[string]*icon.Symbol, error) {
	symbols := make(map[string]*icon.Symbol, len(t.Symbols))
	for id, svg := range t.Symbols {
		symbol, err := parseSymbol(id, svg)
		if err != nil {
			return nil, err
		}
		symbols[id] = symbol
	}
	return symbols, nil
}

// drawAll writes all symbols and composes all icons.
func (r *Release) drawAll(symbols map[string]*icon.Symbol) error {
	for id, symbol := range symbols {
		r.symbols[id] = symbol.SVG()
	}
	for n := range r.Taxonomy.Elements {
		e := &r.Taxonomy.Elements[n]
		symbol := symbols[e.SymbolID]
		if symbol == nil {
			return fmt.Errorf("element %q: symbol %q does not exist", e.ID, e.SymbolID)
		}
		for i, variant := range e.IconVariants {
			svg, err := r.paint(e, symbol, variant)
			if err != nil {
				return err
			}
			r.icons[n][i] = svg
		}
	}
	return nil
}

// buildSearch builds the search indexes of all locales in parallel.
func (r *Release) buildSearch() {
	r.search = make([]localeIndex, len(r.Manifest.Locales))
	taxonomy.Parallel(len(r.search), func(i int) {
		r.search[i] = buildIndex(r.Taxonomy, r.Manifest.Locales[i])
	})
}

// buildIndex builds the search index of a locale.
func buildIndex(t *taxonomy.Taxonomy, locale string) localeIndex {
	docs := make([]search.Document, len(t.Elements))
	for i := range docs {
		e := &t.Elements[i]
		docs[i].Title, _ = e.Title.Get(locale)
		docs[i].Description, _ = e.Description.Get(locale)
		docs[i].Keywords = e.Keywords.Get(locale).List()
	}
	return localeIndex{locale, search.Build(locale, docs)}
}

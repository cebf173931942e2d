package iconpack

import (
	"strconv"

	"github.com/go-json-experiment/json"

	"placard/internal/core/icon"
	"placard/internal/core/taxonomy"
)

// Format is the version of the files of a pack. It is incremented when the same
// release gives other bytes.
const Format = 3

// indexJSON is the content of [IndexFile].
type indexJSON struct {
	Format      int                `json:"format"`
	Version     taxonomy.ID        `json:"version"`
	ContentHash string             `json:"content_hash"`
	Title       taxonomy.Localized `json:"title"`
	CreatedAt   string             `json:"created_at,omitzero"`
	Notes       string             `json:"notes,omitzero"`
	Sources     []taxonomy.Source  `json:"sources"`
	Variants    []string           `json:"variants"`
	Sizes       []int              `json:"png_sizes"`
	Categories  []categoryJSON     `json:"categories"`
	Elements    []elementJSON      `json:"elements"`
	Symbols     map[string]string  `json:"symbols"` // file names by id
}

type categoryJSON struct {
	ID     string             `json:"id"`
	Name   taxonomy.Localized `json:"name"`
	Prompt taxonomy.Localized `json:"prompt"`
	Shape  taxonomy.Shape     `json:"shape"`
}

type elementJSON struct {
	ID         string             `json:"id"`
	Title      taxonomy.Localized `json:"title"`
	CategoryID string             `json:"category_id"`
	Shape      taxonomy.Shape     `json:"shape"`
	SymbolID   string             `json:"symbol_id"`
	Icons      []iconJSON         `json:"icons"`
}

type iconJSON struct {
	Variant string             `json:"variant"`
	Label   taxonomy.Localized `json:"label,omitzero"` // of a context value
	SVG     string             `json:"svg"`
	PNG     map[string]string  `json:"png,omitzero"` // file names by size

	Ink        string `json:"ink"`
	Outline    string `json:"outline"`
	Background string `json:"background,omitzero"` // of a filled shape
}

// index returns the content of [IndexFile].
func (p *Pack) index(step func() error) ([]byte, error) {
	t := p.release.Taxonomy
	index := indexJSON{
		Format: Format, Version: p.release.ID(), ContentHash: p.release.Hash(), Title: t.Title,
		CreatedAt: t.CreatedAt, Notes: t.Notes, Sources: t.Type.Sources, Variants: p.variants, Sizes: p.sizes, Symbols: p.symbols,
	}
	for i := range t.Categories {
		c := &t.Categories[i]
		index.Categories = append(index.Categories, categoryJSON{c.ID, c.Name, c.Prompt, c.Shape})
	}
	for i := range p.elements {
		if step != nil {
			if err := step(); err != nil {
				return nil, err
			}
		}
		packed := &p.elements[i]
		e := &t.Elements[packed.number]
		encoded := elementJSON{e.ID, e.Title, e.CategoryID, e.Shape, e.SymbolID, nil}
		context := e.EffectiveContext(packed.category)
		for _, packedIcon := range packed.icons {
			encoded.Icons = append(encoded.Icons, p.iconJSON(packedIcon, context))
		}
		index.Elements = append(index.Elements, encoded)
	}
	return json.Marshal(index, json.Deterministic(true))
}

func (p *Pack) iconJSON(i packedIcon, context *taxonomy.Context) iconJSON {
	value, _ := context.Value(i.variant)          // zero for default and dark
	paint, _ := icon.PaintFor(i.variant, context) // the element has the variant
	encoded := iconJSON{Variant: i.variant, Label: value.Label, SVG: i.svg(), Ink: paint.Ink.String(), Outline: paint.Outline.String()}
	if paint.Filled {
		encoded.Background = paint.Background.String()
	}
	if len(p.sizes) > 0 {
		encoded.PNG = make(map[string]string, len(p.sizes))
		for _, size := range p.sizes {
			encoded.PNG[strconv.Itoa(size)] = i.png(size)
		}
	}
	return encoded
}

// FilesOf returns the names of the files of the pack with the given index. It
// reports false if index is not the content of [IndexFile].
func FilesOf(index []byte) (names map[string]bool, ok bool) {
	var pack indexJSON
	if err := json.Unmarshal(index, &pack); err != nil || pack.Format == 0 || pack.Version.IsZero() {
		return nil, false
	}
	names = map[string]bool{PageFile: true, IndexFile: true}
	for _, e := range pack.Elements {
		for _, i := range e.Icons {
			names[i.SVG] = true
			for _, name := range i.PNG {
				names[name] = true
			}
		}
	}
	for _, name := range pack.Symbols {
		names[name] = true
	}
	return names, true
}

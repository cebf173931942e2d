package release

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/taxonomy"
)

// content is the part of a taxonomy that the content hash covers: all authored
// values except id, status, dates and notes. Derived values are not part of it.
// Empty members are omitted, so that members added by a later version of Placard
// do not change the hashes of existing trees.
type content struct {
	Title       taxonomy.Localized     `json:"title"`
	Description taxonomy.Localized     `json:"description"`
	Locales     []string               `json:"locales"`
	Type        taxonomy.DatachainType `json:"datachain_type"`
	Categories  []taxonomy.Category    `json:"categories"`
	Elements    []taxonomy.Element     `json:"elements"`
	Symbols     map[string]string      `json:"symbols"`
}

// elementBatch is the number of elements that are encoded at once.
const elementBatch = 256

// encodeContent returns the canonical form (RFC 8785) of t's content. Its
// SHA-256 is the content hash.
func encodeContent(t *taxonomy.Taxonomy) ([]byte, error) {
	authored := t.Authored()
	symbols := make(map[string]string, len(t.Symbols))
	for id, svg := range t.Symbols {
		symbols[id] = string(svg)
	}
	// Elements are encoded in batches, because converting a large document to the
	// canonical form at once takes many times its size in memory. The other
	// members are those that the canonical form has before and after "elements".
	values := []any{
		content{Categories: authored.Categories, Type: t.Type, Description: t.Description},
		content{Locales: t.Locales, Symbols: symbols, Title: t.Title},
	}
	for batch := range slices.Chunk(authored.Elements, elementBatch) {
		values = append(values, batch)
	}
	encoded, errs := make([][]byte, len(values)), make([]error, len(values))
	taxonomy.Parallel(len(values), func(i int) { encoded[i], errs[i] = encodeCanonical(values[i]) })
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("encode content of %s: %w", t.ID, err)
	}
	for i, data := range encoded {
		encoded[i] = data[1 : len(data)-1] // without braces or brackets
	}
	before, after, elements := encoded[0], encoded[1], encoded[2:]
	parts := [][]byte{[]byte("{"), before}
	if len(before) > 0 {
		parts = append(parts, []byte(","))
	}
	if authored.Elements != nil {
		parts = append(parts, []byte(`"elements":[`))
		for i, batch := range elements {
			if i > 0 {
				parts = append(parts, []byte(","))
			}
			parts = append(parts, batch)
		}
		parts = append(parts, []byte("],"))
	}
	return slices.Concat(append(parts, after, []byte("}"))...), nil
}

// encodeCanonical returns the canonical form of v without empty members.
func encodeCanonical(v any) ([]byte, error) {
	data, err := json.Marshal(v, json.OmitZeroStructFields(true))
	if err != nil {
		return nil, err
	}
	canonical := jsontext.Value(data)
	err = canonical.Canonicalize()
	return canonical, err
}

func decodeContent(data []byte) (*taxonomy.Taxonomy, error) {
	var c content
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, err
	}
	t := &taxonomy.Taxonomy{
		Title:       c.Title,
		Description: c.Description,
		Locales:     c.Locales,
		Type:        c.Type,
		Categories:  c.Categories,
		Elements:    c.Elements,
		Symbols:     make(map[string][]byte, len(c.Symbols)),
	}
	for id, svg := range c.Symbols {
		t.Symbols[id] = []byte(svg)
	}
	t.Derive()
	return t, nil
}

// checksum returns the SHA-256 of data as it is written in stored files and
// responses: sha256-<hex>.
func checksum(data []byte) string { return "sha256-" + Digest(data) }

// Digest returns the SHA-256 of data in hex.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

package release

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/taxonomy"
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

// encodeContent returns the canonical form (RFC 8785) of t's content. Its
// SHA-256 is the content hash.
func encodeContent(t *taxonomy.Taxonomy) ([]byte, error) {
	authored := t.Authored()
	c := content{
		Title:       t.Title,
		Description: t.Description,
		Locales:     t.Locales,
		Type:        t.Type,
		Categories:  authored.Categories,
		Elements:    authored.Elements,
		Symbols:     make(map[string]string, len(t.Symbols)),
	}
	for id, svg := range t.Symbols {
		c.Symbols[id] = string(svg)
	}
	data, err := json.Marshal(c, json.OmitZeroStructFields(true))
	if err != nil {
		return nil, fmt.Errorf("encode content of %s: %w", t.ID, err)
	}
	v := jsontext.Value(data)
	if err := v.Canonicalize(); err != nil {
		return nil, fmt.Errorf("canonical form of %s: %w", t.ID, err)
	}
	return v, nil
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

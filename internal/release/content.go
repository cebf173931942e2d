package release

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/taxonomy"
)

// content is what a content hash covers: all that authors wrote and readers
// are shown, and nothing that names, dates or follows from it. Members that
// are empty are left out, so that a later Placard which knows more members
// gives an old tree the same hash.
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

// checksum returns the form in which digests are written everywhere.
func checksum(data []byte) string { return "sha256-" + Digest(data) }

// Digest returns the SHA-256 of data in hex.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

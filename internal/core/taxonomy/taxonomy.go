// Package taxonomy defines the data model of Placard and its JSON encoding:
// version ids and aliases, localized strings, datachain types, categories,
// contexts, variables, elements, shapes and symbols.
// It knows nothing about files or HTTP.
package taxonomy

import "strings"

// Taxonomy is the content of one schema version. [Taxonomy.Derive] sets the
// fields that are derived from others.
type Taxonomy struct {
	ID          ID
	CreatedAt   string // RFC 3339, or empty
	Notes       string // not part of the content hash
	Locales     []string
	Title       Localized
	Description Localized
	Type        DatachainType
	Categories  []Category        // in the order of Type.Categories
	Elements    []Element         // by category, then in authoring order
	Symbols     map[string][]byte // the authors' SVG files by symbol id
	// Ignored is what the files of a beta contain without effect. It is not part of
	// the content hash, and empty in a stable release, where it is an error.
	Ignored Ignored
}

// Ignored lists keys, files and comments that were not read.
type Ignored struct {
	Count    int      `json:"count"`
	Findings []string `json:"findings"` // the first ones, as sentences
}

// DefaultLocale returns the locale to use if none is requested: English if t has
// it, otherwise the first locale. It is empty if t has no locales.
func (t *Taxonomy) DefaultLocale() string {
	for _, l := range t.Locales {
		if strings.EqualFold(l, "en") {
			return l
		}
	}
	if len(t.Locales) == 0 {
		return ""
	}
	return t.Locales[0]
}

// Manifest is the metadata of a release.
type Manifest struct {
	ID          ID         `json:"id"`
	Status      Status     `json:"status"`
	ContentHash string     `json:"content_hash"`
	Title       Localized  `json:"title"`
	Description Localized  `json:"description"`
	Type        string     `json:"type"`
	Locales     []string   `json:"locales"`
	Subchains   []Subchain `json:"subchains"`
	CreatedAt   string     `json:"created_at,omitzero"`
	Notes       string     `json:"notes,omitzero"`
}

// DatachainType is the kind of document that a taxonomy describes.
type DatachainType struct {
	ID          string     `json:"id"`
	Name        Localized  `json:"name"`
	Description Localized  `json:"description"`
	Categories  []string   `json:"categories"`
	Subchains   []Subchain `json:"subchains"`
	Locales     []string   `json:"locales"`
	Sources     []Source   `json:"sources"`
}

// Subchain is a sequence of categories that may occur several times in one
// document, each time as a separate chain.
type Subchain struct {
	ID         string    `json:"id"`
	Name       Localized `json:"name"`
	Categories []string  `json:"categories"`
}

// Category groups the elements that answer one question about a system.
type Category struct {
	ID          string     `json:"id"`
	Name        Localized  `json:"name"`
	Description Localized  `json:"description"`
	Prompt      Localized  `json:"prompt"`
	Guidance    Localized  `json:"guidance"`
	Shape       Shape      `json:"shape"`
	Required    bool       `json:"required"`
	Order       int        `json:"order"`
	MinElements int        `json:"min_elements,omitzero"`
	MaxElements int        `json:"max_elements,omitzero"` // 0 means no limit
	Sign        int        `json:"sign,omitzero"`         // its rank on a sign, from 1; 0 means none
	Context     *Context   `json:"context,omitzero"`
	Variables   []Variable `json:"variables"`
	Sources     []Source   `json:"sources"`
	Examples    []Example  `json:"examples"`
}

// Context is a question about each placement; its values are the answers.
type Context struct {
	ID          string         `json:"id"`
	Name        Localized      `json:"name"`
	Description Localized      `json:"description"`
	Values      []ContextValue `json:"values"`
}

// Value returns the value with the given id. A nil Context has no values.
func (c *Context) Value(id string) (ContextValue, bool) {
	if c != nil {
		for _, v := range c.Values {
			if v.ID == id {
				return v, true
			}
		}
	}
	return ContextValue{}, false
}

// ContextValue is one answer to a context's question, and an icon variant.
// A value authored without a colour is black and not tinted.
type ContextValue struct {
	ID            string    `json:"id"`
	Label         Localized `json:"label"`
	Description   Localized `json:"description"`
	Color         string    `json:"color"` // #RRGGBB
	Tinted        bool      `json:"tinted"`
	MaxPlacements int       `json:"max_placements,omitzero"` // 0 means no limit
	Replaces      IDs       `json:"replaces,omitzero"`       // the ids of the value in earlier releases
}

// Element is one statement that a document can make.
type Element struct {
	ID            string       `json:"id"`
	Title         Localized    `json:"title"`
	Description   Localized    `json:"description"`
	CategoryID    string       `json:"category_id"`
	SymbolID      string       `json:"symbol_id"`
	Required      bool         `json:"required"`
	MaxPlacements int          `json:"max_placements,omitzero"` // 0 means no limit
	Excludes      []string     `json:"excludes,omitzero"`       // ids of elements that contradict it; one of two elements lists the other
	Replaces      IDs          `json:"replaces,omitzero"`       // the ids of the element in earlier releases
	Deprecated    *Deprecation `json:"deprecated,omitzero"`     // nil if documents may use it
	Keywords      Keywords     `json:"keywords,omitzero"`       // for search only; never part of a document
	Guidance      Localized    `json:"guidance"`
	Context       *Context     `json:"context,omitzero"` // see EffectiveContext
	Sources       []Source     `json:"sources"`
	Examples      []Example    `json:"examples"`

	// Set by [Taxonomy.Derive].
	Shape        Shape      `json:"shape"`
	IconVariants []string   `json:"icon_variants"`
	Variables    []Variable `json:"variables"`
}

// Deprecation says that a later release may not have an element, and what to do.
type Deprecation struct {
	Since   string    `json:"since,omitzero"` // a date or the id of a release
	Message Localized `json:"message,omitzero"`
	Use     IDs       `json:"use,omitzero"` // the elements to place instead
}

// EffectiveContext returns the context that applies to placements of e, or nil.
// An element's own context replaces that of its category c, which may be nil.
func (e *Element) EffectiveContext(c *Category) *Context {
	if e.Context == nil && c != nil {
		return c.Context
	}
	return e.Context
}

// Variable is a value that each placement can supply.
type Variable struct {
	ID          string    `json:"id"`
	Label       Localized `json:"label"`
	Required    bool      `json:"required"`
	RequiredFor []string  `json:"required_for,omitzero"` // ids of the elements that require it even if Required is false
	Kind        Kind      `json:"kind"`
	Options     []Option  `json:"options,omitzero"` // for kinds with options
	Sources     []Source  `json:"sources,omitzero"`
	Replaces    IDs       `json:"replaces,omitzero"` // the ids of the variable in earlier releases
}

// Option is one of the choices that a variable offers.
type Option struct {
	ID          string    `json:"id"`
	Name        Localized `json:"name"`
	Description Localized `json:"description"`
	AppliesTo   []string  `json:"applies_to,omitzero"` // element ids; empty means all
	Guidance    Localized `json:"guidance,omitzero"`
	Sources     []Source  `json:"sources,omitzero"`
	Examples    []Example `json:"examples,omitzero"`
	Replaces    IDs       `json:"replaces,omitzero"` // the ids of the option in earlier releases
}

// Source is the origin of a definition.
type Source struct {
	Type     string `json:"type"`
	Title    string `json:"title"`
	URL      string `json:"url,omitzero"`
	Citation string `json:"citation,omitzero"`
}

// Example illustrates the use of a category, element or option.
type Example struct {
	Scenario  Localized `json:"scenario"`
	Narrative Localized `json:"narrative"`
}

// Shape is the outline of a category's icons.
type Shape string

const (
	Circle        Shape = "circle"
	Hexagon       Shape = "hexagon"
	Octagon       Shape = "octagon"
	RoundedSquare Shape = "rounded-square"
)

// Shapes lists every shape, in display order.
var Shapes = []Shape{Circle, Hexagon, Octagon, RoundedSquare}

// Icon variants that every element has, regardless of its context.
const (
	VariantDefault = "default"
	VariantDark    = "dark"
)

package view

import "strings"

// Model holds the contents of a page in one locale. Absent members are not
// shown.
type Model struct {
	Locale      string `json:"locale"`
	Direction   string `json:"dir"`            // ltr or rtl
	Kind        Text   `json:"kind,omitzero"`  // the name of the datachain type
	Title       Text   `json:"title"`          // the main heading and the title of the page
	Description Text   `json:"lead,omitzero"`  // the paragraph below the heading
	Parts       []Part `json:"parts"`          // categories and subchains, in order
	Facts       []Fact `json:"facts"`          // the footer
	Notes       *Notes `json:"notes,omitzero"` // provenance and sources of the whole document

	Highlights     []Highlight  `json:"-"` // the most important placements, at most six
	Responsible    *Responsible `json:"-"` // may be nil
	Choices        []Placement  `json:"-"` // what readers can do
	ChoiceCategory string       `json:"-"` // the id of the category whose placements are all in Choices, or empty

	// OriginalLocale is the first locale of the document if none of its texts is in
	// the language of the page. Only the texts of the taxonomy are in that language.
	OriginalLocale string `json:"-"`
}

// Text is a text in one language. It is never interpreted as markup.
type Text struct {
	Text  string `json:"text,omitzero"`
	Lang  string `json:"lang,omitzero"`  // if it is not the model's locale
	Dir   string `json:"dir,omitzero"`   // ltr or rtl; absent if the language is unknown
	Kind  string `json:"kind,omitzero"`  // kindValue, kindBlank, kindOption or absent
	Parts []Text `json:"parts,omitzero"` // instead of Text; parts without a kind are literal
}

// IsZero reports whether t is empty.
func (t Text) IsZero() bool { return t.Text == "" && len(t.Parts) == 0 }

// String returns the characters of t, including those of its parts.
func (t Text) String() string {
	if len(t.Parts) == 0 {
		return t.Text
	}
	var b strings.Builder
	for _, part := range t.Parts {
		b.WriteString(part.String())
	}
	return b.String()
}

// Kinds of texts inside other texts.
const (
	kindValue  = "value"  // the value of a variable
	kindBlank  = "blank"  // the label of a variable without a value
	kindOption = "option" // an item of a list
)

// Part is either a sequence of categories, in one strand, or a subchain, with one
// strand for each of its instances.
type Part struct {
	Name    Text     `json:"name,omitzero"` // of the subchain
	Strands []Strand `json:"strands"`
}

// Strand is one sequence of categories.
type Strand struct {
	Title    Text      `json:"title,omitzero"` // only in a subchain
	Sections []Section `json:"sections"`
}

// Section is a category with its placements.
type Section struct {
	Category   string      `json:"category"` // its id; empty for elements without a category
	Level      int         `json:"level"`    // of the heading
	Name       Text        `json:"name"`
	Prompt     Text        `json:"prompt,omitzero"` // the question the category answers
	Shape      Icon        `json:"shape,omitzero"`
	Placements []Placement `json:"placements"`
}

// Icon is a decorative image.
type Icon struct {
	SVG  string `json:"svg,omitzero"`
	Dark string `json:"dark,omitzero"` // variant for dark pages, if it differs
}

// Placement is a placement of an element.
type Placement struct {
	ElementID   string   `json:"-"`
	InstanceID  string   `json:"-"` // may be empty
	Heading     Text     `json:"-"` // the name of the placement, or the title of the element
	Caption     Text     `json:"-"` // the title of the element, if Heading is a name
	Icon        Icon     `json:"icon"`
	Label       Text     `json:"label,omitzero"`
	Title       Text     `json:"title"`
	Proposed    Text     `json:"proposed,omitzero"` // badge of an element outside the taxonomy
	Context     *Context `json:"context,omitzero"`
	Values      []Fact   `json:"values,omitzero"` // values of variables that no text refers to
	Description Text     `json:"description,omitzero"`
	Actions     []Action `json:"actions,omitzero"`
	Notes       *Notes   `json:"notes,omitzero"`
}

// Context is the context value of a placement.
type Context struct {
	Name        Text   `json:"name,omitzero"`
	Value       Text   `json:"value"`
	Explanation Text   `json:"-"`              // the description of the value
	Color       string `json:"color,omitzero"` // #RRGGBB
}

// Fact is a labelled value.
type Fact struct {
	Label Text `json:"label"`
	Value Text `json:"value"`
}

// Action is something that readers can do, such as writing to an address.
type Action struct {
	Label  Text   `json:"label,omitzero"`
	Target Text   `json:"target"`
	Href   string `json:"href,omitzero"` // mailto:, tel: or https:; absent if the target is not a link
}

// Notes are the collapsible provenance and sources.
type Notes struct {
	Summary Text     `json:"summary"`
	Facts   []Fact   `json:"facts,omitzero"`
	Quotes  []Quote  `json:"quotes,omitzero"`
	Sources []Source `json:"sources,omitzero"`
}

// Quote is a passage quoted from a source.
type Quote struct {
	Text    Text `json:"text"`
	Context Text `json:"context,omitzero"`
}

// Source is a source of a document, a placement or an element.
type Source struct {
	Title    Text   `json:"title"`
	Href     string `json:"href,omitzero"`    // https:
	Address  Text   `json:"address,omitzero"` // the URL, if it is not an https: link
	Citation Text   `json:"citation,omitzero"`
}

// Counts returns the number of categories and placements that m shows.
func (m *Model) Counts() (categories, placements int) {
	seen := make(map[string]bool)
	for _, part := range m.Parts {
		for _, strand := range part.Strands {
			for i := range strand.Sections {
				seen[strand.Sections[i].Category] = true
				placements += len(strand.Sections[i].Placements)
			}
		}
	}
	return len(seen), placements
}

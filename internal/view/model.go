package view

import "strings"

// Model is what a view shows: plain data in one locale, ready to be drawn.
// What is absent is not drawn.
type Model struct {
	Locale      string `json:"locale"`
	Direction   string `json:"dir"`            // ltr or rtl
	Kind        Text   `json:"kind,omitzero"`  // the name of the datachain type
	Title       Text   `json:"title"`          // the first line of the page, and its name
	Description Text   `json:"lead,omitzero"`  // what stands below it
	Parts       []Part `json:"parts"`          // the categories in order, subchains in their place
	Facts       []Fact `json:"facts"`          // the small print
	Notes       *Notes `json:"notes,omitzero"` // provenance and sources of the whole document
}

// Text is one text in one language. Its characters are never markup.
type Text struct {
	Text  string `json:"text,omitzero"`
	Lang  string `json:"lang,omitzero"`  // where it is not the model's locale
	Dir   string `json:"dir,omitzero"`   // ltr or rtl; absent where only the characters can tell
	Kind  string `json:"kind,omitzero"`  // see below
	Parts []Text `json:"parts,omitzero"` // instead of Text; those without a kind are literal
}

// IsZero reports whether there is nothing to show.
func (t Text) IsZero() bool { return t.Text == "" && len(t.Parts) == 0 }

// String returns the characters alone.
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

// The kinds of texts that stand inside others.
const (
	kindValue  = "value"  // what a placement says for a variable
	kindBlank  = "blank"  // the label of a variable that has no value
	kindOption = "option" // one of several in a value
)

// Part is a stretch of the disclosure: categories one after the other, or a
// subchain with one strand for each of its instances.
type Part struct {
	Name    Text     `json:"name,omitzero"` // of the subchain; absent where there is none
	Strands []Strand `json:"strands"`
}

// Strand is one sequence of categories.
type Strand struct {
	Title    Text      `json:"title,omitzero"` // what it begins with; only in a subchain
	Sections []Section `json:"sections"`
}

// Section is a category with what is placed in it.
type Section struct {
	Category   string      `json:"category"` // in the taxonomy; empty for elements that have none
	Level      int         `json:"level"`    // of its heading
	Name       Text        `json:"name"`
	Prompt     Text        `json:"prompt,omitzero"` // the question that the category answers
	Shape      Icon        `json:"shape,omitzero"`
	Placements []Placement `json:"placements"`
}

// Icon is a drawing. It stands beside the words that say the same.
type Icon struct {
	SVG  string `json:"svg,omitzero"`
	Dark string `json:"dark,omitzero"` // for a dark page, where that is another drawing
}

// Placement is one element placed.
type Placement struct {
	Icon        Icon     `json:"icon"`
	Label       Text     `json:"label,omitzero"`
	Title       Text     `json:"title"`
	Proposed    Text     `json:"proposed,omitzero"` // how an element outside the taxonomy is marked
	Context     *Context `json:"context,omitzero"`
	Values      []Fact   `json:"values,omitzero"` // those that no text refers to
	Description Text     `json:"description,omitzero"`
	Actions     []Action `json:"actions,omitzero"`
	Notes       *Notes   `json:"notes,omitzero"`
}

// Context is the answer that a placement gives to the question of its context.
type Context struct {
	Name  Text   `json:"name,omitzero"`
	Value Text   `json:"value"`
	Color string `json:"color,omitzero"` // #RRGGBB, where it has one
}

// Fact is a value and what it is called.
type Fact struct {
	Label Text `json:"label"`
	Value Text `json:"value"`
}

// Action is something that readers can do.
type Action struct {
	Label  Text   `json:"label,omitzero"`
	Target Text   `json:"target"`
	Href   string `json:"href,omitzero"` // mailto:, tel: or https:; absent where there is no link to follow
}

// Notes are folded away until a reader asks for them.
type Notes struct {
	Summary Text     `json:"summary"`
	Facts   []Fact   `json:"facts,omitzero"`
	Quotes  []Quote  `json:"quotes,omitzero"`
	Sources []Source `json:"sources,omitzero"`
}

// Quote is a passage that a statement rests on.
type Quote struct {
	Text    Text `json:"text"`
	Context Text `json:"context,omitzero"`
}

// Source is where something comes from.
type Source struct {
	Title    Text   `json:"title"`
	Href     string `json:"href,omitzero"`    // https:
	Address  Text   `json:"address,omitzero"` // what it gives instead that is no such link
	Citation Text   `json:"citation,omitzero"`
}

// Counts returns how many categories and how many placements m shows.
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

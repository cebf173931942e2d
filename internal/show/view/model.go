package view

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Model holds the contents of a page in one locale. Absent members are not
// shown.
type Model struct {
	Locale      string
	Direction   string // ltr or rtl
	Words       Words
	Kind        Text // the name of the datachain type
	Title       Text // the main heading and the title of the page
	Description Text // the paragraph below the heading
	Origin      Text // the note that the texts were generated

	Highlights     []Highlight  // the most important placements, at most six
	Responsible    *Responsible // may be nil
	Choices        []Placement  // what readers can do
	ChoiceCategory string       // the id of the category whose placements are all in Choices, or empty

	Parts   []Part // categories and subchains, in order
	Updated Fact   // when the document was changed
	About   Notes  // about the document itself

	// OriginalLocale is the first locale of the document if none of its texts is in
	// the language of the page. Only the texts of the taxonomy are in that language.
	OriginalLocale string
}

// Words are texts of the page itself.
type Words struct {
	Choices   Text // the heading of [Model.Choices]
	Contents  Text // the name of the links to the parts
	Languages Text // the name of the links to other languages
	Address   Text // the heading of the address in print
	Details   Text // the name of what is folded below a choice
}

// Text is a text in one language. It is never interpreted as markup.
type Text struct {
	Text  string
	Lang  string // if it is not the model's locale
	Dir   string // ltr or rtl; absent if the language is unknown
	Kind  string // kindValue, kindBlank, kindOption, kindLink or absent
	Href  string // of kindLink: https:, mailto: or tel:
	Parts []Text // instead of Text; parts without a kind are literal
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

// EndsLabel reports whether no colon follows t as the label of a value, because it ends
// with a question mark or a colon.
func (t Text) EndsLabel() bool {
	label := strings.TrimRightFunc(t.String(), unicode.IsSpace)
	last, size := utf8.DecodeLastRuneInString(label)
	if last == ';' { // the Greek question mark
		before, _ := utf8.DecodeLastRuneInString(label[:len(label)-size])
		return unicode.Is(unicode.Greek, before)
	}
	return strings.ContainsRune("?？؟:：", last)
}

// Kinds of texts inside other texts.
const (
	kindValue  = "value"  // the value of a variable
	kindBlank  = "blank"  // the label of a variable without a value
	kindOption = "option" // an item of a list
	kindLink   = "link"   // an address
)

// Part is either a sequence of categories, in one strand, or a subchain, with one
// strand for each of its instances.
type Part struct {
	Name    Text   // of the subchain
	Anchor  string // of the subchain
	Strands []Strand
}

// IsSubchain reports whether p is a subchain.
func (p Part) IsSubchain() bool { return p.Anchor != "" }

// Strand is one sequence of categories.
type Strand struct {
	Title    Text // only in a subchain
	Sections []Section
}

// Section is a category with its placements.
type Section struct {
	Category   string // its id; empty for elements without a category
	Anchor     string // unique in the model
	Name       Text
	Prompt     Text // the question the category answers
	Placements []Placement
	Chained    []ChainedAnswers // only outside of subchains
}

// ChainedAnswers are the first different answers of the same category in a subchain.
type ChainedAnswers struct {
	Chain   Link
	Answers gist
}

// Icon is a decorative image.
type Icon struct {
	SVG    string
	Tinted bool // it has colours of its own; other icons are black
}

// Placement is a placement of an element.
type Placement struct {
	ElementID   string
	InstanceID  string // may be empty
	Icon        Icon
	Heading     Text // the name of the placement, or the title of the element
	Caption     Text // the title of the element, if Heading is a name
	Answer      Text // the heading at the top of the page and on signs: the name of the placement, or a title that tells it from others
	Detail      Text // what Answer does not say: the title, or what it applies to
	IsNamed     bool // Answer is a name
	Proposed    Text // badge of an element outside the taxonomy
	Context     *Context
	Values      []Fact // values of variables that the heading does not contain
	Description Text   // the definition of the element
	Actions     []Action
	Notes       *Notes
}

// Links returns the actions of p that are links.
func (p Placement) Links() []Action {
	return slices.DeleteFunc(slices.Clone(p.Actions), func(a Action) bool { return a.Href == "" })
}

// Addresses returns the actions of p that are not links.
func (p Placement) Addresses() []Action {
	return slices.DeleteFunc(slices.Clone(p.Actions), func(a Action) bool { return a.Href != "" })
}

// HasDetails reports whether p has more than a heading and links.
func (p Placement) HasDetails() bool {
	return !p.Proposed.IsZero() || p.Context != nil || len(p.Values) > 0 || len(p.Addresses()) > 0 || !p.Description.IsZero() || p.Notes != nil
}

// Context is the context value of a placement.
type Context struct {
	Name        Text
	Value       Text
	Explanation Text   // the description of the value
	Color       string // #RRGGBB
	Scale       []bool // one for each value of a scale, true up to the weight of this one; nil if there is no scale
}

// Fact is a labelled value.
type Fact struct {
	Label       Text
	Value       Text
	IsStatement bool // the value can be understood without the label
}

// Action is something that readers can do, such as writing to an address.
type Action struct {
	Label  Text
	Target Text
	Href   string // mailto:, tel: or https:; absent if the target is not a link
}

// Notes are facts and sources that are folded.
type Notes struct {
	Summary Text
	Facts   []Fact
	Quotes  []Quote
	Sources []Source
}

// Quote is a passage quoted from a source.
type Quote struct {
	Text    Text
	Context Text
}

// Source is a source of a document, a placement or an element.
type Source struct {
	Title    Text
	Href     string // https:
	Address  Text   // the URL, if it is not an https: link
	Citation Text
}

// Counts returns the number of categories and placements that m shows.
func (m *Model) Counts() (categories, placements int) {
	seen := make(map[string]bool)
	for s := range m.placements() {
		seen[s.Category] = true
		placements++
	}
	return len(seen), placements
}

// Link leads to a part of the page.
type Link struct {
	Name   Text
	Anchor string
}

// Contents returns links to the parts of the page below the choices.
func (m *Model) Contents() []Link {
	var links []Link
	for _, part := range m.Parts {
		if part.IsSubchain() {
			links = append(links, Link{part.Name, part.Anchor})
			continue
		}
		for s := range part.sections() {
			if !m.IsChoice(*s) {
				links = append(links, Link{s.Name, s.Anchor})
			}
		}
	}
	return links
}

// IsChoice reports whether all placements of s are choices, so that s is not shown
// again.
func (m *Model) IsChoice(s Section) bool { return m.isChoice(s.Category) }

// isChoice reports whether a category is that of the choices. Elements without a
// category never are.
func (m *Model) isChoice(category string) bool {
	return m.ChoiceCategory != "" && category == m.ChoiceCategory
}

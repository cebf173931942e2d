package release

import (
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json"

	"placard/internal/core/taxonomy"
)

// Guide is everything that an author needs to know about a release to write a
// datachain, in one locale: the categories with their elements, and an example. It
// is much shorter than the records. Its texts are plain strings.
type Guide struct {
	Locale  string
	Example []byte // a thin document; nil if Placard cannot write a short valid one

	intro      []byte // members of the first page, each followed by a comma
	categories []guideCategory
	units      int // the categories and elements of all categories
}

// guideCategory is the encoded part of a guide about one category.
type guideCategory struct {
	id       string
	start    int      // the number of units before the category, which is a unit itself
	head     []byte   // members without the elements, each followed by a comma
	elements [][]byte // JSON objects
}

func (c *guideCategory) end() int { return c.start + 1 + len(c.elements) }

// startSize returns the size of the category with its first element only.
func (c *guideCategory) startSize() int {
	if len(c.elements) == 0 {
		return len(c.head)
	}
	return len(c.head) + len(c.elements[0])
}

// Sizes of guides, in bytes.
const (
	// MaxGuidePage is the maximum size of one page of a guide. Every page has at
	// least one category or element.
	MaxGuidePage = 32_000

	maxGuidePart    = 8_000 // a category without its elements, or an element
	maxGuideExample = 6_000

	// wantedGuideSize is the size up to which texts get longer.
	wantedGuideSize = 29_500
)

// sentenceLimits are the maximum numbers of characters of a text in a guide, without
// its ellipsis. A guide has the last limit with which it has the wanted size.
var sentenceLimits = []int{50, 65, 80, 110, 140, 170, 200}

// pagedSentenceLimit is the limit for a guide that has several pages with any limit.
const pagedSentenceLimit = 110

// Guide returns the guide of r in a locale of the manifest. The first call for a
// locale writes the guide and calls step, which may be nil, in between; an error of
// step is returned.
func (r *Release) Guide(locale string, step func() error) (*Guide, error) {
	n := slices.Index(r.Manifest.Locales, locale)
	if g := r.guides[n].Load(); g != nil {
		return g, nil
	}
	g, err := r.writeGuide(locale, step)
	if err == nil {
		r.guides[n].Store(g)
	}
	return g, err
}

// guides holds the guide of each locale once it has been requested.
type guides []atomic.Pointer[Guide]

// Units returns the number of categories and elements in the guide or, if category
// is not empty, in one of its categories.
func (g *Guide) Units(category string) int {
	first, end := g.bounds(category)
	return end - first
}

// bounds returns the range of units in a category, or in all categories if it is
// empty. The range is empty for an unknown category.
func (g *Guide) bounds(category string) (first, end int) {
	if category == "" {
		return 0, g.units
	}
	for i := range g.categories {
		if c := &g.categories[i]; c.id == category {
			return c.start, c.end()
		}
	}
	return 0, 0
}

// AppendPage appends the members of a page of the guide, without braces, and
// returns the start of the next page, or 0 on the last. Start is the number of
// units before the page. A page in the middle of a category repeats the category
// and marks it as continued. If category is not empty, the guide is limited to that
// category.
func (g *Guide) AppendPage(b []byte, category string, start int) (_ []byte, next int) {
	base := len(b)
	if start == 0 && category == "" {
		b = append(b, g.intro...)
	}
	b = append(b, `"categories":[`...)
	first, end := g.bounds(category)
	unit := first + start
	for i := range g.categories {
		c := &g.categories[i]
		if unit < c.start || unit >= min(end, c.end()) {
			continue
		}
		isFirst := b[len(b)-1] == '['
		if !isFirst && len(b)-base+c.startSize() > MaxGuidePage {
			break
		}
		b = append(append(b, '{'), c.head...)
		if unit > c.start {
			b = append(b, `"continued":true,`...)
		} else {
			unit++
		}
		b = append(b, `"elements":[`...)
		for _, e := range c.elements[unit-c.start-1:] {
			if len(b)-base+len(e) > MaxGuidePage && b[len(b)-1] != '[' {
				break
			}
			b = append(append(b, e...), ',')
			unit++
		}
		b = append(trimComma(b), `]},`...)
		if unit < c.end() {
			break
		}
	}
	b = append(trimComma(b), ']')
	if unit < end {
		next = unit - first
	}
	return b, next
}

func trimComma(b []byte) []byte {
	if b[len(b)-1] == ',' {
		return b[:len(b)-1]
	}
	return b
}

// Members of guides. Shortened marks the guide, a category or an element whose lists
// are omitted because they are very long.
type (
	guideIntro struct {
		Locale      string          `json:"locale"`
		Title       string          `json:"title"`
		Description string          `json:"description,omitzero"`
		Rules       []string        `json:"rules"`
		Subchains   []guideSubchain `json:"subchains,omitzero"`
		Example     *exampleChain   `json:"example,omitzero"`
		Shortened   bool            `json:"shortened,omitzero"`
	}
	guideSubchain struct {
		ID         string   `json:"id"`
		Name       string   `json:"name"`
		Categories []string `json:"categories"`
	}
)

// documentRules describe thin documents to an author who knows JSON.
var documentRules = []string{
	`A datachain is one JSON object with id, schema_version (the version above), created_at (ISO 8601 with a time zone), elements and, if you like, title, description and authoring_provenance.`,
	`A text is [{"locale":"en","value":"..."}], one item for each locale.`,
	`Each item of elements is a placement: {"element_id", "context_type_id", "variables":[{"id","value"}], "label", "actions"}. Only element_id is required everywhere.`,
	`Set context_type_id wherever the element or, if it has none, its category has a context. It is the id of one of the values.`,
	`The variables of a category apply to all of its elements. A value is a text or, for kind ` + string(taxonomy.MultiSelectEnum) + `, an array of option ids. Fill in the required ones and those in shows, which the published text of the element contains.`,
	`actions are ways to act: [{"type":"email|url|phone|form|postal","label":text,"target":"..."}]. The address of a contact belongs in the actions of its placement; a variable about a contact is only shown as text.`,
	`Place at least one element of each required category, and between min and max where a category has them. Elements and context values may be used several times unless they have max_placements. Do not place an element beside one that it excludes.`,
	`State only facts. If one is unknown, ask the user. If nobody can answer, stop and hand over the draft with the open questions, even if it is not valid; never fill in a placeholder or a likely value.`,
	`If no element fits a fact, do not force one. Add {"id":"...","category_id":"...","title":text,"description":text} (variables are optional) to suggested_elements of the resolved document, place it in its elements like any other, and call validate_resolved and render_datachain. authoring_provenance.kind must be ai_generated.`,
	`A text that ends in … is shortened; get_elements and list_categories return it in full. Read it before you choose between similar elements.`,
}

// subchainRule is the rule for releases with subchains.
const subchainRule = `If several sensors or uses have a chain of their own, such as a camera and a microphone, write subchain_instances: [{"id":"...","subchain_id":"...","label":text}], one for each, and give "subchain_instance_id" to the placements of one of them. Only categories of the subchain can be in an instance. A placement without subchain_instance_id is true of all instances.`

// exampleRule introduces the example.
const exampleRule = `The example is valid except for its placeholders, which are in [brackets]: replace them with facts.`

// writeGuide writes the guide of r in a locale.
func (r *Release) writeGuide(locale string, step func() error) (*Guide, error) {
	if step == nil {
		step = func() error { return nil }
	}
	var g *Guide
	for _, limit := range sentenceLimits {
		longer, err := r.writeGuideWith(guideWriter{locale, r.DefaultLocale(), limit}, step)
		if err != nil {
			return nil, err
		}
		if longer.size() > wantedGuideSize {
			break
		}
		g = longer
	}
	if g == nil {
		return r.writeGuideWith(guideWriter{locale, r.DefaultLocale(), pagedSentenceLimit}, step)
	}
	return g, nil
}

// size returns the size of the guide on one page, in bytes.
func (g *Guide) size() int {
	b, next := g.AppendPage(nil, "", 0)
	if next > 0 {
		return math.MaxInt
	}
	return len(b)
}

// writeGuideWith writes the guide of r with w.
func (r *Release) writeGuideWith(w guideWriter, step func() error) (*Guide, error) {
	g := &Guide{Locale: w.locale}
	for i := range r.Taxonomy.Categories {
		c := &r.Taxonomy.Categories[i]
		first, count := r.CategoryRun(c.ID)
		head, err := w.part(c)
		if err != nil {
			return nil, err
		}
		category := guideCategory{id: c.ID, start: g.units, head: openMembers(head)}
		for n := range count {
			if n%64 == 0 {
				if err := step(); err != nil {
					return nil, err
				}
			}
			e := &r.Taxonomy.Elements[first+n]
			if e.Deprecated != nil && !e.Required {
				continue
			}
			part, err := w.part(e)
			if err != nil {
				return nil, err
			}
			category.elements = append(category.elements, part)
		}
		g.categories = append(g.categories, category)
		g.units = category.end()
	}
	intro := guideIntro{
		Locale: w.locale, Title: w.short(r.Taxonomy.Title), Description: w.short(r.Taxonomy.Description), Rules: documentRules,
	}
	if len(r.Taxonomy.Type.Subchains) > 0 {
		intro.Rules = append(slices.Clip(intro.Rules), subchainRule)
	}
	for _, s := range r.Taxonomy.Type.Subchains {
		intro.Subchains = append(intro.Subchains, guideSubchain{s.ID, w.short(s.Name), s.Categories})
	}
	var err error
	if intro.Example, err = r.writeExample(w, step); err != nil {
		return nil, err
	}
	if intro.Example != nil {
		intro.Rules = append(slices.Clip(intro.Rules), exampleRule)
		if g.Example, err = json.Marshal(intro.Example); err != nil {
			return nil, err
		}
	}
	if g.intro, err = json.Marshal(intro); err != nil {
		return nil, err
	}
	if len(g.intro) > maxGuidePart+maxGuideExample {
		intro.Subchains, intro.Shortened = nil, true
		if g.intro, err = json.Marshal(intro); err != nil {
			return nil, err
		}
	}
	g.intro = openMembers(g.intro)
	return g, nil
}

// openMembers turns a JSON object into its members, each followed by a comma.
func openMembers(object []byte) []byte {
	return append(object[1:len(object)-1], ',')
}

// guideWriter writes the parts of a guide.
type guideWriter struct {
	locale, fallback string
	limit            int // the maximum number of characters of a text
}

// text returns a text in the locale of the guide or, if it has none, in the
// fallback locale or in any other.
func (w guideWriter) text(l taxonomy.Localized) string {
	for _, locale := range []string{w.locale, w.fallback} {
		if s, ok := l.Get(locale); ok && strings.TrimSpace(s) != "" {
			return s
		}
	}
	if len(l) > 0 {
		return l[0].Value
	}
	return ""
}

// short returns the first sentence of a text. It ends in an ellipsis if the text is
// longer.
func (w guideWriter) short(l taxonomy.Localized) string { return firstSentence(w.text(l), w.limit) }

// shownVariables returns the variables of e that occur in its title or description
// in any locale, in the order of their declaration.
func shownVariables(e *taxonomy.Element) []string {
	ids := e.VariablesInTexts()
	var shown []string
	for i := range e.Variables {
		if id := e.Variables[i].ID; slices.Contains(ids, id) {
			shown = append(shown, id)
		}
	}
	return shown
}

package view

import (
	"cmp"
	"slices"

	"placard/internal/core/datachain"
	"placard/internal/core/link"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
)

// Document is a valid document with the vocabulary that its models take their texts
// from.
type Document struct {
	doc        *datachain.Document
	newBuilder func(locale string) *builder
}

// Thin returns d, a thin document that is valid against r.
func Thin(d *datachain.Document, r *release.Release) *Document {
	return &Document{d, func(locale string) *builder {
		t := r.Taxonomy
		b := newBuilder(d, r, locale, t.Type, t.Locales)
		b.addCategories(t.Categories)
		addElement := func(id string) {
			if n, ok := r.Element(id); ok {
				b.addElement(&t.Elements[n], &element{inRelease: true, number: n})
			}
		}
		for i := range d.Elements {
			addElement(d.Elements[i].ElementID)
		}
		for i := range d.SubchainInstances {
			for _, id := range d.SubchainInstances[i].HeadRefs {
				addElement(id)
			}
		}
		return b
	}}
}

// Resolved returns d, a valid resolved document, whose snapshot takes the place of the
// taxonomy. Symbols are not part of documents; they are taken from
// r, the release that the document pins. If r is nil or lacks a symbol, and for
// suggested elements, the icon is the bare shape. Categories that only suggested
// elements have are taken from r, too: a snapshot contains the categories of
// published elements.
func Resolved(d *datachain.Resolved, r *release.Release) *Document {
	return &Document{&d.Document, func(locale string) *builder {
		s := &d.Snapshot
		locales := s.Type.Locales
		for i := 0; len(locales) == 0 && i < len(s.Categories); i++ {
			for _, t := range s.Categories[i].Name {
				locales = append(locales, t.Locale)
			}
		}
		b := newBuilder(&d.Document, r, locale, s.Type, locales)
		b.addCategories(s.Categories)
		if r != nil && len(d.Suggested) > 0 {
			b.addCategories(r.Taxonomy.Categories)
		}
		for i := range s.Elements {
			b.addElement(&s.Elements[i], new(element))
		}
		for i := range d.Suggested {
			b.addElement(&d.Suggested[i], &element{suggested: true})
		}
		return b
	}}
}

// Model returns the model of d. Texts are chosen in locale or another locale of its
// language; failing that, in the document's first locale, in English, or in any locale.
// If the model exceeds [MaxBytes], the error is a payload_too_large [problem.Problem].
// Model calls step, which may be nil, regularly and stops if it returns an error.
func (d *Document) Model(locale string, step func() error) (*Model, error) {
	m, _, err := d.build(locale, step)
	return m, err
}

// Models returns the models of d in all locales of its title. The first one is the
// model that [Document.Model] returns for locale. Models that together are much larger
// than a page are an error, too.
func (d *Document) Models(locale string, step func() error) ([]*Model, error) {
	first, total, err := d.build(locale, step)
	if err != nil {
		return nil, err
	}
	models := []*Model{first}
	for _, other := range pageLocales(d.doc, first.Locale)[1:] {
		m, size, err := d.build(other, step)
		if err != nil {
			return nil, err
		}
		if total += size; total > maxTotal {
			return nil, errTooLarge
		}
		models = append(models, m)
	}
	return models, nil
}

// maxTotal is the maximum size of the models of one page. It is above MaxBytes
// because models repeat icons that a page contains once.
const maxTotal = 4 * MaxBytes

// build returns a model and its approximate size.
func (d *Document) build(locale string, step func() error) (*Model, int, error) {
	b := d.newBuilder(locale)
	b.step = step
	m, err := b.build()
	return m, b.size, err
}

// builder builds one model.
type builder struct {
	*localizer
	meter
	labels     *labels
	doc        *datachain.Document
	release    *release.Release // may be nil
	typ        taxonomy.DatachainType
	categories []*category
	byCategory map[string]*category
	elements   map[string]*element
	placed     []*element   // the element of each placement
	placements []*Placement // by index, built on first use
	provenance map[string]*datachain.ElementProvenance
	options    map[*taxonomy.Variable]map[string]taxonomy.Localized
	values     map[*taxonomy.Context]map[string]int // positions by id
	instances  map[string]int                       // the first placement by element_instance_id
	anchors    int                                  // number of anchors so far
}

// category is a category, or the group of elements without one.
type category struct {
	*taxonomy.Category
	position  int
	variables map[string]int // index by id, computed on first use
}

// element is an element of the taxonomy or the document.
type element struct {
	*taxonomy.Element
	category  *category
	context   *taxonomy.Context
	suggested bool
	inRelease bool            // the release has its icons
	number    int             // in the release, if inRelease
	uses      int             // number of placements
	icons     map[string]Icon // by variant
	variables map[string]int  // index of its own variables by id, computed on first use
}

func newBuilder(d *datachain.Document, r *release.Release, locale string, typ taxonomy.DatachainType, locales []string) *builder {
	b := &builder{
		localizer:  newLocalizer(locale, d, locales),
		doc:        d,
		release:    r,
		typ:        typ,
		byCategory: make(map[string]*category),
		elements:   make(map[string]*element),
		provenance: make(map[string]*datachain.ElementProvenance),
		options:    make(map[*taxonomy.Variable]map[string]taxonomy.Localized),
		values:     make(map[*taxonomy.Context]map[string]int),
		instances:  make(map[string]int),
	}
	b.labels = labelsFor(b.locale)
	if d.Provenance != nil {
		for i := range d.Provenance.Elements {
			p := &d.Provenance.Elements[i]
			b.provenance[p.Key] = p
		}
	}
	return b
}

// addCategories adds categories in the order of the datachain type, unlisted ones
// last. If an id is repeated, the first category is used.
func (b *builder) addCategories(categories []taxonomy.Category) {
	order := make(map[string]int, len(b.typ.Categories))
	for i, id := range b.typ.Categories {
		order[id] = i - len(b.typ.Categories)
	}
	for i := range categories {
		c := &categories[i]
		if b.byCategory[c.ID] == nil {
			b.byCategory[c.ID] = &category{Category: c}
			b.categories = append(b.categories, b.byCategory[c.ID])
		}
	}
	slices.SortStableFunc(b.categories, func(x, y *category) int { return cmp.Compare(order[x.ID], order[y.ID]) })
	for i, c := range b.categories {
		c.position = i
	}
}

// addElement adds elem, wrapped in e. If an id is repeated, the first element is
// used.
func (b *builder) addElement(elem *taxonomy.Element, e *element) {
	if b.elements[elem.ID] != nil {
		return
	}
	e.Element = elem
	e.category = b.byCategory[elem.CategoryID]
	if e.category == nil {
		e.category = b.otherCategory()
	}
	e.context = elem.EffectiveContext(e.category.Category)
	b.elements[elem.ID] = e
}

// otherCategory returns the group of elements without a category.
func (b *builder) otherCategory() *category {
	if b.byCategory[""] == nil {
		b.byCategory[""] = &category{
			Category: &taxonomy.Category{Name: taxonomy.Localized{{Locale: b.labels.locale, Value: b.labels.other}}},
			position: len(b.categories),
		}
	}
	return b.byCategory[""]
}

func (b *builder) build() (*Model, error) {
	d := b.doc
	b.placed = make([]*element, len(d.Elements))
	b.placements = make([]*Placement, len(d.Elements))
	for i := range d.Elements {
		id := d.Elements[i].ElementID
		if b.elements[id] == nil {
			// Valid documents have no unknown elements; show the id.
			b.addElement(&taxonomy.Element{ID: id}, new(element))
		}
		b.placed[i] = b.elements[id]
		b.placed[i].uses++
		if instance := d.Elements[i].ElementInstanceID; instance != "" {
			if _, ok := b.instances[instance]; !ok {
				b.instances[instance] = i
			}
		}
	}
	l := b.labels
	m := &Model{
		Locale:         b.locale,
		OriginalLocale: b.original,
		Direction:      b.dir,
		Words:          Words{Choices: b.labelText(l.choices), Contents: b.labelText(l.contents), Languages: b.labelText(l.languages), Address: b.labelText(l.pageAddress), Details: b.labelText(l.details)},
		Kind:           b.text(b.typ.Name),
		Title:          b.text(d.Title),
		Description:    b.text(d.Description),
		About:          b.about(),
	}
	if d.Provenance != nil && d.Provenance.Kind == datachain.AIGenerated {
		m.Origin = b.labelText(l.generatedBy)
	}
	if updated := b.date(d.UpdatedAt); !updated.IsZero() {
		m.Updated = Fact{Label: b.labelText(l.updated), Value: updated}
	}
	if m.Title.IsZero() {
		m.Title, m.Kind = b.nameOrID(b.typ.Name, d.ID), Text{}
	}
	m.Parts = b.parts()
	if b.err == nil {
		b.highlight(m)
	}
	if b.err != nil {
		return nil, b.err
	}
	return m, nil
}

// appendFact appends a fact with one of the page's own labels, unless the value
// is blank.
func (b *builder) appendFact(facts []Fact, label, value string) []Fact {
	return b.appendText(facts, label, b.untagged(value))
}

func (b *builder) appendText(facts []Fact, label string, value Text) []Fact {
	if !value.IsZero() {
		facts = append(facts, Fact{Label: b.labelText(label), Value: value})
	}
	return facts
}

// nameOrID returns the name in the locale of the page, or the id if there is none.
func (b *builder) nameOrID(name taxonomy.Localized, id string) Text {
	if text := b.text(name); !text.IsZero() {
		return text
	}
	if text := b.untagged(id); !text.IsZero() {
		return text
	}
	return Text{Text: unnamed}
}

// unnamed is shown instead of a name if there is neither a name nor an id.
const unnamed = "—"

// text returns the best text of l for the locale of the page.
func (b *builder) text(l taxonomy.Localized) Text {
	value, locale := b.choose(l)
	b.add(textSize + 4*len(l) + len(value))
	return b.textIn(locale, value)
}

// untagged returns a text in an unknown language.
func (b *builder) untagged(value string) Text {
	b.add(textSize + len(value))
	return Text{Text: sanitize(value)}
}

// address returns the text of an address, such as a URL.
func (b *builder) address(value string) Text {
	b.add(textSize + 2*len(value))
	return Text{Text: link.Clean(value)}
}

// labelText returns one of the page's own labels.
func (b *builder) labelText(label string) Text {
	b.add(textSize)
	return b.textIn(b.labels.locale, label)
}

// textSize is the approximate size of a Text without its characters, in bytes.
const textSize = 100

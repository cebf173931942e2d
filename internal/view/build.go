package view

import (
	"cmp"
	"slices"

	"placard/internal/datachain"
	"placard/internal/release"
	"placard/internal/taxonomy"
)

// Build returns what a view of d shows: a thin document that is valid against
// r. The locale is a preference; where the document or the taxonomy has no text
// in it or in one of the same language, that in which the document begins is
// shown, or English, or whatever there is. The error is a payload_too_large
// [problem.Problem].
func Build(d *datachain.Document, r *release.Release, locale string) (*Model, error) {
	t := r.Taxonomy
	b := newBuilder(d, r, locale, t.Type, t.Locales)
	b.addCategories(t.Categories)
	refer := func(id string) {
		if n, ok := r.Element(id); ok {
			b.addElement(&t.Elements[n], &element{baked: true, number: n})
		}
	}
	for i := range d.Elements {
		refer(d.Elements[i].ElementID)
	}
	for i := range d.SubchainInstances {
		for _, id := range d.SubchainInstances[i].HeadRefs {
			refer(id)
		}
	}
	return b.build()
}

// BuildResolved returns what a view of d shows, from nothing but the document
// itself. Symbols, which documents do not carry, are taken from r, the release
// that the document pins; where r is nil or lacks one, and for suggested
// elements, the bare shape is drawn. Otherwise it is as [Build].
func BuildResolved(d *datachain.Resolved, r *release.Release, locale string) (*Model, error) {
	s := &d.Snapshot
	locales := s.Type.Locales
	for i := 0; len(locales) == 0 && i < len(s.Categories); i++ {
		for _, t := range s.Categories[i].Name {
			locales = append(locales, t.Locale)
		}
	}
	b := newBuilder(&d.Document, r, locale, s.Type, locales)
	b.addCategories(s.Categories)
	for i := range s.Elements {
		b.addElement(&s.Elements[i], new(element))
	}
	for i := range d.Suggested {
		b.addElement(&d.Suggested[i], &element{suggested: true})
	}
	return b.build()
}

// builder is one model being made.
type builder struct {
	*speech
	labels     *labels
	doc        *datachain.Document
	release    *release.Release // nil where there is none
	typ        taxonomy.DatachainType
	categories []*category
	byCategory map[string]*category
	elements   map[string]*element
	placed     []*element // by placement
	provenance map[string]*datachain.ElementProvenance
	options    map[*taxonomy.Variable]map[string]taxonomy.Localized
	values     map[*taxonomy.Context]map[string]*taxonomy.ContextValue
	instances  map[string]int // the first placement by element_instance_id
	size       int            // of what was made, counted roughly
}

// category is a category, or the place of elements that have none.
type category struct {
	*taxonomy.Category
	position  int
	shape     Icon
	variables map[string]int // by id, once asked for
}

// element is an element that may be placed.
type element struct {
	*taxonomy.Element
	category  *category
	context   *taxonomy.Context
	suggested bool
	baked     bool // it is the release's own, under this number
	number    int
	placed    int             // how often
	icons     map[string]Icon // by context value
	variables map[string]int  // its own by id, once asked for
}

func newBuilder(d *datachain.Document, r *release.Release, locale string, typ taxonomy.DatachainType, locales []string) *builder {
	b := &builder{
		speech:     newSpeech(locale, d, locales),
		doc:        d,
		release:    r,
		typ:        typ,
		byCategory: make(map[string]*category),
		elements:   make(map[string]*element),
		provenance: make(map[string]*datachain.ElementProvenance),
		options:    make(map[*taxonomy.Variable]map[string]taxonomy.Localized),
		values:     make(map[*taxonomy.Context]map[string]*taxonomy.ContextValue),
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

// addCategories takes categories in, in the order of the type, those that it
// does not list last. Of two with the same id the first counts.
func (b *builder) addCategories(categories []taxonomy.Category) {
	order := make(map[string]int, len(b.typ.Categories))
	for i, id := range b.typ.Categories {
		order[id] = i - len(b.typ.Categories)
	}
	for i := range categories {
		c := &categories[i]
		if b.byCategory[c.ID] == nil {
			b.byCategory[c.ID] = &category{Category: c, shape: shapeIcon(c.Shape)}
			b.categories = append(b.categories, b.byCategory[c.ID])
		}
	}
	slices.SortStableFunc(b.categories, func(x, y *category) int { return cmp.Compare(order[x.ID], order[y.ID]) })
	for i, c := range b.categories {
		c.position = i
	}
}

// addElement takes an element in. Of two with the same id the first counts.
func (b *builder) addElement(from *taxonomy.Element, e *element) {
	if b.elements[from.ID] != nil {
		return
	}
	e.Element = from
	e.category = b.byCategory[from.CategoryID]
	if e.category == nil {
		e.category = b.otherwise()
	}
	e.context = from.EffectiveContext(e.category.Category)
	b.elements[from.ID] = e
}

// otherwise returns the place of what belongs to no category.
func (b *builder) otherwise() *category {
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
	for i := range d.Elements {
		id := d.Elements[i].ElementID
		if b.elements[id] == nil {
			// A valid document has none of these; show what there is.
			b.addElement(&taxonomy.Element{ID: id}, new(element))
		}
		b.placed[i] = b.elements[id]
		b.placed[i].placed++
		if instance := d.Elements[i].ElementInstanceID; instance != "" {
			if _, ok := b.instances[instance]; !ok {
				b.instances[instance] = i
			}
		}
	}
	m := &Model{
		Locale:      b.locale,
		Direction:   b.dir,
		Kind:        b.text(b.typ.Name),
		Title:       b.text(d.Title),
		Description: b.text(d.Description),
		Notes:       b.documentNotes(),
		Facts:       b.facts(),
	}
	if m.Title.IsZero() {
		m.Title, m.Kind = b.named(b.typ.Name, d.ID), Text{}
	}
	m.Parts = b.parts()
	if b.full() {
		return nil, errTooLarge
	}
	return m, nil
}

// facts are the small print.
func (b *builder) facts() []Fact {
	d, l := b.doc, b.labels
	var facts []Fact
	facts = b.fact(facts, l.taxonomy, d.SchemaVersion.String())
	facts = b.fact(facts, l.identifier, d.ID)
	facts = b.fact(facts, l.created, day(d.CreatedAt))
	return b.fact(facts, l.updated, day(d.UpdatedAt))
}

// day is the date of a timestamp.
func day(timestamp string) string { return timestamp[:min(len(timestamp), len("2006-01-02"))] }

// fact appends a plain value, where there is one, under a label of the view's
// own.
func (b *builder) fact(facts []Fact, label, value string) []Fact {
	if shown := b.plain(value); !shown.IsZero() {
		facts = append(facts, Fact{b.said(label), shown})
	}
	return facts
}

// named returns a name that suits the page, or the id of what has none.
func (b *builder) named(name taxonomy.Localized, id string) Text {
	if text := b.text(name); !text.IsZero() {
		return text
	}
	if text := b.plain(id); !text.IsZero() {
		return text
	}
	return Text{Text: nameless}
}

// nameless stands for what has neither a name nor an id.
const nameless = "—"

// text returns the text of l that suits the page best.
func (b *builder) text(l taxonomy.Localized) Text {
	value, locale := b.choose(l)
	b.spend(4*len(l) + len(value))
	return b.in(locale, value)
}

// plain is a text in a language that nobody told.
func (b *builder) plain(value string) Text {
	b.spend(len(value))
	return Text{Text: tidy(value)}
}

// address is a text that leads somewhere, and so must look like what it is.
func (b *builder) address(value string) Text {
	b.spend(2 * len(value))
	return Text{Text: straight(value)}
}

// said is a label of the view's own.
func (b *builder) said(label string) Text { return b.in(b.labels.locale, label) }

// spend counts what was made. A document is small, but it may show a large
// value any number of times.
func (b *builder) spend(bytes int) { b.size += bytes }

// full reports whether more was made than can be shown, so that making the rest
// is in vain.
func (b *builder) full() bool { return b.size > MaxBytes }

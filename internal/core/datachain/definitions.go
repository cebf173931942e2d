package datachain

import (
	"slices"
	"strings"

	"placard/internal/core/taxonomy"
)

// definitions are the categories, elements and subchains that ids in a document
// refer to. They come from a release, or from a resolved document itself.
type definitions struct {
	categories  []*category // in declaration order
	elements    []*element  // in element order
	subchainIDs []string
	chained     map[string]*index // the ids of the categories of each subchain
	locales     []string

	elementIDs []string
	category   map[string]*category
	element    map[string]*element
	required   []*element
	now        map[string]string // the ids of the elements, by those in earlier releases
	counters   int               // the number of context values with a counter; see context
}

type category struct {
	declared    *taxonomy.Category
	id          string
	position    int // in definitions.categories
	required    bool
	minElements int
	maxElements int      // 0 means no limit
	context     *context // nil if it has no context
	variables   *variables
}

type element struct {
	id            string
	position      int // in definitions.elements
	categoryID    string
	category      *category // nil if unknown
	maxPlacements int       // 0 means no limit
	deprecated    *taxonomy.Deprecation
	context       *context   // its effective context; nil if there is none
	own           *variables // declared by the element; its category may declare more

	shown     []*variable // the optional variables in its title or description
	conflicts []*element  // elements that exclude it or that it excludes
	isContact bool        // its placements should say whom to contact
}

// context is a list of context values. If it has limits, the placements with value
// i are counted in counter firstCounter+i.
type context struct {
	index
	now          map[string]string // the ids of the values, by those in earlier releases
	limits       []int             // by value: the maximum number of placements, or 0; nil if no value has one
	firstCounter int
}

// variables are the variables of one category or element.
type variables struct {
	index
	now      map[string]string // the ids of the variables, by those in earlier releases
	list     []variable
	required []*variable
}

type variable struct {
	id      string
	kind    taxonomy.Kind
	options index
	now     map[string]string // the ids of the options, by those in earlier releases
	applies []index           // by option: the elements it applies to; empty means all
}

// index maps ids to their positions in a list.
type index struct {
	ids       []string
	positions map[string]int // by id; nil if ids has at most maxLinear items
}

// maxLinear is the number of strings up to which a linear search is as fast as a
// map.
const maxLinear = 16

func newIndex(ids []string, m *meter) index {
	idx := index{ids: ids}
	if len(ids) <= maxLinear {
		return idx
	}
	idx.positions = make(map[string]int)
	for i, id := range ids {
		if !m.spend(1) {
			break
		}
		if _, ok := idx.positions[id]; !ok {
			idx.positions[id] = i
		}
	}
	return idx
}

// indexOf returns the index of items, and their ids by those in earlier releases.
func indexOf[T any, P taxonomy.Named[T]](list []T, m *meter) (idx index, now map[string]string) {
	ids := make([]string, len(list))
	for i := range list {
		id, replaced := P(&list[i]).Names()
		ids[i], now = id, addReplaced(now, id, replaced, m)
	}
	return newIndex(ids, m), now
}

// addReplaced adds the ids that id replaces to now, which may be nil.
func addReplaced(now map[string]string, id string, replaced taxonomy.IDs, m *meter) map[string]string {
	for _, old := range replaced {
		if now == nil {
			now = make(map[string]string)
		}
		if m.spend(1) {
			now[old] = id
		}
	}
	return now
}

// find returns the first position of id, or -1. A nil index is empty.
func (idx *index) find(id string) int {
	if idx == nil {
		return -1
	}
	if idx.positions == nil {
		return slices.Index(idx.ids, id)
	}
	if i, ok := idx.positions[id]; ok {
		return i
	}
	return -1
}

// newDefinitions returns the definitions of categories and of the elements in
// lists. If several have the same id, the first is used.
func newDefinitions(m *meter, t taxonomy.DatachainType, categories []taxonomy.Category, lists ...[]taxonomy.Element) *definitions {
	d := &definitions{
		subchainIDs: idsOf(t.Subchains, func(s *taxonomy.Subchain) string { return s.ID }),
		locales:     t.Locales,
		chained:     make(map[string]*index),
		category:    make(map[string]*category),
		element:     make(map[string]*element),
	}
	for _, s := range t.Subchains {
		if ids := newIndex(s.Categories, m); d.chained[s.ID] == nil {
			d.chained[s.ID] = &ids
		}
	}
	for i := range categories {
		if !m.spend(8) {
			return d
		}
		d.addCategory(&categories[i], m)
	}
	for _, elements := range lists {
		for i := range elements {
			if !m.spend(8) {
				return d
			}
			d.addElement(&elements[i], m)
		}
	}
	for _, elements := range lists {
		for i := range elements {
			if !m.spend(1 + len(elements[i].Excludes)) {
				return d
			}
			d.addConflicts(&elements[i])
		}
	}
	return d
}

// addRequired adds the required elements of other that d does not have.
func (d *definitions) addRequired(other *definitions) {
	for _, e := range other.required {
		if d.element[e.id] == nil {
			d.required = append(d.required, e)
		}
	}
}

// addConflicts records which of the elements exclude each other.
func (d *definitions) addConflicts(from *taxonomy.Element) {
	e := d.element[from.ID]
	for _, id := range from.Excludes {
		if other := d.element[id]; other != nil && other != e && !slices.Contains(e.conflicts, other) {
			e.conflicts = append(e.conflicts, other)
			other.conflicts = append(other.conflicts, e)
		}
	}
}

// setShown finds the variables that the title or description shows in any locale.
// Required variables and those that cannot have a value are not included: other
// rules apply to them.
func (e *element) setShown(from *taxonomy.Element) {
	ids := from.VariablesInTexts()
	for i := range e.own.list {
		v := &e.own.list[i]
		if slices.Contains(ids, v.id) && !slices.Contains(e.own.required, v) && (!v.kind.HasOptions() || len(v.optionsFor(e.id)) > 0) {
			e.shown = append(e.shown, v)
		}
	}
}

// promptsForText reports whether a placement of e without any text already violates
// a rule about variables.
func (e *element) promptsForText() bool {
	isText := func(v *variable) bool { return !v.kind.HasOptions() }
	return slices.ContainsFunc(e.shown, isText) || slices.ContainsFunc(e.own.required, isText)
}

// isContactID reports whether one of the words of an element id is contact.
func isContactID(id string) bool {
	words := strings.FieldsFunc(id, func(r rune) bool { return r == '_' || r == '-' })
	return slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, "contact") || strings.EqualFold(w, "contacts") })
}

func (d *definitions) addCategory(from *taxonomy.Category, m *meter) {
	if d.category[from.ID] != nil {
		return
	}
	c := &category{
		declared: from, id: from.ID, position: len(d.categories), required: from.Required,
		minElements: from.MinElements, maxElements: from.MaxElements,
		context: d.newContext(from.Context, m), variables: newVariables(from.Variables, m),
	}
	d.categories = append(d.categories, c)
	d.category[c.id] = c
}

func (d *definitions) addElement(from *taxonomy.Element, m *meter) {
	if d.element[from.ID] != nil {
		return
	}
	e := &element{
		id: from.ID, position: len(d.elements), categoryID: from.CategoryID, category: d.category[from.CategoryID],
		maxPlacements: from.MaxPlacements, deprecated: from.Deprecated, own: newVariables(from.Variables, m),
	}
	var declared *taxonomy.Category
	if e.category != nil {
		declared = e.category.declared
	}
	if context := from.EffectiveContext(declared); declared != nil && context == declared.Context {
		e.context = e.category.context
	} else {
		e.context = d.newContext(context, m)
	}
	e.setShown(from)
	e.isContact = isContactID(e.id) && !e.promptsForText()
	d.elements = append(d.elements, e)
	d.elementIDs = append(d.elementIDs, e.id)
	d.element[e.id] = e
	if from.Required {
		d.required = append(d.required, e)
	}
	d.now = addReplaced(d.now, e.id, from.Replaces, m)
}

func (d *definitions) newContext(from *taxonomy.Context, m *meter) *context {
	if from == nil {
		return nil
	}
	c := new(context)
	c.index, c.now = indexOf(from.Values, m)
	for i, v := range from.Values {
		if v.MaxPlacements == 0 || !m.spend(1) {
			continue
		}
		if c.limits == nil {
			c.limits, c.firstCounter = make([]int, len(from.Values)), d.counters
			d.counters += len(from.Values)
		}
		c.limits[i] = v.MaxPlacements
	}
	return c
}

// find returns the position of the value id, or -1. A nil context has no values.
func (c *context) find(id string) int {
	if c == nil {
		return -1
	}
	return c.index.find(id)
}

func newVariables(from []taxonomy.Variable, m *meter) *variables {
	v := &variables{list: make([]variable, len(from))}
	v.index, v.now = indexOf(from, m)
	for i, declared := range from {
		v.list[i] = variable{id: declared.ID, kind: declared.Kind, applies: make([]index, len(declared.Options))}
		v.list[i].options, v.list[i].now = indexOf(declared.Options, m)
		for k, option := range declared.Options {
			if !m.spend(1) {
				break
			}
			v.list[i].applies[k] = newIndex(option.AppliesTo, m)
		}
		if declared.Required {
			v.required = append(v.required, &v.list[i])
		}
		if !m.spend(4) {
			break
		}
	}
	return v
}

func idsOf[T any](list []T, id func(*T) string) []string {
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = id(&list[i])
	}
	return ids
}

// variable returns the variable of e with the given id, or nil. A nil element has
// no variables.
func (e *element) variable(id string) *variable {
	if e == nil {
		return nil
	}
	if i := e.own.find(id); i >= 0 {
		return &e.own.list[i]
	}
	if e.category != nil {
		if i := e.category.variables.find(id); i >= 0 {
			return &e.category.variables.list[i]
		}
	}
	return nil
}

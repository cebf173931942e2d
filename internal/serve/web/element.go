package web

import (
	"bytes"
	"html/template"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/link"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/show/view"
)

// Limits of the page of an element. Taxonomies that exceed them are unusual. The page
// links to the other neighbours, counts the other options, and omits the rest.
const (
	maxNeighbours = 30       // also of values and of excluded elements
	maxListed     = 200      // options, sources, examples, keywords, languages
	maxShownJSON  = 48 << 10 // bytes
	maxUnfolded   = 6        // options
)

// element is the page of one element.
func (q *request) element() (*page, error) {
	r := q.releases[0]
	n, ok := r.Element(q.PathValue("element"))
	if !ok {
		return q.missingElement(r, q.PathValue("element"))
	}
	e := &r.Taxonomy.Elements[n]
	b := &elementBuilder{
		request: q, release: r, n: n, element: e, category: categoryOf(r, e), icons: iconSet{release: r, budget: maxIconBytes},
	}
	path := elementPath(r.Name(), e.ID)
	title, description := q.elementTitle(r, n), q.elementText(r, n, e.Description)
	history, complete := q.history(r, n)
	data := &elementData{
		Direction:   view.Direction(q.localeOf(r)),
		Element:     e,
		Icon:        b.icons.icon(n),
		Title:       title,
		Description: description,
		Explorer:    explorePath(r.Name()),
		Rules:       b.rules(),
		Context:     b.context(),
		Variants:    b.variants(),
		Variables:   b.variables(),
		Sources:     sources(e.Sources),
		Examples:    b.examples(),
		Guidance:    q.text(r, e.Guidance),
		Keywords:    b.keywords(),
		Languages:   b.translations(),
		History:     history,
		JSONPath:    b.apiPath(),
		JSON:        indented(r.Elements[n].JSON()),
		Citation:    q.citation(r, title.Value, path),
		BibTeX:      q.bibTeX(r, e.ID, title.Value, path),
	}
	b.addNeighbours(data)
	return &page{
		template: "element.html", Title: title.Value, Description: description.Value, Path: path, Release: r,
		Locales: r.Manifest.Locales, Image: path + "/preview.png", LinkedData: q.linkedTerm(r, n),
		Crumbs:  q.crumbs(q.releaseCrumb(r), crumb{b.question(), questionPath(r.Name(), e.CategoryID)}),
		partial: !complete, Data: data,
	}, nil
}

// elementBuilder builds the page of an element.
type elementBuilder struct {
	*request
	release  *release.Release
	n        int // of the element in the release
	element  *taxonomy.Element
	category *taxonomy.Category // nil if there is none
	icons    iconSet
}

// apiPath returns the path of the element in the API.
func (b *elementBuilder) apiPath() string {
	return "/api/v2/schemas/" + b.release.Name() + "/elements/" + b.element.ID
}

// local returns a text of the release, or the id if there is none.
func (b *elementBuilder) local(l taxonomy.Localized, id string) Text {
	return b.textOr(b.release, l, id)
}

type elementData struct {
	Direction          string // of the texts of the release
	Element            *taxonomy.Element
	Icon               template.HTML
	Title, Description Text
	Explorer           string // path
	Rules              []rule
	Context            *contextData
	Variants           []variant
	Variables          []variableData
	Sources            []source
	Examples           []example
	Guidance           Text
	Keywords           string
	Languages          []translation
	History            []versionState
	Previous, Next     *elementLink
	Neighbours         []elementLink
	OtherNeighbours    int // neighbours that are not listed
	JSONPath           string
	JSON               string // empty if it is too long
	Citation, BibTeX   string
}

// addNeighbours adds the other elements of the category: those around the element, if
// there are many.
func (b *elementBuilder) addNeighbours(data *elementData) {
	first, count := b.release.CategoryRun(b.element.CategoryID)
	end := first + count
	from := max(first, min(b.n-maxNeighbours/2, end-maxNeighbours-1))
	for i := from; i < min(end, from+maxNeighbours+1); i++ {
		if i == b.n {
			continue
		}
		link := b.elementLink(&b.icons, i)
		switch i {
		case b.n - 1:
			data.Previous = &link
		case b.n + 1:
			data.Next = &link
		}
		data.Neighbours = append(data.Neighbours, link)
	}
	data.OtherNeighbours = count - 1 - len(data.Neighbours)
}

// question returns the question that the element answers, or the name of its category.
func (b *elementBuilder) question() Text {
	if b.category == nil {
		return Text{Value: b.element.CategoryID}
	}
	return b.request.question(b.release, b.category)
}

// rule is a sentence about the use of an element, which may end in a list of elements.
type rule struct {
	Text  string
	Signs []elementLink
}

// rules returns the rules for documents that the element or its category has.
func (b *elementBuilder) rules() []rule {
	var rules []rule
	add := func(text string, links ...elementLink) { rules = append(rules, rule{text, links}) }
	e, c := b.element, b.category
	if d := e.Deprecated; d != nil {
		add(strings.TrimSpace(b.ui.get("element.deprecated") + " " + b.text(b.release, d.Message).Value))
		if len(d.Use) > 0 {
			add(b.ui.get("element.use-instead"), b.links(func(other *taxonomy.Element) bool { return slices.Contains(d.Use, other.ID) })...)
		}
	}
	if e.Required {
		add(b.ui.get("element.required"))
	}
	if e.MaxPlacements > 0 {
		add(b.ui.count("element.at-most", e.MaxPlacements))
	}
	excludes := func(other *taxonomy.Element) bool {
		return slices.Contains(e.Excludes, other.ID) || slices.Contains(other.Excludes, e.ID)
	}
	if excluded := b.links(excludes); len(excluded) > 0 {
		add(b.ui.get("element.excludes"), excluded...)
	}
	if c != nil {
		b.addCategoryRules(c, add)
	}
	if len(e.Replaces) > 0 {
		add(b.ui.get("element.replaces", "id", strings.Join(e.Replaces, ", ")))
	}
	return rules
}

// addCategoryRules adds the rules of a category, with its question: the page shows it
// far above them.
func (b *elementBuilder) addCategoryRules(c *taxonomy.Category, add func(string, ...elementLink)) {
	question := b.question().Value
	isRequired := c.Required || c.MinElements > 0
	if isRequired && c.MinElements <= 1 && c.MaxElements > 0 {
		add(b.ui.count("element.category-needed", c.MaxElements, "question", question))
		return
	}
	if isRequired {
		add(b.ui.count("element.category-at-least", max(1, c.MinElements), "question", question))
	}
	if c.MaxElements > 0 {
		add(b.ui.count("element.category-at-most", c.MaxElements, "question", question))
	}
}

// links returns links to the first elements for which the function is true.
func (b *elementBuilder) links(isListed func(*taxonomy.Element) bool) []elementLink {
	var links []elementLink
	for i := range b.release.Taxonomy.Elements {
		if len(links) < maxNeighbours && isListed(&b.release.Taxonomy.Elements[i]) {
			links = append(links, b.elementLink(&b.icons, i))
		}
	}
	return links
}

// source is the origin of a definition. Link is empty if its address is not safe.
type source struct{ Title, Citation, Address, Link string }

func sources(list []taxonomy.Source) []source {
	var all []source
	for _, s := range list[:min(len(list), maxListed)] {
		all = append(all, source{s.Title, s.Citation, s.URL, link.Web(s.URL)})
	}
	return all
}

type example struct{ Scenario, Narrative Text }

func (b *elementBuilder) examples() []example {
	var all []example
	for _, e := range b.element.Examples[:min(len(b.element.Examples), maxListed)] {
		all = append(all, example{b.text(b.release, e.Scenario), b.text(b.release, e.Narrative)})
	}
	return all
}

// keywords returns the search words of the element in the locale of the page.
func (b *elementBuilder) keywords() string {
	words := b.element.Keywords.Get(b.localeOf(b.release)).List()
	return strings.Join(words[:min(len(words), maxListed)], b.ui.get("list.separator"))
}

// translation is an element's title and description in one locale.
type translation struct {
	Locale, Dir        string
	Title, Description string
}

// translations returns the texts of the element in all locales but that of the page.
func (b *elementBuilder) translations() []translation {
	var all []translation
	for _, locale := range b.release.Manifest.Locales {
		if strings.EqualFold(locale, b.locale) || len(all) == maxListed {
			continue
		}
		in := func(l taxonomy.Localized) string {
			value, _ := l.Get(locale)
			return value
		}
		title, description := withLabels(in(b.element.Title), b.element, in), withLabels(in(b.element.Description), b.element, in)
		if title != "" || description != "" {
			all = append(all, translation{locale, view.Direction(locale), title, description})
		}
	}
	return all
}

// indented returns JSON with line breaks, or an empty string if it is very long.
func indented(json []byte) string {
	value := jsontext.Value(bytes.Clone(json))
	if err := value.Indent(jsontext.WithIndent("  ")); err != nil || len(value) > maxShownJSON {
		return ""
	}
	return string(value)
}

// categoryOf returns the category of an element of r, or nil.
func categoryOf(r *release.Release, e *taxonomy.Element) *taxonomy.Category {
	for i := range r.Taxonomy.Categories {
		if c := &r.Taxonomy.Categories[i]; c.ID == e.CategoryID {
			return c
		}
	}
	return nil
}

// contextValues returns the context values of the n-th element of r.
func contextValues(r *release.Release, n int) []taxonomy.ContextValue {
	e := &r.Taxonomy.Elements[n]
	context := e.EffectiveContext(categoryOf(r, e))
	if context == nil {
		return nil
	}
	return context.Values
}

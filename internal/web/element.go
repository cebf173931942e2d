package web

import (
	"bytes"
	"html/template"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/link"
	"placard/internal/release"
	"placard/internal/taxonomy"
)

// Limits of the page of an element. Taxonomies that exceed them are unusual; the page
// then links to the rest.
const (
	maxNeighbours = 30
	maxListed     = 200      // options of a variable, values of a context, sources, and so on
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
	path := elementPath(r.Name(), e.ID)
	title, description := q.elementTitle(r, n), q.elementText(r, n, e.Description)
	history, complete := q.history(r, n)
	data := &elementData{
		Element:     e,
		Icon:        inlineIcon(r, n, taxonomy.VariantDefault),
		Title:       title,
		Description: description,
		Taxonomy:    q.text(r, r.Manifest.Title),
		Question:    q.question(r, e),
		Explorer:    explorePath(r.Name()),
		Category:    explorePath(r.Name()) + "#" + e.CategoryID,
		Rules:       q.elementRules(r, n),
		Context:     q.elementContext(r, n),
		Variants:    q.variants(r, n),
		Variables:   q.elementVariables(r, e),
		Sources:     sources(e.Sources),
		Examples:    q.examples(r, e.Examples),
		Guidance:    q.text(r, e.Guidance),
		Keywords:    q.keywords(r, e),
		Languages:   q.translations(r, e),
		History:     history,
		JSONPath:    "/api/v2/schemas/" + r.Name() + "/elements/" + e.ID,
		JSON:        indented(r.Elements[n].JSON()),
		Citation:    q.citation(r, title.Value, path),
		BibTeX:      q.bibTeX(r, e.ID, title.Value, path),
	}
	q.addNeighbours(data, r, n)
	return &page{
		template: "element.html", Title: title.Value, Description: description.Value, Path: path, Release: r,
		Locales: r.Manifest.Locales, Image: path + "/preview.png", LinkedData: q.linkedTerm(r, n),
		partial: !complete, Data: data,
	}, nil
}

type elementData struct {
	Element            *taxonomy.Element
	Icon               template.HTML
	Title, Description Text
	Taxonomy, Question Text
	Explorer, Category string // paths
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
	Previous, Next     *sign
	Neighbours         []sign
	OtherNeighbours    int // neighbours that are not listed
	JSONPath           string
	JSON               string // empty if it is too long
	Citation, BibTeX   string
}

// sign is a link to another element.
type sign struct {
	Path  string
	Icon  template.HTML
	Title Text
}

func (q *request) sign(r *release.Release, n int) sign {
	e := &r.Taxonomy.Elements[n]
	return sign{elementPath(r.Name(), e.ID), inlineIcon(r, n, taxonomy.VariantDefault), q.elementTitle(r, n)}
}

// addNeighbours adds the other elements of the category: those around the n-th element
// of r, if there are many.
func (q *request) addNeighbours(data *elementData, r *release.Release, n int) {
	first, count := r.CategoryRun(data.Element.CategoryID)
	end := first + count
	if n > first {
		previous := q.sign(r, n-1)
		data.Previous = &previous
	}
	if n+1 < end {
		next := q.sign(r, n+1)
		data.Next = &next
	}
	from := max(first, min(n-maxNeighbours/2, end-maxNeighbours-1))
	to := min(end, from+maxNeighbours+1)
	for i := from; i < to; i++ {
		if i != n {
			data.Neighbours = append(data.Neighbours, q.sign(r, i))
		}
	}
	data.OtherNeighbours = count - 1 - len(data.Neighbours)
}

// question returns the question that an element answers, or the name of its category.
func (q *request) question(r *release.Release, e *taxonomy.Element) Text {
	c := categoryOf(r, e)
	if c == nil {
		return Text{Value: e.CategoryID}
	}
	for _, l := range []taxonomy.Localized{c.Prompt, c.Name} {
		if t := q.text(r, l); t.Value != "" {
			return t
		}
	}
	return Text{Value: c.ID}
}

// rule is a sentence about the use of an element, which may end in a list of elements.
type rule struct {
	Text  string
	Signs []sign
}

// elementRules returns the rules for disclosures that the n-th element of r or its
// category has.
func (q *request) elementRules(r *release.Release, n int) []rule {
	e, c := &r.Taxonomy.Elements[n], categoryOf(r, &r.Taxonomy.Elements[n])
	var rules []rule
	if e.Required {
		rules = append(rules, rule{Text: q.ui.get("element.required")})
	}
	if e.MaxPlacements > 0 {
		rules = append(rules, rule{Text: q.ui.count("element.at-most", e.MaxPlacements)})
	}
	if excluded := q.excluded(r, e); len(excluded) > 0 {
		rules = append(rules, rule{q.ui.get("element.excludes"), excluded})
	}
	if c != nil {
		if c.Required || c.MinElements > 0 {
			rules = append(rules, rule{Text: q.ui.count("element.category-at-least", max(1, c.MinElements))})
		}
		if c.MaxElements > 0 {
			rules = append(rules, rule{Text: q.ui.count("element.category-at-most", c.MaxElements)})
		}
	}
	if e.Replaces != "" {
		rules = append(rules, rule{Text: q.ui.get("element.replaces", "id", e.Replaces)})
	}
	return rules
}

// excluded returns the elements that contradict e. One of two such elements lists the
// other.
func (q *request) excluded(r *release.Release, e *taxonomy.Element) []sign {
	var signs []sign
	for i := range r.Taxonomy.Elements {
		other := &r.Taxonomy.Elements[i]
		if len(signs) < maxNeighbours && (slices.Contains(e.Excludes, other.ID) || slices.Contains(other.Excludes, e.ID)) {
			signs = append(signs, q.sign(r, i))
		}
	}
	return signs
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

func (q *request) examples(r *release.Release, list []taxonomy.Example) []example {
	var all []example
	for _, e := range list[:min(len(list), maxListed)] {
		all = append(all, example{q.text(r, e.Scenario), q.text(r, e.Narrative)})
	}
	return all
}

// keywords returns the search words of e in the locale of the page.
func (q *request) keywords(r *release.Release, e *taxonomy.Element) string {
	words := e.Keywords.Get(q.localeOf(r))
	return strings.Join(words[:min(len(words), maxListed)], q.ui.get("list.separator"))
}

// translation is an element's title and description in one locale.
type translation struct {
	Locale, Dir        string
	Title, Description string
}

// translations returns the texts of e in all locales but that of the page.
func (q *request) translations(r *release.Release, e *taxonomy.Element) []translation {
	var all []translation
	for _, locale := range r.Manifest.Locales {
		if strings.EqualFold(locale, q.locale) || len(all) == maxListed {
			continue
		}
		label := func(l taxonomy.Localized) string {
			value, _ := l.Get(locale)
			return value
		}
		title, description := label(e.Title), label(e.Description)
		if title != "" || description != "" {
			all = append(all, translation{locale, newText("", locale, "").Dir, withLabels(title, e, label), withLabels(description, e, label)})
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

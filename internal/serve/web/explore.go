package web

import (
	"html/template"
	"iter"
	"net/url"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/budget"
	"placard/internal/serve/query"
	"placard/internal/show/view"
)

// cursorParam is the parameter with the cursor of a page of results.
const cursorParam = "cursor"

// Limits of the explorer.
const (
	maxExplored  = 500     // elements on the page of all categories
	maxShortened = 24      // elements of a category there, if there are more in total
	maxIconBytes = 1 << 19 // of the icons in a page; others are loaded separately
)

// explorePath returns the path of the explorer of a version.
func explorePath(version string) string { return "/explore/" + version }

// questionAnchor returns the id of the part of a page about a category. Its prefix
// distinguishes it from the other ids of the page.
func questionAnchor(category string) string { return "question-" + category }

// questionPath returns the path of a category in the explorer of a version.
func questionPath(version, category string) string {
	return explorePath(version) + "#" + questionAnchor(category)
}

// elementPath returns the path of the page of an element.
func elementPath(version, element string) string { return explorePath(version) + "/" + element }

// explorePage is the data of the explorer. It shows all categories, one category, or
// the results of a search.
type explorePage struct {
	Title, Lead Text
	ID          taxonomy.ID
	Address     string // of the whole page, for print
	Elements    int
	Direction   string // of the texts of the release

	Menu     []categoryLink
	IsFilter bool      // the menu narrows down the results
	AllPath  string    // leads to all categories, or to the search of all of them; empty if these are shown
	Sections []section // the categories, unless this is a search
	Results  *searchResults
	Next     string // path of the next page of a category or of results; may be empty
	IsPaged  bool   // this is not the first page
}

// Status returns the text that announces the content of the page.
func (p *explorePage) Status(f frame) string {
	if p.Results != nil {
		return f.ui.count("explore.found", p.Results.Total)
	}
	return f.ui.count("explore.signs", p.Elements)
}

// categoryLink is an entry in the menu of categories.
type categoryLink struct {
	Path      string
	Name      Text
	Shape     template.HTML
	Count     int // of elements, or of results
	IsCurrent bool
}

// section is a category with its elements.
type section struct {
	Anchor      string
	Question    Text // the name if the category has no question
	Name        Text // empty if it is the question
	Description Text
	Path        string // of the page that shows only this category; empty on that page
	Count       int    // of all elements
	IsRequired  bool   // every document must answer the question
	Limits      string // how many elements may answer it; may be empty
	Elements    []sectionElement
}

// sectionElement is an element in its category.
type sectionElement struct {
	elementLink
	IsRequired bool // every document must contain it
}

// IsShortened reports whether the section shows only some of its elements.
func (s *section) IsShortened() bool { return s.Path != "" && len(s.Elements) < s.Count }

// elementLink is a link to the page of an element.
type elementLink struct {
	Path  string
	Icon  template.HTML
	Title Text
}

// elementLink returns a link to the n-th element of the release of icons.
func (q *request) elementLink(icons *iconSet, n int) elementLink {
	r := icons.release
	title := q.elementTitle(r, n)
	if r.Taxonomy.Elements[n].Deprecated != nil {
		title.Value = q.ui.get("element.deprecated-title", "title", title.Value)
	}
	return elementLink{elementPath(r.Name(), r.Taxonomy.Elements[n].ID), icons.icon(n), title}
}

// exploreRoot redirects to the list of taxonomies.
func (q *request) exploreRoot() (*page, error) {
	return &page{redirect: withLang("/", q.chosen)}, nil
}

// explore is the page of a release.
func (q *request) explore() (*page, error) {
	r := q.releases[0]
	e := &explorer{request: q, release: r, icons: iconSet{release: r, budget: maxIconBytes}, search: q.params.Get("q"), category: q.params.Get("category")}
	data := &explorePage{
		Title:     q.text(r, r.Manifest.Title),
		Lead:      q.text(r, r.Manifest.Description),
		ID:        r.ID(),
		Address:   q.base + withLang(explorePath(r.Name()), q.chosen),
		Elements:  len(r.Taxonomy.Elements),
		Direction: view.Direction(q.localeOf(r)),
	}
	p := &page{
		template: "explore.html", part: "explore", Title: data.Title.Value, Description: data.Lead.Value,
		Path: explorePath(r.Name()), Release: r, Locales: r.Manifest.Locales, Image: explorePath(r.Name()) + "/preview.png",
		LinkedData: q.linkedTermSet(r), NoIndex: q.isDynamic, Data: data, Crumbs: q.crumbs(),
	}
	if q.isDynamic && (e.search != "" || e.category != "") {
		p.Crumbs = q.crumbs(q.releaseCrumb(r))
	}
	p.Search = q.newSearchBox(r)
	p.Search.Results, p.Search.Category = "results", e.category
	if err := checkCategory(r, e.category); err != nil {
		return nil, err
	}
	var err error
	switch {
	case e.search != "":
		p.Title = e.search + " – " + p.Title
		err = e.showResults(data)
	case e.category != "":
		if err = e.showCategory(data); err == nil {
			p.Title = data.Sections[0].Question.Value + " – " + p.Title
		}
	default:
		e.showAll(data)
	}
	return p, err
}

// checkCategory returns a problem if r does not have a category. The id may be empty.
func checkCategory(r *release.Release, id string) error {
	if id == "" || query.IsCategory(r, id) {
		return nil
	}
	return problem.New(problem.NotFound, "Category %q is not in %s.", problem.Clip(id), r.Name()).
		Hint("%s", problem.DidYouMean(id, r.Taxonomy.Type.Categories))
}

// question returns the question that the elements of a category answer, or the name of
// the category.
func (q *request) question(r *release.Release, c *taxonomy.Category) Text {
	if prompt := q.text(r, c.Prompt); prompt.Value != "" {
		return prompt
	}
	return q.textOr(r, c.Name, c.ID)
}

// explorer renders the explorer of a release.
type explorer struct {
	*request
	release  *release.Release
	icons    iconSet
	search   string
	category string // id of the only category; may be empty
}

// path returns the path of this explorer with the given parameters.
func (e *explorer) path(category, search, cursor string) string {
	params := url.Values{}
	for name, value := range map[string]string{"category": category, "q": search, cursorParam: cursor} {
		if value != "" {
			params.Set(name, value)
		}
	}
	if len(params) == 0 {
		return explorePath(e.release.Name())
	}
	return explorePath(e.release.Name()) + "?" + params.Encode()
}

// isLarge reports whether a page of all categories cannot show all elements.
func isLarge(t *taxonomy.Taxonomy) bool { return len(t.Elements) > maxExplored }

// perCategory returns the maximum number of elements of each category in a page of all
// categories.
func perCategory(t *taxonomy.Taxonomy) int {
	if !isLarge(t) {
		return maxExplored
	}
	return min(max(maxExplored/len(t.Categories), 1), maxShortened)
}

// showAll adds all categories. Those of a large taxonomy are shortened.
func (e *explorer) showAll(data *explorePage) {
	categories := e.release.Taxonomy.Categories
	limit, shown := perCategory(e.release.Taxonomy), 0
	for i := range categories {
		c := &categories[i]
		first, count := e.release.CategoryRun(c.ID)
		s := e.section(c)
		for n := first; n < first+min(count, limit, maxExplored-shown); n++ {
			s.Elements = append(s.Elements, e.sectionElement(n))
		}
		shown += len(s.Elements)
		data.Sections = append(data.Sections, s)
		path := "#" + s.Anchor
		if isLarge(e.release.Taxonomy) {
			path = s.Path
		}
		data.Menu = append(data.Menu, categoryLink{Path: path, Name: e.text(e.release, c.Name), Shape: inlineShape(c.Shape), Count: count})
	}
}

// showCategory adds a page of the elements of one category.
func (e *explorer) showCategory(data *explorePage) error {
	selected, err := query.List(e.release, query.Elements{CategoryID: e.category, Limit: query.MaxLimit, Cursor: e.params.Get(cursorParam)})
	if err != nil {
		return err
	}
	for i := range e.release.Taxonomy.Categories {
		c := &e.release.Taxonomy.Categories[i]
		_, count := e.release.CategoryRun(c.ID)
		data.Menu = append(data.Menu, categoryLink{e.path(c.ID, "", ""), e.text(e.release, c.Name), inlineShape(c.Shape), count, c.ID == e.category})
		if c.ID == e.category {
			s := e.section(c)
			s.Path = ""
			for n := range selected.Elements() {
				s.Elements = append(s.Elements, e.sectionElement(n))
			}
			data.Sections = []section{s}
		}
	}
	data.AllPath = e.path("", "", "")
	data.IsPaged = e.params.Get(cursorParam) != ""
	if selected.Next != "" {
		data.Next = e.path(e.category, "", selected.Next)
	}
	return nil
}

func (e *explorer) section(c *taxonomy.Category) section {
	_, count := e.release.CategoryRun(c.ID)
	s := section{
		Anchor: questionAnchor(c.ID), Question: e.question(e.release, c), Name: e.text(e.release, c.Name), Description: e.text(e.release, c.Description),
		Path: e.path(c.ID, "", ""), Count: count, IsRequired: c.Required || c.MinElements > 0, Limits: e.limits(c),
	}
	if s.Name == s.Question {
		s.Name = Text{}
	}
	return s
}

// limits says how many elements may answer the question of a category, beyond at least
// one.
func (e *explorer) limits(c *taxonomy.Category) string {
	var limits []string
	if c.MinElements > 1 {
		limits = append(limits, e.ui.count("explore.at-least", c.MinElements))
	}
	if c.MaxElements > 0 {
		limits = append(limits, e.ui.count("explore.at-most", c.MaxElements))
	}
	return strings.Join(limits, " · ")
}

func (e *explorer) sectionElement(n int) sectionElement {
	return sectionElement{e.elementLink(&e.icons, n), e.release.Taxonomy.Elements[n].Required}
}

// searchResults are the elements that match a search, best first.
type searchResults struct {
	Query    string
	Total    int
	Category Text // the only category that is searched; may be empty
	Hits     []hit

	// If there are no hits:
	Words     []searchLink // similar words
	Languages []searchLink // the search in other languages
	All       *searchLink  // the search in all categories
}

// hit is an element that matches a search.
type hit struct {
	elementLink
	Name     markedText
	Category Text
	Excerpt  markedText
}

// searchLink is a link with the number of results that it leads to.
type searchLink struct {
	Path, Text, Lang string
	Count            int
}

// showResults adds a page of the results of a search.
func (e *explorer) showResults(data *explorePage) error {
	meter := e.budget(budget.Read).Start()
	defer meter.Stop()
	q := query.Elements{CategoryID: e.category, Search: e.search, Locale: e.localeOf(e.release), Cursor: e.params.Get(cursorParam), Step: meter.Step}
	selected, err := query.List(e.release, q)
	if err != nil {
		return err
	}
	data.Results = &searchResults{Query: e.search, Total: selected.Total}
	data.IsPaged = q.Cursor != ""
	if selected.Next != "" {
		data.Next = e.path(e.category, e.search, selected.Next)
	}
	names := e.categoryNames()
	data.Results.Category = names[e.category]
	if data.Results.Hits, err = e.hits(selected.Elements(), names, meter.Step); err != nil {
		return err
	}
	if err := e.addResultMenu(data, q, selected); err != nil {
		return err
	}
	if selected.Total > 0 {
		return nil
	}
	return e.addAlternatives(data.Results, q)
}

// categoryNames returns the names of the categories by id.
func (e *explorer) categoryNames() map[string]Text {
	names := make(map[string]Text)
	for i := range e.release.Taxonomy.Categories {
		c := &e.release.Taxonomy.Categories[i]
		names[c.ID] = e.text(e.release, c.Name)
	}
	return names
}

// hits returns elements with the matches of the search in their texts.
func (e *explorer) hits(elements iter.Seq[int], categoryNames map[string]Text, step func() error) ([]hit, error) {
	var hits []hit
	for n := range elements {
		if err := step(); err != nil {
			return nil, err
		}
		element, link := &e.release.Taxonomy.Elements[n], e.elementLink(&e.icons, n)
		hits = append(hits, hit{
			elementLink: link,
			Name:        e.mark(link.Title, e.search),
			Category:    categoryNames[element.CategoryID],
			Excerpt:     e.excerpt(e.elementText(e.release, n, element.Description), e.search),
		})
	}
	return hits, nil
}

// addResultMenu adds the categories with results, as filters of the search. If there
// are none, it adds all categories, as links to their elements.
func (e *explorer) addResultMenu(data *explorePage, q query.Elements, selected *query.Selection) error {
	if e.category != "" {
		data.AllPath = e.path("", e.search, "")
		q.CategoryID, q.Cursor = "", ""
		var err error
		if selected, err = query.List(e.release, q); err != nil {
			return err
		}
	}
	if selected.Total == 0 {
		data.AllPath = ""
		for i := range e.release.Taxonomy.Categories {
			c := &e.release.Taxonomy.Categories[i]
			data.Menu = append(data.Menu, categoryLink{Path: e.path(c.ID, "", ""), Name: e.text(e.release, c.Name), Shape: inlineShape(c.Shape)})
		}
		return nil
	}
	data.IsFilter = true
	counts := selected.CountByCategory()
	for i := range e.release.Taxonomy.Categories {
		c := &e.release.Taxonomy.Categories[i]
		if counts[c.ID] > 0 || c.ID == e.category {
			data.Menu = append(data.Menu, categoryLink{e.path(c.ID, e.search, ""), e.text(e.release, c.Name), inlineShape(c.Shape), counts[c.ID], c.ID == e.category})
		}
	}
	return nil
}

// addAlternatives adds other searches to results without hits.
func (e *explorer) addAlternatives(results *searchResults, q query.Elements) error {
	found, err := query.FindAlternatives(e.release, q)
	if err != nil {
		return err
	}
	if found.AllCategories > 0 {
		results.All = &searchLink{Path: e.path("", e.search, ""), Count: found.AllCategories}
	}
	for _, word := range found.Words {
		results.Words = append(results.Words, searchLink{Path: e.path("", word, ""), Text: word})
	}
	for _, l := range found.Locales {
		results.Languages = append(results.Languages, searchLink{Path: e.path("", e.search, ""), Lang: l.Locale, Count: l.Count})
	}
	return nil
}

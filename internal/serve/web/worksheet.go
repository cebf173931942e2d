package web

import (
	"html/template"
	"net/url"

	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/show/view"
)

// worksheetName is the last segment of the path of a worksheet.
const worksheetName = "worksheet"

func worksheetPath(version string) string { return explorePath(version) + "/" + worksheetName }

// worksheetPage is the data of a worksheet: the questions of a release with boxes to
// tick and lines to fill in on paper.
type worksheetPage struct {
	Title     Text
	ID        taxonomy.ID
	Address   string // for print
	Direction string // of the texts of the release
	Questions []worksheetQuestion
}

type worksheetQuestion struct {
	Anchor      string
	Question    Text
	Description Text
	Rules       []string // sentences
	IsRequired  bool
	Signs       []worksheetSign
	Others      int    // signs that are not listed
	Path        string // of the worksheet of this question, if not all signs are listed
	Context     *worksheetChoice
	Facts       []worksheetChoice
	OtherFacts  int // facts that are not listed
}

type worksheetSign struct {
	ID                 string
	Icon               template.HTML
	Title, Description Text
	IsRequired         bool
	Context            *worksheetChoice // if it differs from that of the question
}

// worksheetChoice is a fact with answers to tick, or a line if there are none.
type worksheetChoice struct {
	Label      Text
	IsRequired bool
	Answers    []Text
	Others     int // answers that are not listed
}

// worksheet is a page to print and fill in. An element with its name takes precedence.
func (q *request) worksheet() (*page, error) {
	r := q.releases[0]
	if _, ok := r.Element(worksheetName); ok {
		q.SetPathValue("element", worksheetName)
		return q.element()
	}
	only := q.params.Get("category")
	if err := checkCategory(r, only); err != nil {
		return nil, err
	}
	path := worksheetPath(r.Name())
	data := &worksheetPage{
		Title: q.text(r, r.Manifest.Title), ID: r.ID(), Address: q.base + withLang(path, q.chosen),
		Direction: view.Direction(q.localeOf(r)),
	}
	icons := iconSet{release: r, budget: maxIconBytes}
	limit := maxExplored
	if only == "" {
		limit = perCategory(r.Taxonomy)
	}
	listed := 0
	for i := range r.Taxonomy.Categories {
		c := &r.Taxonomy.Categories[i]
		if only != "" && c.ID != only {
			continue
		}
		question := q.worksheetQuestion(r, c, &icons, min(limit, maxExplored-listed))
		if question.Others > 0 && only == "" {
			question.Path = path + "?category=" + url.QueryEscape(c.ID)
		}
		listed += len(question.Signs)
		data.Questions = append(data.Questions, question)
	}
	return &page{
		template: "worksheet.html", Title: q.ui.get("worksheet.title") + " – " + data.Title.Value, Description: q.ui.get("worksheet.lead"),
		Path: path, Crumbs: q.crumbs(q.releaseCrumb(r)), Release: r, Locales: r.Manifest.Locales, NoIndex: q.isDynamic, Data: data,
	}, nil
}

// worksheetQuestion returns a category with at most limit of its elements.
func (q *request) worksheetQuestion(r *release.Release, c *taxonomy.Category, icons *iconSet, limit int) worksheetQuestion {
	w := worksheetQuestion{
		Anchor: questionAnchor(c.ID), Question: q.question(r, c), Description: q.text(r, c.Description), IsRequired: c.Required || c.MinElements > 0,
		Context: q.worksheetContext(r, c.Context),
	}
	if w.IsRequired {
		w.Rules = append(w.Rules, q.ui.count("worksheet.at-least", max(1, c.MinElements)))
	} else {
		w.Rules = append(w.Rules, q.ui.get("worksheet.optional"))
	}
	if c.MaxElements > 0 {
		w.Rules = append(w.Rules, q.ui.count("worksheet.at-most", c.MaxElements))
	}
	first, count := r.CategoryRun(c.ID)
	for n := first; n < first+min(count, limit); n++ {
		e := &r.Taxonomy.Elements[n]
		w.Signs = append(w.Signs, worksheetSign{
			ID: e.ID, Icon: icons.icon(n), Title: q.elementLink(icons, n).Title, Description: q.elementText(r, n, e.Description), IsRequired: e.Required,
			Context: q.worksheetContext(r, e.Context),
		})
	}
	w.Others = count - len(w.Signs)
	for i := range c.Variables[:min(len(c.Variables), maxNeighbours)] {
		v := &c.Variables[i]
		fact := worksheetChoice{Label: q.textOr(r, v.Label, v.ID), IsRequired: v.Required}
		for _, o := range v.Options[:min(len(v.Options), maxListed)] {
			fact.Answers = append(fact.Answers, q.textOr(r, o.Name, o.ID))
		}
		fact.Others = len(v.Options) - len(fact.Answers)
		w.Facts = append(w.Facts, fact)
	}
	w.OtherFacts = len(c.Variables) - len(w.Facts)
	return w
}

// worksheetContext returns a context as a choice; it may be nil.
func (q *request) worksheetContext(r *release.Release, c *taxonomy.Context) *worksheetChoice {
	if c == nil || len(c.Values) == 0 {
		return nil
	}
	choice := &worksheetChoice{Label: q.textOr(r, c.Name, c.ID)}
	for _, v := range c.Values[:min(len(c.Values), maxNeighbours)] {
		choice.Answers = append(choice.Answers, q.textOr(r, v.Label, v.ID))
	}
	choice.Others = len(c.Values) - len(choice.Answers)
	return choice
}

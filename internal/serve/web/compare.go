package web

import (
	"net/url"
	"slices"
	"strings"

	"placard/internal/core/compat"
	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/budget"
	"placard/internal/show/diffview"
	"placard/internal/show/view"
)

// Limits of a comparison. It counts all changes, and shows those that fit into a page.
const (
	maxCompared      = 50        // entries of each kind
	maxComparedBytes = 256 << 10 // texts and icons
)

const comparePrefix = "/compare"

// comparePath returns the path of the page that compares two versions.
func comparePath(before, after taxonomy.ID) string {
	return comparePrefix + "/" + before.String() + "/" + after.String()
}

// comparePage is the data of the page that compares two versions.
type comparePage struct {
	Title    Text   // of the taxonomy
	Old, New string // the selected versions
	Choices  []versionChoices
	// Notice is the key of a sentence that is shown instead of the changes; may be empty.
	Notice     string
	Report     *diffview.Report // nil if nothing was compared
	Swapped    string           // path of the comparison in the other direction; may be empty
	IsBackward bool             // the first version is newer
}

// IsShortened reports whether the page shows only some of the changes.
func (p *comparePage) IsShortened() bool {
	return slices.ContainsFunc(p.Report.Sections, func(s diffview.Section) bool {
		return s.Shown < s.Count || slices.ContainsFunc(s.Groups, func(g diffview.Group) bool {
			return slices.ContainsFunc(g.Entries, func(e diffview.Entry) bool { return e.IsShortened })
		})
	})
}

// versionSelect is a field of the form.
type versionSelect struct {
	Name, Selected string
	Choices        []versionChoices
}

// IsGrouped reports whether there are versions of several taxonomies.
func (s versionSelect) IsGrouped() bool { return len(s.Choices) > 1 }

// Select returns the field with the given name, "old" or "new".
func (p *comparePage) Select(name string) versionSelect {
	if name == "old" {
		return versionSelect{name, p.Old, p.Choices}
	}
	return versionSelect{name, p.New, p.Choices}
}

// versionChoices are the versions of one taxonomy, newest first.
type versionChoices struct {
	Type string
	IDs  []taxonomy.ID
}

// versionChoices returns the versions that can be compared.
func (q *request) versionChoices() []versionChoices {
	var all []versionChoices
	for _, v := range q.snapshot.Served() {
		i := slices.IndexFunc(all, func(c versionChoices) bool { return c.Type == v.ID.Type })
		if i < 0 {
			i = len(all)
			all = append(all, versionChoices{Type: v.ID.Type})
		}
		all[i].IDs = append(all[i].IDs, v.ID)
	}
	for _, c := range all {
		slices.SortFunc(c.IDs, func(a, b taxonomy.ID) int { return b.Compare(a) })
	}
	slices.SortFunc(all, func(a, b versionChoices) int { return strings.Compare(a.Type, b.Type) })
	return all
}

// compareForm is the page on which readers choose two versions. It redirects to their
// comparison if the form has been sent.
func (q *request) compareForm() (*page, error) {
	choices := q.versionChoices()
	before, after := q.params.Get("old"), q.params.Get("new")
	if before != "" || after != "" {
		return q.redirectToComparison(choices, before, after), nil
	}
	data := &comparePage{Choices: choices, Notice: "compare.few"}
	for _, c := range choices {
		if len(c.IDs) > 1 {
			data.Old, data.New, data.Notice = c.IDs[1].String(), c.IDs[0].String(), ""
			break
		}
	}
	return &page{
		template: "compare.html", Title: q.ui.get("compare.choose"), Description: q.ui.get("compare.lead"),
		Path: comparePrefix, Crumbs: q.crumbs(), Locales: pageLanguages(), Data: data,
	}, nil
}

// redirectToComparison redirects to the comparison of two versions, either of which may
// be empty: the second is then the newest, and the first the one before the second.
func (q *request) redirectToComparison(choices []versionChoices, before, after string) *page {
	if after == "" {
		after = before
		if id, ok := q.snapshot.Resolve(before); ok {
			after = versionsIn(choices, id)[0].String()
		}
	}
	if before == "" {
		before = after
		if id, ok := q.snapshot.Resolve(after); ok {
			versions := versionsIn(choices, id)
			before = versions[min(slices.Index(versions, id)+1, len(versions)-1)].String()
		}
	}
	lang := q.chosen
	if lang == "" && taxonomy.IsLocale(q.requested) {
		lang = q.requested // may be a language of the versions
	}
	return &page{redirect: withLang(comparePrefix+"/"+url.PathEscape(before)+"/"+url.PathEscape(after), lang)}
}

// versionsIn returns the versions of the type of id, which has been resolved.
func versionsIn(choices []versionChoices, id taxonomy.ID) []taxonomy.ID {
	i := slices.IndexFunc(choices, func(c versionChoices) bool { return c.Type == id.Type })
	return choices[i].IDs
}

// compare is the page with the differences between two versions.
func (q *request) compare() (*page, error) {
	before, after := q.releases[0], q.releases[1]
	data := &comparePage{Title: q.text(after, after.Manifest.Title), Old: before.Name(), New: after.Name(), Choices: q.versionChoices()}
	p := &page{
		template: "compare.html", Title: q.ui.get("compare.title") + ": " + before.Name() + " → " + after.Name(),
		Description: q.ui.get("compare.lead"), Path: comparePath(before.ID(), after.ID()),
		Crumbs: q.crumbs(q.releaseCrumb(after)), Search: q.newSearchBox(after), Locales: after.Manifest.Locales, Data: data,
	}
	switch {
	case before.ID() == after.ID():
		data.Notice, p.NoIndex = "compare.same", true
		return p, nil
	case before.ID().Type != after.ID().Type:
		data.Notice, p.NoIndex = "compare.types", true
		return p, nil
	}
	data.Swapped = comparePath(after.ID(), before.ID())
	data.IsBackward = before.ID().Compare(after.ID()) > 0
	p.NoIndex = data.IsBackward
	between, isComplete := q.between(before, after)
	p.uncached = !isComplete
	meter, err := q.handler.Work.Start(q.Context(), q.client, q.budget(budget.Read))
	if err != nil {
		return nil, err
	}
	defer meter.Stop()
	comparison, err := compat.CompareIn(q.locale, before.Taxonomy, after.Taxonomy, between...)
	if err != nil {
		return nil, err
	}
	data.Report = diffview.New(comparison, diffview.Options{
		Words:      q.ui.diffWord,
		LocaleName: view.LanguageName,
		Locale:     q.locale,
		URL:        func(version taxonomy.ID, s compat.Subject) string { return q.subjectLink(version.String(), s) },
		CodeURL:    func(code problem.Code) string { return withLang(CodePath(code), q.chosen) },
		ForReaders: true,
		MaxEntries: maxCompared,
		MaxBytes:   maxComparedBytes,
	})
	if len(data.Report.Sections) == 0 {
		data.Notice = "compare.equal"
	}
	return p, nil
}

// between returns the versions between two releases, through which renames are
// followed. Those that are not in memory are loaded, within the budget of a read. The
// result is incomplete if one of them cannot be loaded.
func (q *request) between(before, after *release.Release) (versions []*taxonomy.Taxonomy, isComplete bool) {
	meter := q.budget(budget.Read).Start()
	defer meter.Stop()
	isComplete = true
	for _, id := range q.versionsOf(after.ID()) {
		if id.Compare(before.ID()) <= 0 || id.Compare(after.ID()) >= 0 {
			continue
		}
		r := q.snapshot.Lookup(id.String())
		if r == nil && meter.Step() == nil {
			r, _ = q.release(id.String())
		}
		if r == nil {
			isComplete = false
			continue
		}
		versions = append(versions, r.Taxonomy)
	}
	return versions, isComplete
}

// subjectLink returns a link to the page that shows an item of a version, or an empty
// string.
func (q *request) subjectLink(version string, s compat.Subject) string {
	path := ""
	switch {
	case s.Kind == compat.Element:
		path = elementPath(version, s.ID)
	case s.ElementID != "":
		path = elementPath(version, s.ElementID)
	case s.Kind == compat.Category:
		path = questionPath(version, s.ID)
	case s.CategoryID != "":
		path = questionPath(version, s.CategoryID)
	case s.Kind == compat.Version, s.Kind == compat.Type:
		path = explorePath(version)
	default:
		return ""
	}
	return withLang(path, q.chosen)
}

// diffWord returns a word of a report, as [diffview.Options] describes it.
func (t *texts) diffWord(key string, pairs ...any) string {
	key = "compare." + key
	if _, ok := t.find(key); !ok && isOptionalWord(key) {
		return ""
	}
	return t.get(key, pairs...)
}

func isOptionalWord(key string) bool {
	return slices.ContainsFunc([]string{"compare.field.", "compare.value.", "compare.meaning."}, func(prefix string) bool {
		return strings.HasPrefix(key, prefix)
	})
}

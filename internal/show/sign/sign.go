// Package sign renders a document as a sign to print and hang beside the device:
// its title, the most important placements as icons with a few words, the
// organisation that is responsible, and the address of the page as a QR code. It
// knows nothing about files, printers or HTTP.
package sign

import (
	"slices"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
	"placard/internal/show/qr"
	"placard/internal/show/view"
)

// MaxLocales is the maximum number of languages on a sign.
const MaxLocales = 2

// MaxElements is the maximum number of placements on a sign.
const MaxElements = 6

// Options configures a sign.
type Options struct {
	Code     qr.Code  // the address of the page; required
	Size     Size     // default A4
	Elements []string // ids of the placements or elements to show, in order; default those that the taxonomy ranks first

	// Step is called regularly; if it returns an error, so does [Render]. It may be nil.
	Step func() error
}

// Sign is a rendered sign.
type Sign struct {
	Size      Size
	Title     string
	Lang      string
	SVG       []byte
	Shortened []string // the texts that are shortened or missing, because there is no room for them
}

// Render renders a document as a sign. The models are views of the document in the
// languages of the sign, the first of which is more prominent; there are one or two of
// them. Two with the same locale count as one.
//
// Errors are problems. If an element is unknown or repeated, or there are too many, the
// path is elements. If there is no room for the placements, or for the address of the
// responsible organisation, there is no path.
func Render(models []*view.Model, opts Options) (*Sign, error) {
	l, err := arrange(models, opts)
	if err != nil {
		return nil, err
	}
	lang, title := models[0].Locale, models[0].Title.String()
	return &Sign{Size: l.size, Title: title, Lang: lang, SVG: l.svg(lang, title), Shortened: l.shortened}, nil
}

// arrange returns the layout of a sign.
func arrange(models []*view.Model, opts Options) (*layout, error) {
	if opts.Size == (Size{}) {
		opts.Size = Sizes[0]
	}
	if len(models) == 2 && models[0].Locale == models[1].Locale {
		models = models[:1]
	}
	printed := strings.TrimSuffix(strings.TrimPrefix(opts.Code.Address, "https://"), "/")
	c := &content{languageCount: len(models), code: opts.Code, address: newAddress(printed, regular, softInk)}
	for _, m := range models {
		highlights, err := choose(m, opts.Elements)
		if err != nil {
			return nil, err
		}
		c.add(m, highlights)
	}
	l := newLayout(c, opts.Size)
	if err := l.draw(opts.Step); err != nil {
		return nil, err
	}
	if l.withoutContact != "" {
		return nil, problem.New(problem.BadRequest, "There is no room for the address %q on the sign.", problem.Clip(l.withoutContact)).
			Hint("Use a shorter address in the document.")
	}
	return l, nil
}

// choose returns the placements to show, which are those with the given ids, or the
// highlights other than the responsible organisation, which has a place of its own.
// Remaining of each is the number of answers to count below it.
func choose(m *view.Model, ids []string) ([]view.Highlight, error) {
	if len(ids) == 0 {
		return slices.DeleteFunc(slices.Clone(m.Highlights), func(h view.Highlight) bool { return isResponsible(m, &h) }), nil
	}
	path := problem.Root.Field("elements")
	if len(ids) > MaxElements {
		return nil, problem.New(problem.BadRequest, "There are %d elements, but a sign has room for %d.", len(ids), MaxElements).
			In(path).Hint("Name the %d most important ones.", MaxElements)
	}
	var highlights []view.Highlight
	for _, id := range ids {
		h, ok := m.Placed(id)
		if !ok {
			p := problem.New(problem.BadRequest, "The document has no placement %q.", problem.Clip(id)).In(path)
			if hint := problem.DidYouMean(id, m.PlacedIDs()); hint != "" {
				return nil, p.Hint("%s", hint)
			}
			return nil, p.Hint("Use the element_id or the element_instance_id of a placement, such as %s.", problem.Listing(m.PlacedIDs(), MaxElements))
		}
		if slices.ContainsFunc(highlights, func(other view.Highlight) bool {
			return other.ElementID == h.ElementID && other.InstanceID == h.InstanceID
		}) {
			return nil, problem.New(problem.BadRequest, "The placement %q is listed twice.", problem.Clip(id)).In(path).
				Hint("List each placement once. To show two placements of an element, use their element_instance_id.")
		}
		highlights = append(highlights, h)
	}
	countOthers(highlights)
	return highlights, nil
}

// isResponsible reports whether a highlight is the responsible organisation.
func isResponsible(m *view.Model, h *view.Highlight) bool {
	return m.Responsible != nil && h.Heading.String() == m.Responsible.Name.String()
}

// countOthers lets the last highlight of each category count the placements that are
// not shown.
func countOthers(highlights []view.Highlight) {
	shown := make(map[string]int)
	for i := range highlights {
		h := &highlights[i]
		shown[h.Category]++
		if h.Category == "" || slices.ContainsFunc(highlights[i+1:], func(other view.Highlight) bool { return other.Category == h.Category }) {
			h.Remaining = 0
		} else {
			h.Remaining -= shown[h.Category] - 1
		}
	}
}

// ParseElements returns the ids in a list that is separated by commas.
func ParseElements(list string) []string {
	return slices.DeleteFunc(split(list), func(id string) bool { return id == "" })
}

// ParseLocales returns the locales in a list that is separated by commas. An empty list
// has one empty locale.
func ParseLocales(list string) ([]string, error) {
	locales := split(list)
	if len(locales) > MaxLocales {
		return nil, problem.New(problem.BadRequest, "A sign has at most %d languages.", MaxLocales).
			In(problem.Root.Field("locale")).Hint("Render one sign for each pair of languages.")
	}
	for _, locale := range locales {
		if list != "" && !taxonomy.IsLocale(locale) {
			return nil, problem.New(problem.BadRequest, "%q is not a locale.", problem.Clip(locale)).
				In(problem.Root.Field("locale")).Hint("Use the form en or pt-BR, or two such locales as in en,fr.")
		}
	}
	return locales, nil
}

// split returns the parts of a list that is separated by commas.
func split(list string) []string {
	parts := strings.Split(list, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

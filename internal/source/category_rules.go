package source

import (
	"path"
	"slices"
	"strconv"

	"placard/internal/problem"
	"placard/internal/taxonomy"
)

var categoryRules = []Rule{
	categoriesMissing, categoryUnknown, categoryNotListed, categoryListedTwice, categoryEmpty,
	subchainCategoryUnknown, shapeUnknown, minAboveMax,
}

var categoriesMissing = Rule{
	Rule: problem.Rule{
		Code:     "CATEGORIES_MISSING",
		Severity: problem.Error,
		Title:    "A release has a category.",
		Why:      "There would be no question for a disclosure to answer.",
		Example:  "-- categories/place.yaml --\n" + change(goodType, "[place]", "[]"),
	},
	check: func(t *tree, found finder) {
		if len(t.categories) == 0 && len(t.datachain.Categories) == 0 && !t.datachain.broken() {
			found(t.datachain.at("categories"), "The release has no categories.").
				FixHint = "Add a file to " + categoryFolder + "/ and list its id here."
		}
	},
}

var categoryUnknown = Rule{
	Rule: problem.Rule{
		Code:     "CATEGORY_UNKNOWN",
		Severity: problem.Error,
		Title:    "Every category that the type lists has a file.",
		Why:      "The disclosure would have a section that nobody defined.",
		Example:  change(goodType, "[place]", "[place, owner]"),
	},
	check: func(t *tree, found finder) {
		if t.hidesCategory() {
			return
		}
		known := t.categoryIDs()
		exists := setOf(known)
		for i, id := range t.datachain.Categories {
			if id != "" && !exists[id] {
				found(t.datachain.at("categories", i), "There is no category %q.", problem.Clip(id)).
					FixHint = t.hints.offer(id, known, "Add "+strconv.Quote(path.Join(categoryFolder, problem.Clip(id)+".yaml"))+", or take it out of the list.")
			}
		}
	},
}

var categoryNotListed = Rule{
	Rule: problem.Rule{
		Code:     "CATEGORY_NOT_LISTED",
		Severity: problem.Error,
		Title:    "Every category is listed by the type.",
		Why:      "The list gives the order in which categories are shown; one that is not there has no place.",
		Example: goodCategory + change(change(goodCategory, "place.yaml", "owner.yaml"), "id: place", "id: owner") +
			goodElement + change(change(change(goodElement, "street.yaml", "city.yaml"), "id: street", "id: city"), "id: place", "id: owner"),
	},
	check: func(t *tree, found finder) {
		if !t.datachain.listsWhole() {
			return
		}
		listed := setOf(t.datachain.Categories)
		for _, c := range t.categories {
			if !c.guessed() && !listed[c.ID] {
				found(c.at("id"), "The type does not list the category %q.", problem.Clip(c.ID)).
					FixHint = "Add it to the categories in " + typeFile + ", where it belongs in their order."
			}
		}
	},
}

var categoryListedTwice = Rule{
	Rule: problem.Rule{
		Code:     "CATEGORY_LISTED_TWICE",
		Severity: problem.Error,
		Title:    "The type lists a category once.",
		Why:      "A category has one place in the order.",
		Example:  change(goodType, "[place]", "[place, place]"),
	},
	check: func(t *tree, found finder) {
		listed := map[string]bool{}
		for i, id := range t.datachain.Categories {
			if id != "" && listed[id] {
				found(t.datachain.at("categories", i), "The category %q is listed twice.", problem.Clip(id)).FixHint = "Keep the place where it belongs."
			}
			listed[id] = true
		}
	},
}

var categoryEmpty = Rule{
	Rule: problem.Rule{
		Code:     "CATEGORY_EMPTY",
		Severity: problem.Warning,
		Title:    "A category has elements.",
		Why:      "Its question has no answer; if it is required, no disclosure can ever be complete.",
		Example: change(goodType, "[place]", "[place, owner]") +
			change(change(goodCategory, "place.yaml", "owner.yaml"), "id: place", "id: owner"),
	},
	check: func(t *tree, found finder) {
		used, complete := t.uses(t.categoryIDs(), func(e element) string { return e.CategoryID })
		for _, c := range t.categories {
			if complete && !used[c.ID] && !c.guessed() {
				found(c.at("id"), "No element is in the category %q.", problem.Clip(c.ID)).
					FixHint = "Add elements with category_id: " + strconv.Quote(problem.Clip(c.ID)) + ", or remove the category."
			}
		}
	},
}

// uses returns which of known the elements refer to, and whether that tells
// what is not used: there are elements, and all their references are good.
func (t *tree) uses(known []string, id func(element) string) (used map[string]bool, complete bool) {
	used = map[string]bool{}
	exists := setOf(known)
	complete = len(t.elements) > 0
	for _, e := range t.elements {
		used[id(e)] = true
		complete = complete && exists[id(e)]
	}
	return used, complete
}

var subchainCategoryUnknown = Rule{
	Rule: problem.Rule{
		Code:     "SUBCHAIN_CATEGORY_UNKNOWN",
		Severity: problem.Error,
		Title:    "A subchain is made of the release's categories.",
		Why:      "The chain would have a link that does not exist.",
		Example:  goodType + "subchains: [{id: way, name: {en: Way, fr: Voie}, categories: [place, owner]}]\n",
	},
	check: func(t *tree, found finder) {
		if t.hidesCategory() {
			return
		}
		known := t.categoryIDs()
		exists := setOf(known)
		for i, s := range t.datachain.Subchains {
			for j, id := range s.Categories {
				if id != "" && !exists[id] {
					found(t.datachain.at("subchains", i, "categories", j), "There is no category %q.", problem.Clip(id)).
						FixHint = t.hints.offer(id, known, "Take it out of the subchain.")
				}
			}
		}
	},
}

var shapeUnknown = Rule{
	Rule: problem.Rule{
		Code:     "SHAPE_UNKNOWN",
		Severity: problem.Error,
		Title:    "A category's shape is circle, hexagon, octagon or rounded-square.",
		Why:      "Icons of any other shape cannot be drawn.",
		Example:  change(goodCategory, "circle", "square"),
	},
	check: func(t *tree, found finder) {
		var names []string
		for _, s := range taxonomy.Shapes {
			names = append(names, string(s))
		}
		for _, c := range t.categories {
			if c.Shape != "" && !slices.Contains(taxonomy.Shapes, c.Shape) {
				found(c.at("shape"), "There is no shape %q.", problem.Clip(string(c.Shape))).
					FixHint = t.hints.offer(string(c.Shape), names, "Use "+problem.Or(names)+".")
			}
		}
	},
}

var minAboveMax = Rule{
	Rule: problem.Rule{
		Code:     "MIN_ABOVE_MAX",
		Severity: problem.Error,
		Title:    "min_elements is not above max_elements.",
		Why:      "No disclosure could keep to both.",
		Example:  goodCategory + "min_elements: 3\nmax_elements: 2\n",
	},
	check: func(t *tree, found finder) {
		for _, c := range t.categories {
			if c.MaxElements > 0 && c.MinElements > c.MaxElements {
				found(c.at("min_elements"), "At least %d elements and at most %d cannot both hold.", c.MinElements, c.MaxElements).
					FixHint = "Lower min_elements, or raise max_elements."
			}
		}
	},
}

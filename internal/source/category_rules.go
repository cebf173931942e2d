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
		Title:    "A release must have at least one category.",
		Why:      "A disclosure would have no questions to answer.",
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
		Title:    "Every category that the type lists must have a file.",
		Why:      "The disclosure would have an undefined section.",
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
					FixHint = t.hints.offer(id, known, "Add the file "+strconv.Quote(path.Join(categoryFolder, problem.Clip(id)+".yaml"))+", or remove the id from the list.")
			}
		}
	},
}

var categoryNotListed = Rule{
	Rule: problem.Rule{
		Code:     "CATEGORY_NOT_LISTED",
		Severity: problem.Error,
		Title:    "The type must list every category.",
		Why:      "The list gives the order in which categories are shown, so an unlisted category has no position.",
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
					FixHint = "Add it to the categories in " + typeFile + ", at the position where it should be shown."
			}
		}
	},
}

var categoryListedTwice = Rule{
	Rule: problem.Rule{
		Code:     "CATEGORY_LISTED_TWICE",
		Severity: problem.Error,
		Title:    "The type must list each category only once.",
		Why:      "A category has only one position in the order.",
		Example:  change(goodType, "[place]", "[place, place]"),
	},
	check: func(t *tree, found finder) {
		listed := map[string]bool{}
		for i, id := range t.datachain.Categories {
			if id != "" && listed[id] {
				found(t.datachain.at("categories", i), "The category %q is listed twice.", problem.Clip(id)).FixHint = "Remove one of the two entries."
			}
			listed[id] = true
		}
	},
}

var categoryEmpty = Rule{
	Rule: problem.Rule{
		Code:     "CATEGORY_EMPTY",
		Severity: problem.Warning,
		Title:    "A category should have elements.",
		Why:      "Its question cannot be answered, and if it is required, no disclosure can be complete.",
		Example: change(goodType, "[place]", "[place, owner]") +
			change(change(goodCategory, "place.yaml", "owner.yaml"), "id: place", "id: owner"),
	},
	check: func(t *tree, found finder) {
		used, complete := t.uses(t.categoryIDs(), func(e element) string { return e.CategoryID })
		for _, c := range t.categories {
			if complete && !used[c.ID] && !c.guessed() {
				found(c.at("id"), "The category %q has no elements.", problem.Clip(c.ID)).
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
		Title:    "A subchain must contain only categories of the release.",
		Why:      "The subchain would have a link that does not exist.",
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
						FixHint = t.hints.offer(id, known, "Remove the id from the subchain.")
				}
			}
		}
	},
}

var shapeUnknown = Rule{
	Rule: problem.Rule{
		Code:     "SHAPE_UNKNOWN",
		Severity: problem.Error,
		Title:    "A category's shape must be circle, hexagon, octagon or rounded-square.",
		Why:      "Icons can be drawn only in these shapes.",
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
		Title:    "min_elements must not be greater than max_elements.",
		Why:      "No disclosure could satisfy both.",
		Example:  goodCategory + "min_elements: 3\nmax_elements: 2\n",
	},
	check: func(t *tree, found finder) {
		for _, c := range t.categories {
			if c.MaxElements > 0 && c.MinElements > c.MaxElements {
				found(c.at("min_elements"), "min_elements is %d, but max_elements is only %d.", c.MinElements, c.MaxElements).
					FixHint = "Lower min_elements or raise max_elements."
			}
		}
	},
}

package source

import (
	"slices"
	"strconv"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

var categoryRules = []rule{
	categoriesMissing, categoryUnknown, categoryNotListed, categoryListedTwice, categoryOrderDuplicate, categoryEmpty,
	subchainCategoryUnknown, shapeUnknown, minAboveMax,
}

var categoriesMissing = rule{
	Rule: problem.Rule{
		Code:     "CATEGORIES_MISSING",
		Severity: problem.Error,
		Title:    "A release must have at least one category.",
		Why:      "A disclosure would have no questions to answer.",
		Example:  "-- categories/place.yaml --\n" + replace(minimalType, "[place]", "[]"),
	},
	check: func(t *tree, report reportFunc) {
		if len(t.categories) == 0 && len(t.datachain.Categories) == 0 && !t.datachain.broken() && !t.misspells(t.datachain.document, "categories") {
			report(t.datachain.pos("categories"), "The release has no categories.").
				FixHint = "Add a file to " + categoryFolder + "/ and list its id here."
		}
	},
}

var categoryUnknown = rule{
	Rule: problem.Rule{
		Code:     "CATEGORY_UNKNOWN",
		Severity: problem.Error,
		Title:    "Every category that the type lists must have a file.",
		Why:      "The disclosure would have an undefined section.",
		Example:  replace(minimalType, "[place]", "[place, owner]"),
	},
	check: func(t *tree, report reportFunc) {
		if t.hasCategoryWithoutID() {
			return
		}
		ids := t.categoryIDs()
		known, exists := validIDs(ids), newSet(ids)
		used, _ := t.usedIDs(ids, func(e element) string { return e.CategoryID })
		for i, id := range t.datachain.Categories {
			if id != "" && !exists[id] {
				hint := addFileHint(categoryFolder, id, ".yaml")
				if !used[id] {
					hint += ", or remove the id from the list"
				}
				report(t.datachain.pos("categories", i), "There is no category %q.", problem.Clip(id)).FixHint = t.hints.suggest(id, known, hint+".")
			}
		}
	},
}

var categoryNotListed = rule{
	Rule: problem.Rule{
		Code:     "CATEGORY_NOT_LISTED",
		Severity: problem.Error,
		Title:    "The type must list every category.",
		Why:      "The list gives the order in which categories are shown, so an unlisted category has no position.",
		Example: minimalCategory + replace(replace(minimalCategory, "place.yaml", "owner.yaml"), "id: place", "id: owner") +
			minimalElement + replace(replace(replace(minimalElement, "street.yaml", "city.yaml"), "id: street", "id: city"), "id: place", "id: owner"),
	},
	check: func(t *tree, report reportFunc) {
		if !t.datachain.categoriesComplete() || t.misspells(t.datachain.document, "categories") {
			return
		}
		listed := newSet(t.datachain.Categories)
		for _, c := range t.categories {
			if !c.idFromFileName && !listed[c.ID] && isValidID(c.ID) {
				report(c.pos("id"), "The type does not list the category %q.", problem.Clip(c.ID)).
					FixHint = "Add it to the categories in " + typeFile + ", at the position where it should be shown."
			}
		}
	},
}

var categoryListedTwice = rule{
	Rule: problem.Rule{
		Code:     "CATEGORY_LISTED_TWICE",
		Severity: problem.Error,
		Title:    "The type, and each of its subchains, must list a category only once.",
		Why:      "A category has only one position in the order.",
		Example:  replace(minimalType, "[place]", "[place, place]"),
	},
	check: func(t *tree, report reportFunc) {
		check := func(ids []string, path ...any) {
			listed := map[string]bool{}
			for i, id := range ids {
				if id != "" && listed[id] {
					report(t.datachain.pos(append(path, i)...), "The category %q is listed twice.", problem.Clip(id)).FixHint = "Remove one of the two entries."
				}
				listed[id] = true
			}
		}
		check(t.datachain.Categories, "categories")
		for i, s := range t.datachain.Subchains {
			check(s.Categories, "subchains", i, "categories")
		}
	},
}

var categoryOrderDuplicate = rule{
	Rule: problem.Rule{
		Code:     "CATEGORY_ORDER_DUPLICATE",
		Severity: problem.Warning,
		Title:    "Two categories should not have the same order.",
		Why:      "Programs that sort categories by order cannot tell which of them is first.",
		Example: replace(minimalType, "[place]", "[place, owner]") + minimalCategory + "order: 1\n" +
			replace(replace(minimalCategory, "place.yaml", "owner.yaml"), "id: place", "id: owner") + "order: 1\n" +
			replace(roadElement, "id: place", "id: owner"),
	},
	check: func(t *tree, report reportFunc) {
		first := map[int]category{}
		for _, c := range t.categories {
			if c.order == nil {
				continue
			}
			if other, ok := first[*c.order]; ok {
				report(c.pos("order"), "The category %q has the same order, %d.", problem.Clip(other.ID), *c.order).
					FixHint = "Write another number, or remove order: categories without it are numbered as the type lists them."
				continue
			}
			first[*c.order] = c
		}
	},
}

var categoryEmpty = rule{
	Rule: problem.Rule{
		Code:     "CATEGORY_EMPTY",
		Severity: problem.Warning,
		Title:    "A category should have elements.",
		Why:      "Its question cannot be answered, and if it is required, no disclosure can be complete.",
		Example: replace(minimalType, "[place]", "[place, owner]") +
			replace(replace(minimalCategory, "place.yaml", "owner.yaml"), "id: place", "id: owner"),
	},
	check: func(t *tree, report reportFunc) {
		used, complete := t.usedIDs(t.categoryIDs(), func(e element) string { return e.CategoryID })
		for _, c := range t.categories {
			if complete && !used[c.ID] && isValidID(c.ID) && !c.idFromFileName {
				report(c.pos("id"), "The category %q has no elements.", problem.Clip(c.ID)).
					FixHint = "Add elements with category_id: " + strconv.Quote(problem.Clip(c.ID)) + ", or remove the category."
			}
		}
	},
}

// usedIDs returns the ids that elements refer to. It returns complete = false if
// nothing can be said about unused ids, because there are no elements, or some
// refer to unknown ids.
func (t *tree) usedIDs(known []string, id func(element) string) (used map[string]bool, complete bool) {
	used = map[string]bool{}
	exists := newSet(known)
	complete = len(t.elements) > 0
	for _, e := range t.elements {
		used[id(e)] = true
		complete = complete && exists[id(e)]
	}
	return used, complete
}

var subchainCategoryUnknown = rule{
	Rule: problem.Rule{
		Code:     "SUBCHAIN_CATEGORY_UNKNOWN",
		Severity: problem.Error,
		Title:    "A subchain must contain only categories of the release.",
		Why:      "The subchain would have a link that does not exist.",
		Example:  minimalType + "subchains: [{id: way, name: {en: Way, fr: Voie}, categories: [place, owner]}]\n",
	},
	check: func(t *tree, report reportFunc) {
		if t.hasCategoryWithoutID() {
			return
		}
		ids := t.categoryIDs()
		known, exists, reported := validIDs(ids), newSet(ids), t.missingCategories()
		for i, s := range t.datachain.Subchains {
			for j, id := range s.Categories {
				if id != "" && !exists[id] && !reported[id] {
					report(t.datachain.pos("subchains", i, "categories", j), "There is no category %q.", problem.Clip(id)).
						FixHint = t.hints.suggest(id, known, "Remove the id from the subchain.")
				}
			}
		}
	},
}

var shapeUnknown = rule{
	Rule: problem.Rule{
		Code:     "SHAPE_UNKNOWN",
		Severity: problem.Error,
		Title:    "A category's shape must be circle, hexagon, octagon or rounded-square.",
		Why:      "Icons can be drawn only in these shapes.",
		Example:  replace(minimalCategory, "circle", "square"),
	},
	check: func(t *tree, report reportFunc) {
		var names []string
		for _, s := range taxonomy.Shapes {
			names = append(names, string(s))
		}
		for _, c := range t.categories {
			if c.Shape != "" && !slices.Contains(taxonomy.Shapes, c.Shape) {
				report(c.pos("shape"), "There is no shape %q.", problem.Clip(string(c.Shape))).
					FixHint = t.hints.suggest(string(c.Shape), names, "Use "+problem.Or(names)+".")
			}
		}
	},
}

var minAboveMax = rule{
	Rule: problem.Rule{
		Code:     "MIN_ABOVE_MAX",
		Severity: problem.Error,
		Title:    "min_elements must not be greater than max_elements.",
		Why:      "No disclosure could satisfy both.",
		Example:  minimalCategory + "min_elements: 3\nmax_elements: 2\n",
	},
	check: func(t *tree, report reportFunc) {
		for _, c := range t.categories {
			if c.MaxElements > 0 && c.MinElements > c.MaxElements {
				report(c.pos("min_elements"), "min_elements is %d, but max_elements is only %d.", c.MinElements, c.MaxElements).
					FixHint = "Lower min_elements or raise max_elements."
			}
		}
	},
}

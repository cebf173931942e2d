package source

import (
	"path"
	"strconv"

	"placard/internal/problem"
)

var elementRules = []Rule{elementsMissing, elementCategoryUnknown, elementSymbolUnknown, symbolUnused}

var elementsMissing = Rule{
	Rule: problem.Rule{
		Code:     "ELEMENTS_MISSING",
		Severity: problem.Error,
		Title:    "A release has an element.",
		Why:      "There would be nothing for a disclosure to say.",
		Example:  "-- elements/street.yaml --\n",
	},
	check: func(t *tree, found finder) {
		if len(t.elements) == 0 {
			found(problem.Pos{File: path.Join(t.id.Folder(), elementFolder)}, "The release has no elements.").
				FixHint = "Add a file for each to " + elementFolder + "/."
		}
	},
}

var elementCategoryUnknown = Rule{
	Rule: problem.Rule{
		Code:     "ELEMENT_CATEGORY_UNKNOWN",
		Severity: problem.Error,
		Title:    "An element is in a category of the release.",
		Why:      "Without its category an element has no shape, no variables and no place.",
		Example:  change(goodElement, "category_id: place", "category_id: palce"),
	},
	check: func(t *tree, found finder) {
		known := t.categoryIDs()
		if len(known) == 0 || t.hidesCategory() {
			return
		}
		listed := "The categories are " + listing(known) + "."
		exists := setOf(known)
		for _, e := range t.elements {
			if e.CategoryID != "" && !exists[e.CategoryID] {
				found(e.at("category_id"), "There is no category %q.", problem.Clip(e.CategoryID)).
					FixHint = t.hints.offer(e.CategoryID, known, listed)
			}
		}
	},
}

var elementSymbolUnknown = Rule{
	Rule: problem.Rule{
		Code:     "ELEMENT_SYMBOL_UNKNOWN",
		Severity: problem.Error,
		Title:    "An element's symbol is a file of the release.",
		Why:      "Its icon could not be drawn.",
		Example:  change(goodElement, "symbol_id: street", "symbol_id: stret"),
	},
	check: func(t *tree, found finder) {
		known := t.symbolIDs()
		exists := setOf(known)
		for _, e := range t.elements {
			if e.SymbolID != "" && !exists[e.SymbolID] {
				found(e.at("symbol_id"), "There is no symbol %q.", problem.Clip(e.SymbolID)).
					FixHint = t.hints.offer(e.SymbolID, known, "Add "+strconv.Quote(path.Join(symbolFolder, problem.Clip(e.SymbolID)+".svg"))+".")
			}
		}
	},
}

var symbolUnused = Rule{
	Rule: problem.Rule{
		Code:     "SYMBOL_UNUSED",
		Severity: problem.Warning,
		Title:    "Every symbol is used by an element.",
		Why:      "A drawing that nothing uses is carried along for ever, or the element that should use it is misspelt.",
		Example:  change(goodSymbol, "street.svg", "road.svg"),
	},
	check: func(t *tree, found finder) {
		used, complete := t.uses(t.symbolIDs(), func(e element) string { return e.SymbolID })
		for _, s := range t.symbols {
			if complete && !used[s.id] {
				found(problem.Pos{File: s.file}, "No element uses the symbol %q.", problem.Clip(s.id)).FixHint = "Remove it, or use it."
			}
		}
	},
}

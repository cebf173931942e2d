package source

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

var elementRules = []rule{elementsMissing, elementTitleDuplicate, elementCategoryUnknown, elementSymbolUnknown, symbolUnused, excludedElementUnknown, excludedElementItself, excludedElementDuplicate, replacedElementExists, replacedElementDuplicate, replacedElementUnknown, deprecationUnclear, keywordDuplicate, keywordTooLong, keywordsTooMany}

var elementsMissing = rule{
	Rule: problem.Rule{
		Code:     "ELEMENTS_MISSING",
		Severity: problem.Error,
		Title:    "A release must have at least one element.",
		Why:      "Disclosures consist of elements, so none could be written.",
		Example:  "-- elements/street.yaml --\n",
	},
	check: func(t *tree, report reportFunc) {
		if len(t.elements) == 0 {
			report(problem.Pos{File: path.Join(t.id.Folder(), elementFolder)}, "The release has no elements.").
				FixHint = "Add a file for each element to " + elementFolder + "/."
		}
	},
}

var elementTitleDuplicate = rule{
	Rule: problem.Rule{
		Code:     "ELEMENT_TITLE_DUPLICATE",
		Severity: problem.Warning,
		Title:    "The elements of a category should have different titles in every locale.",
		Why:      "Readers and authors cannot tell elements with the same title apart.",
		Example:  minimalElement + replace(roadElement, "fr: Route", "fr: Rue"),
	},
	check: func(t *tree, report reportFunc) {
		type key struct{ category, locale, title string }
		first := map[key]element{}
		for _, e := range t.elements {
			for _, text := range e.Title {
				k := key{e.CategoryID, strings.ToLower(text.Locale), strings.ToLower(strings.TrimSpace(text.Value))}
				if k.title == "" || k.category == "" {
					continue
				}
				other, ok := first[k]
				if !ok {
					first[k] = e
				} else if other.ID != e.ID {
					report(e.pos("title", text.Locale), "The element %q has the same title in %q.", problem.Clip(other.ID), problem.Clip(text.Locale)).
						FixHint = "Write what distinguishes the two."
					break
				}
			}
		}
	},
}

var elementCategoryUnknown = rule{
	oneCause: true,
	Rule: problem.Rule{
		Code:     "ELEMENT_CATEGORY_UNKNOWN",
		Severity: problem.Error,
		Title:    "An element must belong to a category of the release.",
		Why:      "An element takes its shape, its variables and its position from its category.",
		Example:  replace(minimalElement, "category_id: place", "category_id: palce"),
	},
	check: func(t *tree, report reportFunc) {
		ids := t.categoryIDs()
		if len(ids) == 0 || t.hasCategoryWithoutID() {
			return
		}
		known := validIDs(ids)
		fallback := "Use a category of the release: " + quotedList(known) + "."
		exists, reported := newSet(ids), t.missingCategories()
		for _, e := range t.elements {
			if e.CategoryID != "" && !exists[e.CategoryID] && !reported[e.CategoryID] {
				report(e.pos("category_id"), "There is no category %q.", problem.Clip(e.CategoryID)).
					FixHint = t.hints.suggest(e.CategoryID, known, fallback)
			}
		}
	},
}

var elementSymbolUnknown = rule{
	oneCause: true,
	Rule: problem.Rule{
		Code:     "ELEMENT_SYMBOL_UNKNOWN",
		Severity: problem.Error,
		Title:    "An element's symbol must be a file in symbols/.",
		Why:      "The element's icon could not be drawn.",
		Example:  replace(minimalElement, "symbol_id: street", "symbol_id: stret"),
	},
	check: func(t *tree, report reportFunc) {
		ids := t.symbolIDs()
		known, exists := validIDs(ids), newSet(ids)
		for _, e := range t.elements {
			if e.SymbolID != "" && !exists[e.SymbolID] {
				report(e.pos("symbol_id"), "There is no symbol %q.", problem.Clip(e.SymbolID)).
					FixHint = t.hints.suggest(e.SymbolID, known, addFileHint(symbolFolder, e.SymbolID, ".svg")+".")
			}
		}
	},
}

var symbolUnused = rule{
	Rule: problem.Rule{
		Code:     "SYMBOL_UNUSED",
		Severity: problem.Warning,
		Title:    "Every symbol should be used by an element.",
		Why:      "Either the symbol is not needed, or an element misspells its id.",
		Example:  replace(minimalSymbol, "street.svg", "road.svg"),
	},
	check: func(t *tree, report reportFunc) {
		used, complete := t.usedIDs(t.symbolIDs(), func(e element) string { return e.SymbolID })
		for _, s := range t.symbols {
			if complete && !used[s.id] && isValidID(s.id) {
				report(problem.Pos{File: s.file}, "No element uses the symbol %q.", problem.Clip(s.id)).FixHint = "Delete the file, or use its id as the symbol_id of an element."
			}
		}
	},
}

var excludedElementUnknown = rule{
	Rule: problem.Rule{
		Code:     "EXCLUDED_ELEMENT_UNKNOWN",
		Severity: problem.Error,
		Title:    "excludes must name elements of the release.",
		Why:      "An element that does not exist is never placed, so the contradiction would go unnoticed.",
		Example:  minimalElement + "excludes: [avenue]\n",
	},
	check: func(t *tree, report reportFunc) {
		if t.hasElementWithoutID() {
			return
		}
		ids := t.elementIDs()
		known, exists, now := validIDs(ids), newSet(ids), t.replacedHints()
		for _, e := range t.elements {
			for i, id := range e.Excludes {
				if id != "" && !exists[id] {
					report(e.pos("excludes", i), "There is no element %q.", problem.Clip(id)).
						FixHint = cmp.Or(now[id], t.hints.suggest(id, known, "Use the id of an element of this release, or remove it."))
				}
			}
		}
	},
}

var excludedElementItself = rule{
	Rule: problem.Rule{
		Code:     "EXCLUDED_ELEMENT_ITSELF",
		Severity: problem.Error,
		Title:    "An element must not exclude itself.",
		Why:      "No document could place it.",
		Example:  minimalElement + "excludes: [street]\n",
	},
	check: func(t *tree, report reportFunc) {
		for _, e := range t.elements {
			for i, id := range e.Excludes {
				if id == e.ID {
					report(e.pos("excludes", i), "The element %q excludes itself.", problem.Clip(id)).
						FixHint = "Remove it from excludes. To allow only one placement, write max_placements: 1."
				}
			}
		}
	},
}

var excludedElementDuplicate = rule{
	Rule: problem.Rule{
		Code:     "EXCLUDED_ELEMENT_DUPLICATE",
		Severity: problem.Warning,
		Title:    "excludes should name each element once.",
		Why:      "The second mention has no effect; another element may have been meant.",
		Example:  minimalElement + "excludes: [road, road]\n" + roadElement,
	},
	check: func(t *tree, report reportFunc) {
		for _, e := range t.elements {
			seen := map[string]bool{}
			for i, id := range e.Excludes {
				repeated := seen[id]
				seen[id] = true
				if id != "" && repeated {
					report(e.pos("excludes", i), "excludes already contains %q.", problem.Clip(id)).
						FixHint = "Remove it, or name the element that was meant."
				}
			}
		}
	},
}

// replacedHints returns hints about the ids that elements had in earlier releases.
func (t *tree) replacedHints() map[string]string {
	hints := map[string]string{}
	for _, e := range t.elements {
		for _, old := range e.Replaces {
			hints[old] = fmt.Sprintf("%q is now %q.", problem.Clip(old), problem.Clip(e.ID))
		}
	}
	return hints
}

var replacedElementExists = rule{
	Rule: problem.Rule{
		Code:     "REPLACED_ELEMENT_EXISTS",
		Severity: problem.Error,
		Title:    "replaces must name an id that the release no longer has.",
		Why:      "Documents that use the old id are moved to the new one, which is wrong while the old id exists.",
		Example:  minimalElement + "replaces: road\n" + roadElement,
	},
	check: func(t *tree, report reportFunc) {
		for l := range t.idLists {
			exists := newSet(l.ids)
			for _, old := range l.replaced {
				switch {
				case old.id == old.by:
					report(old.pos, "The %s %q replaces itself.", l.kind, problem.Clip(old.id)).
						FixHint = fmt.Sprintf("Write the id that the %s had in earlier releases, or remove replaces.", l.kind)
				case exists[old.id]:
					report(old.pos, "The release still has the %s %q.", l.kind, problem.Clip(old.id)).
						FixHint = fmt.Sprintf("Delete that %s, or remove replaces.", l.kind)
				}
			}
		}
	},
}

var replacedElementDuplicate = rule{
	Rule: problem.Rule{
		Code:     "REPLACED_ELEMENT_DUPLICATE",
		Severity: problem.Error,
		Title:    "An id must not be replaced twice.",
		Why:      "Placard could not tell what a document that uses the old id means.",
		Example: minimalElement + "replaces: avenue\n" +
			roadElement + "replaces: avenue\n",
	},
	check: func(t *tree, report reportFunc) {
		for l := range t.idLists {
			first := map[string]problem.Pos{}
			for _, old := range l.replaced {
				other, duplicate := first[old.id]
				if !duplicate {
					first[old.id] = old.pos
					continue
				}
				report(old.pos, "The %s %q is already replaced at %q.", l.kind, problem.Clip(old.id), t.relativePos(other)).
					FixHint = fmt.Sprintf("Keep replaces in the %s that is closest in meaning, and remove it from the other.", l.kind)
			}
		}
	},
}

var replacedElementUnknown = rule{
	Rule: problem.Rule{
		Code:     "REPLACED_ELEMENT_UNKNOWN",
		Severity: problem.Warning,
		Title:    "replaces should name an element of an earlier release in the tree.",
		Why:      "Documents that use the old id cannot be upgraded if it is misspelt.",
		Example:  minimalElement + "replaces: raod\n-- ../2026-01-01-beta/elements/road.yaml --\nid: road\n",
	},
}

var deprecationUnclear = rule{
	Rule: problem.Rule{
		Code:     "DEPRECATION_UNCLEAR",
		Severity: problem.Error,
		Title:    "deprecated must have a message, or name in use elements of the release that are not deprecated, and since must be a date or a version.",
		Why:      "Authors of documents that place the element could not tell what to do.",
		Example:  minimalElement + "deprecated: {since: 2026-01-01}\n",
	},
	check: func(t *tree, report reportFunc) {
		isDeprecated := map[string]bool{}
		for _, e := range t.elements {
			isDeprecated[e.ID] = e.Deprecated != nil
		}
		for _, e := range t.elements {
			d := e.Deprecated
			if d == nil {
				continue
			}
			if len(d.Message) == 0 && len(d.Use) == 0 {
				report(e.pos("deprecated"), "deprecated does not say what to do instead.").FixHint = "Write a message, or in use the id of the element to place instead."
			}
			_, err := time.Parse(time.DateOnly, d.Since)
			if _, notID := taxonomy.ParseID(d.Since); d.Since != "" && err != nil && notID != nil {
				report(e.pos("deprecated", "since"), "%q is neither a date nor a version.", problem.Clip(d.Since)).FixHint = "Write a date such as 2026-01-31, or remove since."
			}
			for i, id := range d.Use {
				if deprecated, exists := isDeprecated[id]; deprecated || !exists {
					report(e.pos("deprecated", "use", i), "The release has no element %q that is not deprecated.", problem.Clip(id)).
						FixHint = "Use the id of an element of this release that is not deprecated."
				}
			}
		}
	},
}

// reportUnknownReplaced reports ids in replaces that no earlier release of the type in
// the tree has a file for. Without an earlier release, nothing is known about them.
func (r *reader) reportUnknownReplaced(t *tree) {
	exists := newSet(t.elementIDs())
	earlier, ok := r.earlierElements()
	if !ok {
		return
	}
	removed := validIDs(slices.DeleteFunc(slices.Clone(earlier), func(id string) bool { return exists[id] }))
	known := newSet(earlier)
	for _, e := range t.elements {
		for _, old := range replacedIDs(e.ID, e.Replaces, e.pos) {
			if isValidID(old.id) && !exists[old.id] && !known[old.id] {
				r.report(replacedElementUnknown, old.pos, "No earlier release in the tree has the element %q.", old.id).
					FixHint = t.hints.suggest(old.id, removed, "Write the id that the element had in an earlier release, or remove replaces.")
			}
		}
	}
}

// earlierElements returns the names of the files of elements in older releases of the
// type. It returns false if there are none.
func (r *reader) earlierElements() (names []string, ok bool) {
	entries, _ := fs.ReadDir(r.fsys, r.id.Type) // An unreadable folder is reported elsewhere.
	for _, entry := range entries {
		id, err := taxonomy.ParseIDParts(r.id.Type, entry.Name())
		if err != nil || id.Compare(r.id) >= 0 {
			continue
		}
		ok = true
		files, _ := fs.Glob(r.fsys, path.Join(id.Folder(), elementFolder, "*.yaml"))
		for _, file := range files {
			names = append(names, stem(file))
		}
	}
	return names, ok
}

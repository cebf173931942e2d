package compat

import (
	"strings"

	"placard/internal/core/problem"
)

// Rules lists every reason why a change can make a valid document invalid. The
// findings are warnings, because a new version may break documents on purpose.
//
// The example of a rule is a txtar archive with the files of two releases that
// differ, before and after the change, and a document that is valid before it and
// invalid after it. The files of both releases are overlaid on the same minimal
// release; an empty file deletes the one of that name.
var Rules = []problem.Rule{
	elementRemoved, elementRenamed, elementMoved, elementNewlyRequired, elementMaximumLowered,
	categoryRemoved, categoryNewlyRequired, categoryMinimumRaised, categoryMaximumLowered,
	contextValueRemoved, partRenamed,
	variableRemoved, variableNewlyRequired, variableKindChanged, optionRemoved, optionRestricted,
	subchainRemoved,
}

var (
	elementRemoved = problem.Rule{
		Code: "ELEMENT_REMOVED", Severity: problem.Warning,
		Title:   "A new version should keep the elements of the version before it.",
		Why:     "Documents that place a removed element become invalid, and only their authors can say what takes its place.",
		Example: example(file("before/elements/road.yaml", roadElement), place("road")),
	}
	elementRenamed = problem.Rule{
		Code: "ELEMENT_RENAMED", Severity: problem.Warning,
		Title: "A new version should keep the ids of elements.",
		Why: "Documents that place an element under its old id become invalid. Because the element names its old id in replaces, " +
			`"placard upgrade" corrects them.`,
		Example: example(file("before/elements/road.yaml", roadElement),
			file("after/elements/highway.yaml", with(roadElement, "id: road", "id: highway")+"replaces: road\n"), place("road")),
	}
	elementMoved = problem.Rule{
		Code: "ELEMENT_MOVED", Severity: problem.Warning,
		Title: "An element should stay in its category if the categories have limits.",
		Why:   "Its placements count towards another category, so a document can have too few or too many elements of a category.",
		Example: example(
			file("before/datachain-type.yaml", demoTypeWithWay), file("before/categories/place.yaml", placeCategory+"required: true\n"),
			file("before/categories/way.yaml", wayCategory), file("before/elements/road.yaml", roadElement), file("before/elements/lane.yaml", laneElement),
			file("after/datachain-type.yaml", demoTypeWithWay), file("after/categories/place.yaml", placeCategory+"required: true\n"),
			file("after/categories/way.yaml", wayCategory), file("after/elements/road.yaml", with(roadElement, "category_id: place", "category_id: way")),
			file("after/elements/lane.yaml", laneElement), place("road"),
		),
	}
	elementNewlyRequired = problem.Rule{
		Code: "ELEMENT_NEWLY_REQUIRED", Severity: problem.Warning,
		Title:   "A new version should not require elements that were optional.",
		Why:     "Documents without the element become invalid, and only their authors know whether its statement is true.",
		Example: example(file("before/elements/road.yaml", roadElement), file("after/elements/road.yaml", roadElement+"required: true\n"), place("street")),
	}
	elementMaximumLowered = problem.Rule{
		Code: "ELEMENT_MAXIMUM_LOWERED", Severity: problem.Warning,
		Title:   "A new version should not lower the max_placements of an element.",
		Why:     "Documents with more placements become invalid, and only their authors can say which of them to remove.",
		Example: example(file("after/elements/street.yaml", streetElement+"max_placements: 1\n"), place("street", "street")),
	}
	categoryRemoved = problem.Rule{
		Code: "CATEGORY_REMOVED", Severity: problem.Warning,
		Title: "A new version should keep the elements of a category that it removes.",
		Why:   "Documents that place any of the elements become invalid. If the elements are in other categories instead, documents remain valid.",
		Example: example(file("before/datachain-type.yaml", demoTypeWithWay), file("before/categories/way.yaml", wayCategory),
			file("before/elements/road.yaml", with(roadElement, "category_id: place", "category_id: way")), place("road")),
	}
	categoryNewlyRequired = problem.Rule{
		Code: "CATEGORY_NEWLY_REQUIRED", Severity: problem.Warning,
		Title: "A new version should not require categories that were optional.",
		Why:   "Documents without an element of the category become invalid, and only their authors know which of its elements apply.",
		Example: example(file("before/datachain-type.yaml", demoTypeWithWay), file("before/categories/way.yaml", wayCategory),
			file("before/elements/road.yaml", with(roadElement, "category_id: place", "category_id: way")),
			file("after/datachain-type.yaml", demoTypeWithWay), file("after/categories/way.yaml", wayCategory+"required: true\n"),
			file("after/elements/road.yaml", with(roadElement, "category_id: place", "category_id: way")), place("street")),
	}
	categoryMinimumRaised = problem.Rule{
		Code: "CATEGORY_MINIMUM_RAISED", Severity: problem.Warning,
		Title:   "A new version should not raise the min_elements of a category.",
		Why:     "Documents with fewer placements become invalid, and only their authors know which other elements apply.",
		Example: example(file("after/categories/place.yaml", placeCategory+"min_elements: 2\n"), place("street")),
	}
	categoryMaximumLowered = problem.Rule{
		Code: "CATEGORY_MAXIMUM_LOWERED", Severity: problem.Warning,
		Title:   "A new version should not lower the max_elements of a category.",
		Why:     "Documents with more placements become invalid, and only their authors can say which of them to remove.",
		Example: example(file("after/categories/place.yaml", placeCategory+"max_elements: 1\n"), place("street", "street")),
	}
	contextValueRemoved = problem.Rule{
		Code: "CONTEXT_VALUE_REMOVED", Severity: problem.Warning,
		Title: "A new version should keep the values of contexts.",
		Why:   "Documents with the value become invalid. The same applies if an element gets a context of its own without the value.",
		Example: example(file("before/categories/place.yaml", placeCategory+timeContext+nightValue), file("after/categories/place.yaml", placeCategory+timeContext),
			document(`{"element_id": "street", "context_type_id": "night"}`)),
	}
	partRenamed = problem.Rule{
		Code: "PART_RENAMED", Severity: problem.Warning,
		Title: "A new version should keep the ids of context values, variables and options.",
		Why: "Documents that use the old id become invalid. Because the context value, variable or option names its old id in replaces, " +
			`"placard upgrade" corrects them.`,
		Example: example(file("before/categories/place.yaml", placeCategory+timeContext+nightValue),
			file("after/categories/place.yaml", placeCategory+timeContext+with(nightValue, "id: night", "id: dark_hours, replaces: night")),
			document(`{"element_id": "street", "context_type_id": "night"}`)),
	}
	variableRemoved = problem.Rule{
		Code: "VARIABLE_REMOVED", Severity: problem.Warning,
		Title: "A new version should keep the variables of elements.",
		Why:   "Documents with a value for the variable become invalid. The same applies if an element moves to a category without the variable.",
		Example: example(file("before/categories/place.yaml", placeCategory+nameVariable),
			document(`{"element_id": "street", "variables": [{"id": "name", "value": [{"locale": "en", "value": "High Street"}]}]}`)),
	}
	variableNewlyRequired = problem.Rule{
		Code: "VARIABLE_NEWLY_REQUIRED", Severity: problem.Warning,
		Title:   "A new version should not require variables that were optional or absent.",
		Why:     "Documents without a value become invalid, and only their authors know the value.",
		Example: example(file("after/categories/place.yaml", placeCategory+with(nameVariable, "}}", "}, required: true}")), place("street")),
	}
	variableKindChanged = problem.Rule{
		Code: "VARIABLE_KIND_CHANGED", Severity: problem.Warning,
		Title: "A new version should keep the kind of a variable.",
		Why:   "Documents with a value of the old kind become invalid.",
		Example: example(file("before/categories/place.yaml", placeCategory+nameVariable),
			file("after/categories/place.yaml", placeCategory+with(surfaceVariable, "id: surface", "id: name")),
			document(`{"element_id": "street", "variables": [{"id": "name", "value": [{"locale": "en", "value": "High Street"}]}]}`)),
	}
	optionRemoved = problem.Rule{
		Code: "OPTION_REMOVED", Severity: problem.Warning,
		Title: "A new version should keep the options of variables.",
		Why:   "Documents that choose the option become invalid.",
		Example: example(file("before/categories/place.yaml", placeCategory+surfaceVariable+gravelOption), file("after/categories/place.yaml", placeCategory+surfaceVariable),
			document(`{"element_id": "street", "variables": [{"id": "surface", "value": ["gravel"]}]}`)),
	}
	optionRestricted = problem.Rule{
		Code: "OPTION_RESTRICTED", Severity: problem.Warning,
		Title: "An option should apply to the elements that it applied to before.",
		Why:   "Documents that choose the option for another element become invalid.",
		Example: example(file("before/categories/place.yaml", placeCategory+surfaceVariable+gravelOption), file("before/elements/road.yaml", roadElement),
			file("after/categories/place.yaml", placeCategory+surfaceVariable+with(gravelOption, "}}", "}, applies_to: [road]}")), file("after/elements/road.yaml", roadElement),
			document(`{"element_id": "street", "variables": [{"id": "surface", "value": ["gravel"]}]}`)),
	}
	subchainRemoved = problem.Rule{
		Code: "SUBCHAIN_REMOVED", Severity: problem.Warning,
		Title: "A new version should keep the subchains of its type.",
		Why:   "Documents with an instance of the subchain become invalid.",
		Example: example(file("before/datachain-type.yaml", demoType+"subchains: [{id: tour, name: {en: Tour, fr: Visite}, categories: [place]}]\n"),
			documentWith(`{"element_id": "street"}`, `, "subchain_instances": [{"id": "a", "subchain_id": "tour"}]`)),
	}
)

// Parts of the examples. The elements street and the category place are in the
// minimal release.
const (
	demoType = `id: demo
name: {en: Demonstration, fr: Démonstration}
categories: [place]
`
	demoTypeWithWay = `id: demo
name: {en: Demonstration, fr: Démonstration}
categories: [place, way]
`
	placeCategory = `id: place
name: {en: Place, fr: Lieu}
description: {en: Where the system is, fr: Où se trouve le système}
shape: circle
`
	wayCategory = `id: way
name: {en: Way, fr: Voie}
description: {en: On which way it is, fr: Sur quelle voie il est}
shape: circle
`
	streetElement = `id: street
category_id: place
title: {en: Street, fr: Rue}
description: {en: Out in the street, fr: Dans la rue}
symbol_id: street
`
	roadElement = `id: road
category_id: place
title: {en: Road, fr: Route}
description: {en: On a road, fr: Sur une route}
symbol_id: street
`
	laneElement = `id: lane
category_id: way
title: {en: Lane, fr: Ruelle}
description: {en: In a lane, fr: Dans une ruelle}
symbol_id: street
`
	timeContext = `context:
  id: time
  name: {en: Time, fr: Moment}
  values:
  - {id: day, label: {en: By day, fr: De jour}, color: "#B35900"}
`
	nightValue = `  - {id: night, label: {en: At night, fr: De nuit}, color: "#1B4F9E"}
`
	nameVariable = `variables:
- {id: name, label: {en: Name, fr: Nom}}
`
	surfaceVariable = `variables:
- id: surface
  label: {en: Surface, fr: Revêtement}
  kind: multi_select_enum
  options:
  - {id: asphalt, name: {en: Asphalt, fr: Asphalte}, description: {en: Asphalt, fr: Asphalte}}
`
	gravelOption = `  - {id: gravel, name: {en: Gravel, fr: Gravier}, description: {en: Gravel, fr: Gravier}}
`
)

func example(files ...string) string { return strings.Join(files, "") }

func file(name, content string) string { return "-- " + name + " --\n" + content }

// with returns content with the first occurrence of from replaced.
func with(content, from, to string) string { return strings.Replace(content, from, to, 1) }

// place returns a document that places the elements.
func place(ids ...string) string {
	placements := make([]string, len(ids))
	for i, id := range ids {
		placements[i] = `{"element_id": "` + id + `"}`
	}
	return document(strings.Join(placements, ", "))
}

func document(placements string) string { return documentWith(placements, "") }

func documentWith(placements, members string) string {
	return file("document.json", `{
  "id": "example", "schema_version": "demo@2026-01-31-beta", "created_at": "2026-02-01T09:00:00Z",
  "elements": [`+placements+`]`+members+`
}
`)
}

package source

import (
	"slices"
	"strings"

	"placard/internal/core/icon"
	"placard/internal/core/problem"
)

// rule is one rule for authoring trees. Its example is a txtar archive that is
// overlaid on [Minimal]: each file replaces the file of the same name, and an
// empty file deletes it. The rule on file size has no example, because it would
// be too long.
type rule struct {
	problem.Rule
	// check is nil for rules that are checked while the files are read.
	check func(t *tree, report reportFunc)
	// oneCause is set if equal findings have one cause, such as a locale that is
	// not listed. Many of them are reported as one.
	oneCause bool
	// errorInStable is set if findings are errors in a stable release, which cannot be
	// corrected later. They concern content that readers would never see.
	errorInStable bool
}

// stableRelease describes the condition of rules with errorInStable.
const stableRelease = "the release is stable"

// reportFunc adds a finding for the rule being checked. The caller may modify the
// result until the next call.
type reportFunc func(pos problem.Pos, format string, args ...any) *problem.Problem

// rules holds all rules except those for the content of symbols, which are in
// [icon.Rules].
var rules = slices.Concat(fileRules, fieldRules, textRules, idRules, manifestRules, categoryRules, elementRules, contextRules, variableRules)

// Rules returns all rules that [Releases] and [Load] check, including
// [icon.Rules].
func Rules() []problem.Rule {
	var list []problem.Rule
	for _, r := range rules {
		list = append(list, r.Rule)
	}
	return append(list, icon.Rules...)
}

// Minimal is a minimal valid release, demo@2026-01-31-beta, as a txtar archive.
// The examples of the rules are overlaid on it.
const Minimal = minimalMeta + minimalType + minimalCategory + minimalElement + minimalSymbol

const (
	minimalMeta = `-- meta.yaml --
locales: [en, fr]
`
	minimalType = `-- datachain-type.yaml --
id: demo
name: {en: Demonstration, fr: Démonstration}
categories: [place]
`
	minimalCategory = `-- categories/place.yaml --
id: place
name: {en: Place, fr: Lieu}
description: {en: Where the system is, fr: Où se trouve le système}
shape: circle
`
	minimalElement = `-- elements/street.yaml --
id: street
category_id: place
title: {en: Street, fr: Rue}
description: {en: Out in the street, fr: Dans la rue}
symbol_id: street
`
	roadElement = `-- elements/road.yaml --
id: road
category_id: place
title: {en: Road, fr: Route}
description: {en: On the road, fr: Sur la route}
symbol_id: street
`
	minimalSymbol = `-- symbols/street.svg --
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36">
<path d="M15 6h6v24h-6z"/>
</svg>
`
)

// replace returns s with the first occurrence of from replaced by to.
func replace(s, from, to string) string { return strings.Replace(s, from, to, 1) }

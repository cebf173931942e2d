package source

import (
	"slices"
	"strings"

	"placard/internal/icon"
	"placard/internal/problem"
)

// Rule is one row of what an authoring tree must keep to. Its example is in
// txtar form, to be laid over [Minimal]: each file replaces the one of that
// name, and an empty one removes it. Only the rule on the size of files has no
// example, as it would be too long to show.
type Rule struct {
	problem.Rule
	// check is nil for a rule that is kept while the files are read.
	check func(t *tree, found finder)
}

// finder reports a finding of the rule that is being checked. The result may
// be completed until the next one.
type finder func(at problem.Pos, format string, args ...any) *problem.Problem

// Rules are the rows for everything but the insides of symbols; for those see
// [icon.Rules], whose findings [Load] reports too.
var Rules = slices.Concat(fileRules, fieldRules, textRules, idRules, manifestRules, categoryRules, elementRules, contextRules, variableRules)

// Documented returns every row that [Releases] and [Load] report, those of
// [icon.Rules] included.
func Documented() []problem.Rule {
	var rows []problem.Rule
	for _, rule := range Rules {
		rows = append(rows, rule.Rule)
	}
	return append(rows, icon.Rules...)
}

// Minimal is a release without any fault, in txtar form, as small as can be:
// demo@2026-01-31-beta. The examples of the rules are laid over it.
const Minimal = goodMeta + goodType + goodCategory + goodElement + goodSymbol

const (
	goodMeta = `-- meta.yaml --
locales: [en, fr]
`
	goodType = `-- datachain-type.yaml --
id: demo
name: {en: Demonstration, fr: Démonstration}
categories: [place]
`
	goodCategory = `-- categories/place.yaml --
id: place
name: {en: Place, fr: Lieu}
description: {en: Where it stands, fr: Où il se trouve}
shape: circle
`
	goodElement = `-- elements/street.yaml --
id: street
category_id: place
title: {en: Street, fr: Rue}
description: {en: Out in the street, fr: Dans la rue}
symbol_id: street
`
	goodSymbol = `-- symbols/street.svg --
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36">
<path d="M15 6h6v24h-6z"/>
</svg>
`
)

// change returns a part of [Minimal] with one thing changed.
func change(good, old, new string) string { return strings.Replace(good, old, new, 1) }

// Package compat compares two versions of a taxonomy. It lists what changed and
// which changes break documents: those that can make a valid document invalid.
// It knows nothing about stores, and leaves rendering to its callers.
package compat

import (
	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// Comparison is the difference between two versions of a taxonomy.
type Comparison struct {
	Before *taxonomy.Taxonomy `json:"-"`
	After  *taxonomy.Taxonomy `json:"-"`
	Old    taxonomy.ID        `json:"old"`
	New    taxonomy.ID        `json:"new"`
	// Locale is the main locale of the comparison: the one that was asked for, the
	// default locale of the new version or that of the old version, whichever is the
	// first that both versions have. It is empty if they have none of them.
	Locale string `json:"locale"`
	// Renames maps elements of the old version to elements of the new one with
	// another id, in the order of the old version.
	Renames []Rename `json:"renames"`
	// Changes lists the changes in this order: the version itself, the datachain
	// type, locales, subchains, categories, elements, symbols. The parts of a
	// category (its context and variables) and the context of an element follow
	// it. Items of one list are in the order of the new version; removed items
	// follow in the order of the old one. The changes of one item are ordered by
	// field; a change without a field is the first.
	Changes []Change `json:"changes"`
}

// Rename is an element whose id changed.
type Rename struct {
	OldID string `json:"old_id"`
	NewID string `json:"new_id"`
}

// Kind is the kind of a change.
type Kind string

const (
	Added   Kind = "added"
	Removed Kind = "removed"
	// Renamed means that an element, context value, variable or option has another id.
	// If the item with the new id is already in the old version, the two have been
	// merged.
	Renamed Kind = "renamed"
	// Moved means that an item is elsewhere: an element is in another category
	// (Field is "category_id"), or the position of an item in its list changed
	// relative to its neighbours (Field is "position", and the values count from 1).
	Moved Kind = "moved"
	// Reworded means that the text in the main locale changed.
	Reworded Kind = "reworded"
	// Retranslated means that a text changed, but not in the main locale.
	Retranslated Kind = "retranslated"
	// Redrawn means that the drawing of a symbol, or of an element's symbol, has
	// other bytes.
	Redrawn Kind = "redrawn"
	// Changed means that a field has another value.
	Changed Kind = "changed"
)

// Kinds lists every kind of change.
var Kinds = []Kind{Added, Removed, Renamed, Moved, Reworded, Retranslated, Redrawn, Changed}

// SubjectKind is the kind of the item that changed.
type SubjectKind string

const (
	Version      SubjectKind = "version"
	Type         SubjectKind = "type"
	Locale       SubjectKind = "locale"
	Subchain     SubjectKind = "subchain"
	Category     SubjectKind = "category"
	Context      SubjectKind = "context"
	ContextValue SubjectKind = "context_value"
	Variable     SubjectKind = "variable"
	Option       SubjectKind = "option"
	Element      SubjectKind = "element"
	Symbol       SubjectKind = "symbol"
)

// SubjectKinds lists every kind of subject.
var SubjectKinds = []SubjectKind{Version, Type, Locale, Subchain, Category, Context, ContextValue, Variable, Option, Element, Symbol}

// Subject is the item that changed, as it is in the new version or, if it was
// removed, in the old one.
type Subject struct {
	Kind SubjectKind `json:"kind"`
	ID   string      `json:"id"`
	// OldID is the id of a renamed item in the old version.
	OldID string `json:"old_id,omitzero"`
	// CategoryID is the category of an element, or the category that declares a
	// context, context value, variable or option.
	CategoryID string `json:"category_id,omitzero"`
	// ElementID is the element that declares a context or context value in place of
	// its category.
	ElementID string `json:"element_id,omitzero"`
	// VariableID is the variable that declares an option.
	VariableID string `json:"variable_id,omitzero"`
	// Name is the title, name or label. Locales and symbols have none.
	Name taxonomy.Localized `json:"name,omitzero"`
}

// Change is one change of one item. The parts of an item that is added or removed
// are not listed, except for the elements of a category.
type Change struct {
	Kind    Kind    `json:"kind"`
	Subject Subject `json:"subject"`
	// Field is the JSON name of the field that changed, such as "title" or
	// "examples[0].scenario". It is empty if the item as a whole changed.
	Field string `json:"field,omitzero"`
	// Texts are the locales in which a text changed, for Reworded and Retranslated.
	// Only locales of both versions are compared.
	Texts []TextChange `json:"texts,omitzero"`
	// NotRetranslated are the locales of a reworded text whose translation did not
	// change with the main locale.
	NotRetranslated []string `json:"not_retranslated,omitzero"`
	// Before and After are the values of the field, one for each item of a list.
	// They are empty if the field has no value.
	Before []string `json:"before,omitzero"`
	After  []string `json:"after,omitzero"`
	// WithCategory is set if an element is added or removed with its category. If it
	// is removed, the change of the category has the finding.
	WithCategory bool `json:"with_category,omitzero"`
	// Breaks are the reasons why the change can make a valid document invalid. Their
	// codes are those of [Rules].
	Breaks problem.List `json:"breaks,omitzero"`
}

// TextChange is a text that changed in one locale. A text that does not exist is
// empty.
type TextChange struct {
	Locale string `json:"locale"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Breaks returns the reasons why the changes can make valid documents invalid, in
// the order of the changes.
func (c *Comparison) Breaks() problem.List {
	var all problem.List
	for i := range c.Changes {
		all = append(all, c.Changes[i].Breaks...)
	}
	return all
}

// Package diffview shows the differences between two versions of a taxonomy: as
// text for a terminal, as Markdown and as a self-contained HTML page. It does not
// know where the versions come from.
//
// [New] arranges the changes found by package compat in a [Report], which holds
// everything that the formats show. Each format is a pure function of the report.
package diffview

import (
	"placard/internal/problem"
	"placard/internal/taxonomy"
	"placard/internal/worddiff"
)

// Report is a comparison of two versions, arranged for readers. Without
// differences, it has no sections.
type Report struct {
	Old, New Version
	Sections []Section
}

// Version is one of the two versions.
type Version struct {
	ID     taxonomy.ID
	Title  Text
	Origin string // where the version is, such as "in taxonomy/place/2026-06-01-stable"; may be empty
}

// Section holds all changes of one kind, or those that break documents.
type Section struct {
	ID       string // a word for links
	Heading  string
	Note     string // a sentence that explains the heading
	Breaking bool
	Count    int // of the entries in all groups
	Groups   []Group
}

// Group holds the changes in one category, or the translations into one language.
type Group struct {
	Name    Text // empty for changes that belong to no category
	Entries []Entry
}

// Entry is one item with its changes of one kind.
type Entry struct {
	Noun       string // such as "element" or "option of duration"
	ID         string
	OldID      string // if it differs
	Name       Text
	CategoryID string
	Summary    Text // the description of an added or removed item

	Icon    Icon // in the new version, or in the old one if the item was removed
	OldIcon Icon // if it differs

	Breaks problem.List
	Texts  []TextChange
	Values []ValueChange
}

// Text is a text in one locale.
type Text struct{ Value, Locale string }

// TextChange is a text that changed in one locale.
type TextChange struct {
	Field  string
	Locale string
	Main   bool // the locale is the main one of the comparison
	Spans  []worddiff.Span
	// NotRetranslated lists the locales whose text did not change with the main one.
	NotRetranslated string
}

// ValueChange is a field that changed: either one value, which is empty if it does
// not exist, or the items of a list.
type ValueChange struct {
	Field    string
	Old, New string
	Items    []worddiff.Span
}

// Icon is an icon for light and for dark pages.
type Icon struct{ SVG, Dark string }

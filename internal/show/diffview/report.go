// Package diffview shows the differences between two versions of a taxonomy: as
// text for a terminal, as Markdown and as HTML. It does not know where the versions
// come from.
//
// [New] arranges the changes found by package compat in a [Report], which holds
// everything that the formats show. Each format is a pure function of the report.
package diffview

import (
	"html/template"
	"slices"

	"placard/internal/core/compat"
	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
	"placard/internal/core/worddiff"
)

// Options configures a report. The zero value is for complete reports in English
// that show names and values as they are in the files of a taxonomy.
type Options struct {
	// Words returns a word of the report itself. Pairs of names and values replace
	// placeholders such as {name}. It returns an empty string for optional words that
	// it does not have: "field." and the name of a field, "value." and a value, and
	// "meaning." and the code of a finding. Default: English.
	Words func(key string, pairs ...any) string
	// LocaleName returns the name of a locale. Default: the locale.
	LocaleName func(locale string) string
	// Locale is the locale of names, if they have it. Default: the main locale of the
	// comparison.
	Locale string
	// URL returns the address of an item in one of the versions, or an empty string.
	// Default: none.
	URL func(taxonomy.ID, compat.Subject) string
	// CodeURL returns the address of the description of a code. Default: none.
	CodeURL func(problem.Code) string
	// ForReaders shows names without ids, except where an id changed, and folds the
	// changes in other languages than the main one.
	ForReaders bool
	// MaxEntries limits the entries of each section, and MaxBytes the size of the texts
	// and icons of the report. Sections count the entries that they do not have.
	// Default: no limit.
	MaxEntries, MaxBytes int
}

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
	Count    int // of all entries
	Shown    int // of the entries in all groups
	Groups   []Group
}

// Group holds the changes in one category, or the translations into one language.
type Group struct {
	Name    Text // empty for changes that belong to no category
	Entries []Entry
}

// Entry is one item with its changes of one kind.
type Entry struct {
	Noun       string // such as "element" or "option of duration"; empty if names suffice
	ID         string
	HidesID    bool   // the name suffices
	folds      bool   // the changes in other languages
	OldID      string // if it differs
	Name       Text
	URL        string // may be empty
	CategoryID string
	Grouped    bool // the group has a name
	Summary    Text // the description of an added or removed item

	Icon    template.HTML // in the new version, or in the old one if the item was removed
	OldIcon template.HTML // if it differs

	Breaks []Finding
	Texts  []TextChange
	Values []ValueChange
	// IsShortened is set if the entry lacks changes because the report is limited.
	IsShortened bool
}

// Folded returns the changes that are hidden until a reader opens them: those in other
// languages, if the entry has one in the main language.
func (e Entry) Folded() []TextChange {
	isMain := func(t TextChange) bool { return t.Main }
	if !e.folds || !slices.ContainsFunc(e.Texts, isMain) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(e.Texts), isMain)
}

// Open returns the changes of texts that are not folded.
func (e Entry) Open() []TextChange {
	if len(e.Folded()) == 0 {
		return e.Texts
	}
	return slices.DeleteFunc(slices.Clone(e.Texts), func(t TextChange) bool { return !t.Main })
}

// FoldedLocales returns the names of the languages of the folded changes, each once.
func (e Entry) FoldedLocales() []string {
	var names []string
	for _, t := range e.Folded() {
		if !slices.Contains(names, t.LocaleName) {
			names = append(names, t.LocaleName)
		}
	}
	return names
}

// Finding is a reason why a change breaks documents.
type Finding struct {
	problem.Problem
	Meaning string // the finding in the words of the report; may be empty
	URL     string // of the description of its code; may be empty
}

// IsBreaking reports whether documents of the old version can be invalid in the new one.
func (r *Report) IsBreaking() bool {
	return slices.ContainsFunc(r.Sections, func(s Section) bool { return s.Breaking })
}

// Text is a text in one locale.
type Text struct{ Value, Locale string }

// TextChange is a text that changed in one locale.
type TextChange struct {
	Field      string
	Label      string // the name of the field in the words of the report; may be empty
	Locale     string
	LocaleName string
	Main       bool // the locale is the main one of the comparison
	Spans      []worddiff.Span
	// NotRetranslated lists the locales whose text did not change with the main one.
	NotRetranslated string
}

// ValueChange is a field that changed: either one value, which is empty if it does
// not exist, or the items of a list.
type ValueChange struct {
	Field    string
	Label    string // the name of the field in the words of the report; may be empty
	Old, New string
	Items    []worddiff.Span
}

package source

import (
	"slices"
	"strings"

	"placard/internal/taxonomy"
)

// manifest is what meta.yaml says.
type manifest struct {
	document
	version     string
	status      string
	createdAt   string
	notes       string
	locales     []string
	title       taxonomy.Localized
	description taxonomy.Localized
}

// datachainType is what datachain-type.yaml says. Its own locales matter only
// where the manifest lists none.
type datachainType struct {
	document
	taxonomy.DatachainType
	locales []string
}

// listsWhole reports whether all of the list of categories could be read.
func (t datachainType) listsWhole() bool {
	return !t.broken() && !slices.Contains(t.Categories, "") && (len(t.Categories) > 0 || !t.lists("categories")) && !hides(t.root)
}

// manifestAndType reads the two files together, because the locales of every
// text, theirs too, may be listed in either.
func (r *reader) manifestAndType(t *tree, meta, typ document) {
	t.manifest.document, t.datachain.document = meta, typ
	var ofMeta, ofType *fields
	if !meta.broken() {
		ofMeta = r.fields(meta.file, meta.root)
		t.manifest.locales = ofMeta.localeList(ofMeta.take("locales"))
	}
	if !typ.broken() {
		ofType = r.fields(typ.file, typ.root)
		t.datachain.locales = ofType.localeList(ofType.take("locales"))
	}
	if len(t.manifest.locales) == 0 {
		t.manifest.locales = slices.Clone(t.datachain.locales)
	}
	if r.unsure {
		t.datachain.locales = nil // Nothing can be said about whether the two lists agree.
	}
	r.locales, r.places = t.manifest.locales, make(map[string]int)
	for i, locale := range r.locales {
		r.places[strings.ToLower(locale)] = i
	}
	if ofMeta != nil {
		ofMeta.manifest(&t.manifest)
	}
	if ofType != nil {
		ofType.datachainType(&t.datachain)
	}
}

func (f *fields) manifest(m *manifest) {
	m.version = f.text(f.take("version"))
	m.status = f.text(f.take("status"))
	m.createdAt = f.text(f.take("created_at"))
	m.notes = f.text(f.take("notes"))
	m.title = f.localized(f.take("title"))
	m.description = f.localized(f.take("description"))
	// Written by tools that copy releases; the hash is computed, never read.
	f.take("content_hash")
	f.end()
}

func (f *fields) datachainType(t *datachainType) {
	t.DatachainType = taxonomy.DatachainType{
		ID:          f.text(f.need("id")),
		Name:        f.localized(f.need("name")),
		Description: f.localized(f.take("description")),
		Categories:  f.texts(f.take("categories")),
		Subchains:   each(f, f.take("subchains"), (*fields).subchain),
		Sources:     each(f, f.take("sources"), (*fields).source),
		Locales:     f.locales,
	}
	f.end()
}

func (f *fields) subchain() taxonomy.Subchain {
	return taxonomy.Subchain{
		ID:         f.text(f.need("id")),
		Name:       f.localized(f.need("name")),
		Categories: f.texts(f.need("categories")),
	}
}

func (f *fields) source() taxonomy.Source {
	return taxonomy.Source{
		Type:     f.text(f.need("type")),
		Title:    f.text(f.need("title")),
		URL:      f.text(f.take("url")),
		Citation: f.text(f.take("citation")),
	}
}

func (f *fields) example() taxonomy.Example {
	return taxonomy.Example{
		Scenario:  f.localized(f.need("scenario")),
		Narrative: f.localized(f.need("narrative")),
	}
}

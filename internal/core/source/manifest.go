package source

import (
	"slices"
	"strings"

	"placard/internal/core/taxonomy"
)

// manifest is the content of meta.yaml.
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

// datachainType is the content of datachain-type.yaml. Its locales are used only
// if the manifest lists none.
type datachainType struct {
	document
	taxonomy.DatachainType
	locales []string
}

// categoriesComplete reports whether the whole list of categories could be read.
func (t datachainType) categoriesComplete() bool {
	return !t.broken() && !slices.Contains(t.Categories, "") && (len(t.Categories) > 0 || !t.hasValue("categories")) && !hasUnreadKeys(t.root)
}

// readManifestAndType reads both files together, because either may list the
// locales, which are needed to read any text.
func (r *reader) readManifestAndType(t *tree, meta, typ document) {
	t.manifest.document, t.datachain.document = meta, typ
	var metaFields, typeFields *fields
	if !meta.broken() {
		metaFields = r.fields(meta.file, meta.root)
		t.manifest.locales = metaFields.localeList(metaFields.expected("locales"))
	}
	if !typ.broken() {
		typeFields = r.fields(typ.file, typ.root)
		t.datachain.locales = typeFields.localeList(typeFields.optional("locales"))
	}
	if len(t.manifest.locales) == 0 {
		t.manifest.locales = slices.Clone(t.datachain.locales)
	}
	if r.localesUncertain {
		t.datachain.locales = nil // The lists cannot be compared.
	}
	r.locales, r.localeIndex = t.manifest.locales, make(map[string]int)
	for i, locale := range r.locales {
		r.localeIndex[strings.ToLower(locale)] = i
	}
	if metaFields != nil {
		metaFields.manifest(&t.manifest)
	}
	if typeFields != nil {
		typeFields.datachainType(&t.datachain)
	}
}

func (f *fields) manifest(m *manifest) {
	m.version = f.text(f.optional("version"))
	m.status = f.text(f.optional("status"))
	m.createdAt = f.text(f.optional("created_at"))
	m.notes = f.text(f.optional("notes"))
	m.title = f.localized(f.optional("title"))
	m.description = f.localized(f.optional("description"))
	// Tools that copy releases write the hash, but it is always recomputed.
	f.optional("content_hash")
	f.reportUnknown()
}

func (f *fields) datachainType(t *datachainType) {
	t.DatachainType = taxonomy.DatachainType{
		ID:          f.text(f.required("id")),
		Name:        f.localized(f.required("name")),
		Description: f.localized(f.optional("description")),
		Categories:  f.texts(f.expected("categories")),
		Subchains:   readList(f, f.optional("subchains"), (*fields).subchain),
		Sources:     readList(f, f.optional("sources"), (*fields).source),
		Locales:     f.locales,
	}
	f.reportUnknown()
}

func (f *fields) subchain() taxonomy.Subchain {
	return taxonomy.Subchain{
		ID:         f.text(f.required("id")),
		Name:       f.localized(f.required("name")),
		Categories: f.texts(f.required("categories")),
	}
}

func (f *fields) source() taxonomy.Source {
	return taxonomy.Source{
		Type:     f.text(f.required("type")),
		Title:    f.text(f.required("title")),
		URL:      f.text(f.optional("url")),
		Citation: f.text(f.optional("citation")),
	}
}

func (f *fields) example() taxonomy.Example {
	return taxonomy.Example{
		Scenario:  f.localized(f.required("scenario")),
		Narrative: f.localized(f.required("narrative")),
	}
}

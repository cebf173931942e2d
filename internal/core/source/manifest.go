package source

import (
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v4"

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
		typeFields.record(&t.datachain.DatachainType)
		t.datachain.Locales = r.locales
	}
}

// notes reads the notes, a text or a localized one. A manifest has those in the default
// locale.
func (f *fields) notes(n *yaml.Node) string {
	if n == nil || n.Kind == yaml.ScalarNode {
		return f.text(n)
	}
	notes, _ := f.localized(n).Get((&taxonomy.Taxonomy{Locales: f.locales}).DefaultLocale())
	return notes
}

func (f *fields) manifest(m *manifest) {
	m.version = f.text(f.optional("version"))
	m.status = f.text(f.optional("status"))
	m.createdAt = f.text(f.optional("created_at"))
	m.notes = f.notes(f.optional("notes"))
	m.title = f.localized(f.optional("title"))
	m.description = f.localized(f.optional("description"))
	// Tools that copy releases write the hash, but it is always recomputed.
	f.optional("content_hash")
	f.reportUnknown()
}

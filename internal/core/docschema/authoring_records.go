package docschema

import (
	"slices"

	"placard/internal/core/taxonomy"
)

// authoringRecord describes a YAML mapping in an authoring tree.
type authoringRecord struct {
	name        string // an [AuthoringFile], or the name of a type
	description string
	optional    bool // a key without a value may take its place
	keys        []authoringKey
}

// authoringKey describes one key of a mapping.
type authoringKey struct {
	name string
	// typ is the name of a type or a record. The prefix [] denotes a list.
	typ         string
	required    bool
	description string
	synonym     string // another name for the key
	defaultTo   any    // the value of an absent key, if editors should show it
}

func findRecord(name string) *authoringRecord {
	i := slices.IndexFunc(authoringRecords, func(r authoringRecord) bool { return r.name == name })
	if i < 0 {
		return nil
	}
	return &authoringRecords[i]
}

// authoringRecords describes every mapping that package source reads. Tests
// compare it with that package and with docs/authoring.md.
var authoringRecords = func() []authoringRecord {
	records := []authoringRecord{metaRecord}
	for _, r := range taxonomy.Records {
		records = append(records, authoringRecordOf(r))
	}
	return records
}()

var metaRecord = authoringRecord{
	name: string(MetaFile), description: "The metadata of a release.",
	keys: []authoringKey{
		{name: "locales", typ: "[]locale", description: "All languages of the release. Texts are served in this order. May be in datachain-type.yaml instead."},
		{name: "title", typ: "localized", description: "The title of the release. Default: the name of the type."},
		{name: "description", typ: "localized", description: "What the taxonomy describes. Default: the description of the type."},
		{name: "status", typ: "status", description: "Must match the folder. A beta release may change; a stable one never does."},
		{name: "version", typ: "version", description: "The id of the release. Must match the folder: the folder library/2026-09-01-beta is library@2026-09-01-beta."},
		{name: "created_at", typ: "time", description: `When the release was made, as an RFC 3339 time such as "2026-09-01T09:00:00Z".`},
		{name: "notes", typ: "notes", description: "Release notes, as a text or for each locale. They are published, but are not part of the content hash."},
		{name: "content_hash", typ: "any", description: "Ignored. The hash is always computed."},
	},
}

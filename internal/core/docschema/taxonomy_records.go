package docschema

import (
	"slices"
	"strings"

	"placard/internal/core/taxonomy"
)

// taxonomyRecords returns the definitions of the parts of a taxonomy.
func taxonomyRecords() []definition {
	var list []definition
	for _, r := range taxonomy.Records {
		var fields, searchOnly []Field
		for _, f := range r.Fields {
			if f.SearchOnly {
				searchOnly = append(searchOnly, served(f))
			} else {
				fields = append(fields, served(f))
			}
		}
		list = append(list, definition{name: r.Name, description: r.Served, fields: fields})
		if r.Name == "Element" {
			all := slices.Concat(fields, searchOnly)
			list = append(list,
				definition{name: "ElementFields", description: "An element with the requested fields.", fields: optional(all, func(f *taxonomy.Field) bool {
					return f.Name != "id"
				})},
				definition{name: "SuggestedElement", description: "An element proposed for a version that lacks it.", fields: optional(fields, func(f *taxonomy.Field) bool {
					return f.Needed != taxonomy.Everywhere
				})})
		}
	}
	return list
}

// optional returns a copy of the fields of elements in which some are optional.
func optional(fields []Field, isOptional func(*taxonomy.Field) bool) []Field {
	fields = slices.Clone(fields)
	for i, f := range fields {
		if isOptional(taxonomy.RecordOf(new(taxonomy.Element)).Field(f.Name)) {
			fields[i].Presence = Optional
		}
	}
	return fields
}

// served returns a field of a record as clients see it.
func served(f *taxonomy.Field) Field {
	presence := Written
	switch {
	case f.Needed != taxonomy.Nowhere:
		presence = Required
	case f.Optional:
		presence = Optional
	}
	return Field{f.Name, servedType(f.Type), presence, f.Served}
}

func servedType(typ string) string {
	item, isList := strings.CutPrefix(typ, "[]")
	switch {
	case isList:
		return "[]" + servedType(item)
	case strings.HasSuffix(typ, "ID"):
		return "Word"
	}
	switch typ {
	case "Boolean":
		return "boolean"
	case "Number":
		return "integer"
	case "Text", "SourceType":
		return "string"
	case "Kind":
		return "VariableKind"
	case "Keywords":
		return "[]KeywordList"
	case "IDs":
		return "Words"
	}
	return typ
}

// authoringRecordOf returns a record as authors write it, mandatory keys first.
func authoringRecordOf(r *taxonomy.Record) authoringRecord {
	name := spaced(r.Name)
	if r.Name == "DatachainType" {
		name = string(TypeFile)
	}
	record := authoringRecord{name: name, description: r.Authored, optional: r.Name == "Context"}
	for _, mandatory := range []bool{true, false} {
		for _, f := range r.Rows {
			if f.Authored != "" && f.Mandatory == mandatory {
				record.keys = append(record.keys, authoringKeyOf(f))
			}
		}
	}
	return record
}

func authoringKeyOf(f *taxonomy.Field) authoringKey {
	key := authoringKey{name: f.Name, typ: spaced(f.Type), required: f.Mandatory, description: f.Authored, synonym: f.Synonym}
	switch f.Type {
	case "Boolean":
		key.defaultTo = false
	case "Kind":
		key.defaultTo = taxonomy.DefaultKind
	case "Number":
		key.typ = "count"
	}
	return key
}

// spaced returns the words of a name, such as context value for ContextValue.
func spaced(name string) string {
	name = strings.ReplaceAll(name, "ID", "Id")
	var b strings.Builder
	for i, c := range name {
		if i > 0 && 'A' <= c && c <= 'Z' && name[i-1] != ']' {
			b.WriteByte(' ')
		}
		b.WriteRune(c)
	}
	return strings.ToLower(b.String())
}

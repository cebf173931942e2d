package datachain

import (
	"reflect"
	"slices"
	"strings"

	"placard/internal/core/taxonomy"
)

var (
	wantSnapshot     = newWant("a schema snapshot as returned by resolve", `{"datachain_type": {…}, "categories": […], "elements": […]}`)
	wantType         = newWant("a datachain type", `{"id": "example", "categories": ["sensing"], "subchains": []}`)
	wantSubchainType = newWant("a subchain", `{"id": "sensing_to_outcome", "name": [], "categories": ["sensing"]}`)
	wantCategory     = newWant("a category", `{"id": "sensing", "name": [], "description": [], "shape": "hexagon"}`)
	wantElement      = newWant("an element", `{"id": "video_camera", "title": [{"locale": "en", "value": "Short title"}], "category_id": "sensing"}`)
	wantContext      = newWant("a context", `{"values": []}`)
	wantContextValue = newWant("a context value", `{"id": "continuous", "label": [], "color": "#1F77B4"}`)
	wantColor        = newWant("a colour code, #RRGGBB", `"#1F77B4"`)
	wantShape        = newChoice(shapeNames())
	wantDeclaration  = newWant("a variable", `{"id": "detail", "label": [], "required": false, "kind": "localized_text"}`)
	wantVariableKind = newChoice(taxonomy.KindNames())
	wantOption       = newWant("an option", `{"id": "on_device", "name": [], "description": []}`)
	wantDeprecation  = newWant("a deprecation", `{"message": [], "use": "video_camera"}`)
	wantExample      = newWant("an example", `{"scenario": [], "narrative": []}`)
)

var snapshotFields = []string{"datachain_type", "categories", "elements"}

func (r *reader) snapshot(n ref) (s Snapshot) {
	s.node = n
	if !r.isObject(n, wantSnapshot) {
		return s
	}
	// The snapshot repeats the URLs of the release; its authors check them.
	addresses := len(r.scratch.addresses)
	defer func() { r.scratch.addresses = r.scratch.addresses[:addresses] }()
	var categories, elements ref
	for name, v := range r.members(n) {
		switch name {
		case "datachain_type":
			r.record(v, &s.Type, true)
			s.typ = v
		case "categories":
			r.records(v, &s.Categories, true)
			s.categories, categories = r.list(v), v
		case "elements":
			r.records(v, &s.Elements, true)
			s.elements, elements = r.list(v), v
		default:
			r.unknownMember(v, snapshotFields)
		}
	}
	r.require(s.typ, n, "datachain_type", wantType)
	r.require(categories, n, "categories", wantArray)
	r.require(elements, n, "elements", wantArray)
	return s
}

// snapshotRecord is what the parser needs to know about a record of the taxonomy.
type snapshotRecord struct {
	want  *want
	known []string // the names of its members
}

var snapshotRecords = func() map[*taxonomy.Record]snapshotRecord {
	wants := map[string]*want{
		"DatachainType": wantType, "Subchain": wantSubchainType, "Category": wantCategory, "Element": wantElement,
		"Context": wantContext, "ContextValue": wantContextValue, "Variable": wantDeclaration, "Option": wantOption,
		"Source": wantSource, "Example": wantExample, "Deprecation": wantDeprecation,
	}
	records := make(map[*taxonomy.Record]snapshotRecord)
	for _, record := range taxonomy.Records {
		s := snapshotRecord{want: wants[record.Name]}
		for _, f := range record.Fields {
			if !f.SearchOnly {
				s.known = append(s.known, f.Name)
			}
		}
		records[record] = s
	}
	return records
}()

// record parses the object n into a record of the taxonomy, which is a pointer to a
// struct. Definitions that are not part of a release need fewer members.
func (r *reader) record(n ref, to any, released bool) {
	record := taxonomy.RecordOf(to)
	if v, ok := to.(*taxonomy.Variable); ok {
		v.Kind = taxonomy.DefaultKind
	}
	if !r.isObject(n, snapshotRecords[record].want) {
		return
	}
	var found [maxFields]ref
	for name, v := range r.members(n) {
		f := record.Field(name)
		if f == nil || f.SearchOnly {
			r.unknownMember(v, snapshotRecords[record].known)
			continue
		}
		found[f.Index] = v
		r.field(v, f, f.In(to))
		if f.Name == "url" {
			r.scratch.addresses = append(r.scratch.addresses, address{v, sourceURL})
		}
	}
	for _, needed := range []taxonomy.Needed{taxonomy.Everywhere, taxonomy.InReleases} {
		for _, f := range record.Fields {
			if f.Needed == needed && (released || needed == taxonomy.Everywhere) {
				r.require(found[f.Index], n, f.Name, wantOf(f))
			}
		}
	}
}

// maxFields is at least the number of fields of any record.
const maxFields = 32

// field parses the value n of a field into a pointer to it.
func (r *reader) field(n ref, f *taxonomy.Field, to any) {
	switch to := to.(type) {
	case *string:
		*to = r.stringOf(n, wantOf(f))
		if f.Type == "Color" && r.kind(n) == '"' && !isColor(*to) {
			r.reportWrong(n, wantColor)
		}
	case *taxonomy.Localized:
		*to = r.localized(n)
	case *bool:
		*to = r.boolean(n)
	case *int:
		if f.Type == "Number" {
			*to = clamp(r.whole(n))
		} else {
			*to = clamp(r.count(n))
		}
	case *[]string:
		*to = r.stringList(n)
	case *taxonomy.IDs:
		if r.kind(n) == '"' {
			*to = taxonomy.IDs{r.stringOf(n, wantString)}
		} else {
			*to = r.stringList(n)
		}
	case *taxonomy.Shape:
		*to = taxonomy.Shape(r.choice(n, wantShape))
	case *taxonomy.Kind:
		*to = taxonomy.Kind(r.choice(n, wantVariableKind))
	default:
		v := reflect.ValueOf(to).Elem()
		if v.Kind() == reflect.Slice {
			r.records(n, to, true)
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		r.record(n, v.Interface(), true)
	}
}

// wantOf returns the expected value of a field.
func wantOf(f *taxonomy.Field) *want {
	switch item, isList := strings.CutPrefix(f.Type, "[]"); {
	case isList && strings.HasSuffix(item, "ID"):
		return wantStrings
	case isList:
		return wantArray
	case f.Type == "Localized":
		return wantLocalized
	case f.Type == "Shape":
		return wantShape
	case f.Type == "Color":
		return wantColor
	}
	return wantString
}

// records parses the array n into a pointer to a list of records.
func (r *reader) records(n ref, to any, released bool) {
	if !r.isArray(n, wantArray) {
		return
	}
	list := reflect.ValueOf(to).Elem()
	list.Set(reflect.MakeSlice(list.Type(), 0, min(r.size(n), maxPrealloc)))
	for _, item := range r.items(n) {
		last := list.Len()
		list.Grow(1)
		list.SetLen(last + 1)
		r.record(item, list.Index(last).Addr().Interface(), released)
		if r.found.errors.total > 0 { // see keep
			list.Index(last).SetZero()
			list.SetLen(last)
		}
	}
}

// clamp returns f as an int between plus and minus one billion. Numbers beyond that
// make no difference to any rule.
func clamp(f float64) int { return int(max(-1e9, min(f, 1e9))) }

func shapeNames() []string {
	names := make([]string, len(taxonomy.Shapes))
	for i, s := range taxonomy.Shapes {
		names[i] = string(s)
	}
	return names
}

func (r *reader) choice(n ref, w *want) string {
	s := r.stringOf(n, w)
	if r.kind(n) == '"' && !slices.Contains(w.choices, s) {
		r.reportWrong(n, w)
	}
	return s
}

func isColor(s string) bool {
	digits, ok := strings.CutPrefix(s, "#")
	return ok && len(digits) == 6 && strings.Trim(digits, "0123456789abcdefABCDEF") == ""
}

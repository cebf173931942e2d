package taxonomy

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Record is a type whose fields are in the table, such as [Element].
type Record struct {
	Name     string // of the Go type and of its schema
	Served   string // describes it to clients
	Authored string // describes its file to the authors of a tree
	Rows     []*Field
	Fields   []*Field // the rows of struct fields, in the order of their JSON

	byName map[string]*Field
}

// Field is a row of the table: a member in JSON, and a key in authoring files, which
// have the keys in the order of the rows.
type Field struct {
	Name    string
	Synonym string // another name of the key
	// Type is the name of the type of its values, with the prefix [] for lists. It is
	// that of the Go type, unless a row has a more specific one. Types whose name
	// ends in ID are ids.
	Type string
	// Served describes the member to clients.
	Served string
	// Authored describes the key to authors of trees. It is empty for derived fields.
	Authored string
	// Mandatory fields must not be empty in authoring files.
	Mandatory bool
	// Needed says whether the definitions in a resolved document must have it.
	Needed Needed
	// SearchOnly fields are never part of a document.
	SearchOnly bool
	// Guide is its name in the guide for authors of documents. Without one, the guide
	// omits it.
	Guide string

	// Set for struct fields.
	Optional bool // JSON omits it if it is empty
	Index    int  // in Record.Fields; -1 for keys that are not struct fields
}

// Needed says which definitions in a resolved document need a field.
type Needed int

const (
	Nowhere    Needed = iota
	InReleases        // all except suggested elements
	Everywhere
)

// In returns a pointer to the field in a record, which is a pointer to a struct.
func (f *Field) In(record any) any {
	return reflect.ValueOf(record).Elem().Field(f.Index).Addr().Interface()
}

// Names returns the names of the key.
func (f *Field) Names() []string {
	if f.Synonym == "" {
		return []string{f.Name}
	}
	return []string{f.Name, f.Synonym}
}

// Field returns the struct field with the given name, or nil.
func (r *Record) Field(name string) *Field { return r.byName[name] }

// RecordOf returns the record of a pointer to a struct.
func RecordOf(record any) *Record { return byType[reflect.TypeOf(record).Elem()] }

var byType = func() map[reflect.Type]*Record {
	types := make(map[reflect.Type]*Record)
	for _, record := range []any{
		DatachainType{}, Subchain{}, Category{}, Context{}, ContextValue{}, Element{}, Deprecation{}, Variable{}, Option{}, Source{}, Example{},
	} {
		t := reflect.TypeOf(record)
		i := slices.IndexFunc(Records, func(r *Record) bool { return r.Name == t.Name() })
		Records[i].bind(t)
		types[t] = Records[i]
	}
	return types
}()

// bind connects the rows with the fields of a struct. It panics if a field has no row.
func (r *Record) bind(t reflect.Type) {
	r.byName = make(map[string]*Field)
	for _, f := range r.Rows {
		f.Index = -1
	}
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		n := slices.IndexFunc(r.Rows, func(f *Field) bool { return f.Name == name })
		if n < 0 {
			panic(fmt.Sprintf("taxonomy: the table has no row for %s.%s", t.Name(), t.Field(i).Name))
		}
		f := r.Rows[n]
		f.Index, f.Optional = i, options == "omitzero"
		if f.Type == "" {
			f.Type = typeName(t.Field(i).Type)
		}
		r.Fields = append(r.Fields, f)
		r.byName[name] = f
	}
}

func typeName(t reflect.Type) string {
	switch {
	case t.Kind() == reflect.Bool:
		return "Boolean"
	case t.Kind() == reflect.Int:
		return "Count"
	case t.Kind() == reflect.Pointer:
		return t.Elem().Name()
	case t.Name() == "":
		return "[]" + t.Elem().Name()
	}
	return t.Name()
}

package source

import (
	"cmp"
	"reflect"
	"slices"

	yaml "go.yaml.in/yaml/v4"

	"placard/internal/core/icon"
	"placard/internal/core/taxonomy"
)

// record reads a record of the taxonomy, except for the fields that have been read
// already, and reports unknown fields.
func (f *fields) record(to any) {
	for _, field := range taxonomy.RecordOf(to).Fields {
		if field.Authored == "" || slices.Contains(f.known, field.Name) {
			continue
		}
		_, isType := to.(*taxonomy.DatachainType)
		read := f.optional
		switch {
		case isType && field.Name == "categories": // A rule reports its absence.
			read = f.expected
		case field.Mandatory:
			read = f.required
		}
		if n := read(field.Names()...); n != nil {
			f.value(n, field.In(to))
		}
	}
	switch to := to.(type) {
	case *taxonomy.ContextValue:
		if c, ok := icon.ParseColor(to.Color); ok {
			to.Color = c.String()
		}
	case *taxonomy.Variable:
		to.Kind = cmp.Or(to.Kind, taxonomy.DefaultKind)
	}
	f.reportUnknown()
}

// value reads the value of a field into a pointer to it.
func (f *fields) value(n *yaml.Node, to any) {
	switch to := to.(type) {
	case *string:
		*to = f.text(n)
	case *taxonomy.Localized:
		*to = f.localized(n)
	case *taxonomy.Keywords:
		*to = f.keywords(n)
	case *bool:
		*to = f.boolean(n)
	case *int:
		*to = f.count(n)
	case *[]string:
		*to = f.texts(n)
	case *taxonomy.IDs:
		if n.Kind == yaml.SequenceNode {
			*to = f.texts(n)
		} else if id := f.text(n); id != "" {
			*to = taxonomy.IDs{id}
		}
	case *taxonomy.Shape:
		*to = taxonomy.Shape(f.text(n))
	case *taxonomy.Kind:
		*to = taxonomy.Kind(f.text(n))
	default:
		v := reflect.ValueOf(to).Elem()
		if v.Kind() == reflect.Slice {
			f.records(n, v)
		} else if inner := f.mapping(n); inner != nil {
			v.Set(reflect.New(v.Type().Elem()))
			inner.record(v.Interface())
		}
	}
}

// records reads a list of records. For an item that is not a mapping, the list has a
// zero value, so that indexes in the list match those in the file.
func (f *fields) records(n *yaml.Node, list reflect.Value) {
	for _, item := range f.items(n) {
		record := reflect.New(list.Type().Elem())
		if inner := f.mapping(item); inner != nil {
			inner.record(record.Interface())
		}
		list.Set(reflect.Append(list, record.Elem()))
	}
}

// record writes a record of the taxonomy, with an order number unless it is nil.
func (w *yamlWriter) record(from any, order *int) {
	for _, f := range taxonomy.RecordOf(from).Rows {
		switch {
		case f.Authored == "":
		case f.Name == "order":
			if order != nil {
				w.number(f.Name, *order)
			}
		case f.Index >= 0:
			w.value(f.Name, f.In(from))
		}
	}
}

// value writes a field, given a pointer to it.
func (w *yamlWriter) value(name string, from any) {
	switch from := from.(type) {
	case *string:
		w.text(name, *from)
	case *taxonomy.Localized:
		w.localized(name, *from)
	case *taxonomy.Keywords:
		w.keywords(name, *from)
	case *bool:
		w.flag(name, *from)
	case *int:
		w.count(name, *from)
	case *[]string:
		w.ids(name, *from)
	case *taxonomy.IDs:
		if len(*from) == 1 {
			w.text(name, (*from)[0])
		} else {
			w.ids(name, *from)
		}
	case *taxonomy.Shape:
		w.text(name, string(*from))
	case *taxonomy.Kind:
		if *from != taxonomy.DefaultKind {
			w.text(name, string(*from))
		}
	default:
		v := reflect.ValueOf(from).Elem()
		if v.Kind() == reflect.Slice {
			w.records(name, v)
		} else if !v.IsNil() {
			w.group(name, func() { w.record(v.Interface(), nil) })
		}
	}
}

// records writes a list of records.
func (w *yamlWriter) records(name string, list reflect.Value) {
	if list.Len() == 0 {
		return
	}
	w.field(name, "")
	w.indent += 4
	for i := range list.Len() {
		w.item = true
		w.record(list.Index(i).Addr().Interface(), nil)
	}
	w.indent -= 4
}

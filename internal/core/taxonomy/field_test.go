package taxonomy

import (
	"slices"
	"testing"
)

func TestRowsOfTheTableAreComplete(t *testing.T) {
	for _, r := range Records {
		for _, f := range r.Rows {
			switch {
			case f.Type == "":
				t.Errorf("%s.%s has no type", r.Name, f.Name)
			case f.Type == "string" || f.Type == "[]string":
				t.Errorf("%s.%s has the type %s, want a more specific one", r.Name, f.Name, f.Type)
			case f.Index < 0 && f.Authored == "":
				t.Errorf("%s.%s is neither a field nor a key", r.Name, f.Name)
			case f.Mandatory && f.Authored == "":
				t.Errorf("%s.%s is mandatory, but authors cannot write it", r.Name, f.Name)
			case f.Index >= 0 && r.Fields[f.Index] != f:
				t.Errorf("%s.%s is not at its index", r.Name, f.Name)
			}
			if same := func(other *Field) bool { return other.Name == f.Name }; len(slices.DeleteFunc(slices.Clone(r.Rows), same)) != len(r.Rows)-1 {
				t.Errorf("%s.%s has two rows", r.Name, f.Name)
			}
		}
	}
}

func TestFieldsAreFoundInRecords(t *testing.T) {
	e := &Element{Title: Localized{{"en", "Camera"}}}
	title := RecordOf(e).Field("title").In(e).(*Localized)
	if text, _ := title.Get("en"); text != "Camera" || title != &e.Title {
		t.Errorf("got %v, want the title of the element", title)
	}
	if f := RecordOf(e).Field("order"); f != nil {
		t.Errorf("got field %v, want none: the order of elements is only a key", f.Name)
	}
}

package taxonomy

import "testing"

func TestEveryKindIsHandled(t *testing.T) {
	for _, k := range Kinds {
		k.HasOptions() // panics on a kind it does not handle
		if k.ValueNoun() == "" || !k.IsKnown() {
			t.Errorf("kind %q: got value noun %q, known %t, want a noun and true", k, k.ValueNoun(), k.IsKnown())
		}
	}
	if !DefaultKind.IsKnown() {
		t.Errorf("the default kind %q is not in Kinds", DefaultKind)
	}
}

func TestUnknownKinds(t *testing.T) {
	const unknown Kind = "number"
	if unknown.IsKnown() {
		t.Errorf("Kind(%q).IsKnown() = true, want false", unknown)
	}
	defer func() {
		if recover() == nil {
			t.Errorf("Kind(%q).HasOptions() did not panic", unknown)
		}
	}()
	unknown.HasOptions()
}

func TestDescribeValues(t *testing.T) {
	const want = "A localized string for localized_text, an array of option ids for multi_select_enum."
	if got := DescribeValues(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

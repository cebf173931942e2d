package taxonomy

import (
	"slices"
	"strings"
)

// Kind is the type of a variable's values.
type Kind string

const (
	LocalizedText   Kind = "localized_text"
	MultiSelectEnum Kind = "multi_select_enum"
)

// DefaultKind is the kind of a variable that names none.
const DefaultKind = LocalizedText

// Kinds lists every kind. Every switch over kinds covers all of them and panics
// on any other value; tests run each switch with all kinds in this list.
var Kinds = []Kind{LocalizedText, MultiSelectEnum}

// IsKnown reports whether k is one of [Kinds].
func (k Kind) IsKnown() bool { return slices.Contains(Kinds, k) }

// HasOptions reports whether a variable of kind k lists the options that its
// values are chosen from.
func (k Kind) HasOptions() bool {
	switch k {
	case LocalizedText:
		return false
	case MultiSelectEnum:
		return true
	}
	panic(k.unhandled())
}

// ValueNoun returns the noun, with its article, for a value of kind k.
func (k Kind) ValueNoun() string {
	switch k {
	case LocalizedText:
		return "a localized string"
	case MultiSelectEnum:
		return "an array of option ids"
	}
	panic(k.unhandled())
}

func (k Kind) unhandled() string { return "taxonomy: unhandled kind of variable: " + string(k) }

// KindNames returns the names of [Kinds].
func KindNames() []string {
	names := make([]string, len(Kinds))
	for i, k := range Kinds {
		names[i] = string(k)
	}
	return names
}

// DescribeValues returns a sentence that describes the values of each kind.
func DescribeValues() string {
	parts := make([]string, len(Kinds))
	for i, k := range Kinds {
		parts[i] = k.ValueNoun() + " for " + string(k)
	}
	s := strings.Join(parts, ", ") + "."
	return strings.ToUpper(s[:1]) + s[1:]
}

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

// Kinds lists every kind.
var Kinds = []Kind{LocalizedText, MultiSelectEnum}

// IsKnown reports whether k is one of [Kinds].
func (k Kind) IsKnown() bool { return slices.Contains(Kinds, k) }

// HasOptions reports whether a variable of kind k lists the options that its
// values are chosen from.
func (k Kind) HasOptions() bool { return ByKind(k, false, true) }

// ValueNoun returns the noun, with its article, for a value of kind k.
func (k Kind) ValueNoun() string { return ByKind(k, "a localized string", "an array of option ids") }

// ByKind returns the argument for the kind k. It has one parameter for each kind, so
// that code that depends on the kind does not compile until it handles a new one.
func ByKind[T any](k Kind, localizedText, multiSelectEnum T) T {
	switch k {
	case LocalizedText:
		return localizedText
	case MultiSelectEnum:
		return multiSelectEnum
	}
	panic("taxonomy: unknown kind of variable: " + string(k))
}

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

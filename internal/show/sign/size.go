package sign

import (
	"strings"

	"placard/internal/core/problem"
)

// Size is the size of a sign in millimetres.
type Size struct {
	Name          string
	Width, Height float64
}

// Sizes lists the sizes of signs. The first is the default.
var Sizes = []Size{
	{"A4", 210, 297},
	{"A3", 297, 420},
	{"A5", 148, 210},
	{"letter", 215.9, 279.4},
	{"square", 300, 300},
}

// SizeNames returns the names of [Sizes].
func SizeNames() []string {
	names := make([]string, len(Sizes))
	for i, s := range Sizes {
		names[i] = s.Name
	}
	return names
}

// ParseSize returns the size with the given name, in any case. An empty name is the
// default.
func ParseSize(name string) (Size, error) {
	if name == "" {
		return Sizes[0], nil
	}
	for _, s := range Sizes {
		if strings.EqualFold(s.Name, name) {
			return s, nil
		}
	}
	return Size{}, problem.New(problem.BadRequest, "%q is not a size.", problem.Clip(name)).
		In(problem.Root.Field("size")).Hint("Use %s.", problem.OneOf(SizeNames()))
}

// unit is the length on a sign of this size that corresponds to one millimetre on
// A4.
func (s Size) unit() float64 {
	return min(s.Width/Sizes[0].Width, s.Height/Sizes[0].Height)
}

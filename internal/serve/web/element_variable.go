package web

import (
	"slices"

	"placard/internal/core/taxonomy"
)

// variableData is a detail that documents add to an element.
type variableData struct {
	Label    Text
	Kind     string
	Required bool
	Options  []option
	Folded   bool // there are many options
	Others   int  // options that are not listed
}

type option struct{ Name, Description Text }

func (b *elementBuilder) variables() []variableData {
	var all []variableData
	for i := range b.element.Variables {
		v := &b.element.Variables[i]
		data := variableData{Label: b.local(v.Label, v.ID), Required: v.Required}
		options := optionsFor(v, b.element.ID)
		if v.Kind.HasOptions() {
			data.Kind = b.ui.count("element.kind."+string(v.Kind), len(options))
		} else {
			data.Kind = b.ui.get("element.kind." + string(v.Kind))
		}
		shown := options[:min(len(options), maxListed)]
		for _, o := range shown {
			data.Options = append(data.Options, option{b.local(o.Name, o.ID), b.text(b.release, o.Description)})
		}
		data.Folded, data.Others = len(shown) > maxUnfolded, len(options)-len(shown)
		all = append(all, data)
	}
	return all
}

// optionsFor returns the options of v that apply to an element.
func optionsFor(v *taxonomy.Variable, element string) []taxonomy.Option {
	var options []taxonomy.Option
	for _, o := range v.Options {
		if len(o.AppliesTo) == 0 || slices.Contains(o.AppliesTo, element) {
			options = append(options, o)
		}
	}
	return options
}

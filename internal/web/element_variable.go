package web

import (
	"slices"

	"placard/internal/release"
	"placard/internal/taxonomy"
)

// variableData is a detail that disclosures add to an element.
type variableData struct {
	ID       string
	Label    Text
	Kind     string
	Required bool
	Options  []option
	Folded   bool // there are many options
	Others   int  // options that are not listed
}

type option struct{ Name, Description Text }

func (q *request) elementVariables(r *release.Release, e *taxonomy.Element) []variableData {
	var variables []variableData
	for i := range e.Variables {
		v := &e.Variables[i]
		data := variableData{ID: v.ID, Label: q.text(r, v.Label), Required: v.Required}
		if data.Label.Value == "" {
			data.Label = Text{Value: v.ID}
		}
		options := optionsFor(v, e.ID)
		if v.Kind.HasOptions() {
			data.Kind = q.ui.count("element.kind."+string(v.Kind), len(options))
		} else {
			data.Kind = q.ui.get("element.kind." + string(v.Kind))
		}
		shown := options[:min(len(options), maxListed)]
		for _, o := range shown {
			name := q.text(r, o.Name)
			if name.Value == "" {
				name = Text{Value: o.ID}
			}
			data.Options = append(data.Options, option{name, q.text(r, o.Description)})
		}
		data.Folded, data.Others = len(shown) > maxUnfolded, len(options)-len(shown)
		variables = append(variables, data)
	}
	return variables
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

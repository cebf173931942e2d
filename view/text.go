package view

import "strings"

// Text returns the model as plain text, for readers that show nothing else.
func (m *Model) Text() string {
	var b strings.Builder
	line := func(indent string, texts ...string) {
		b.WriteString(indent)
		b.WriteString(strings.Join(texts, ""))
		b.WriteByte('\n')
	}
	line("", m.Title.String())
	if !m.Description.IsZero() {
		line("", m.Description.String())
	}
	for _, part := range m.Parts {
		for _, strand := range part.Strands {
			if part.ID != "" {
				line("\n", part.Name.String(), ": ", strand.Title.String())
			}
			for _, section := range strand.Sections {
				line("\n", section.Name.String())
				for i := range section.Placements {
					said := strings.Join(section.Placements[i].lines(), "\n")
					line("- ", strings.ReplaceAll(said, "\n", "\n  "))
				}
			}
		}
	}
	return b.String()
}

// lines are what a placement says: what it is, then each of its values.
func (p *Placement) lines() []string {
	first := p.Title.String()
	if !p.Label.IsZero() {
		first = p.Label.String() + ": " + first
	}
	var marks []string
	if p.Context != nil {
		marks = append(marks, p.Context.Value.String())
	}
	if !p.Proposed.IsZero() {
		marks = append(marks, p.Proposed.String())
	}
	if len(marks) > 0 {
		first += " (" + strings.Join(marks, ", ") + ")"
	}
	lines := []string{first}
	for _, v := range p.Values {
		lines = append(lines, v.Label.String()+": "+v.Value.String())
	}
	for _, a := range p.Actions {
		said := a.Target.String()
		if !a.Label.IsZero() {
			said = a.Label.String() + ": " + said
		}
		lines = append(lines, said)
	}
	return lines
}

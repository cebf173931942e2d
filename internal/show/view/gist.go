package view

// maxGist is the number of texts in a gist, of which a page shows one line.
const maxGist = 6

// Gist returns the first different answers of the section, which a page shows while the
// section is folded.
func (s Section) Gist() []Text {
	var g gist
	g.addSection(&s)
	for _, chained := range s.Chained {
		for i := 0; i < len(chained.Answers) && !g.isFull(); i++ {
			g.add(chained.Answers[i])
		}
	}
	return g
}

// Gist returns the first different titles of the strands.
func (p Part) Gist() []Text {
	var g gist
	for i := 0; i < len(p.Strands) && !g.isFull(); i++ {
		g.add(p.Strands[i].Title)
	}
	return g
}

type gist []Text

func (g *gist) addSection(s *Section) {
	for i := 0; i < len(s.Placements) && !g.isFull(); i++ {
		g.add(s.Placements[i].Answer)
	}
}

func (g gist) isFull() bool { return len(g) > maxGist }

// add adds a text, unless it is a repetition. An ellipsis takes the place of the text
// that exceeds the limit.
func (g *gist) add(t Text) {
	for _, other := range *g {
		if other.String() == t.String() {
			return
		}
	}
	if len(*g) == maxGist {
		t = Text{Text: "…"}
	}
	*g = append(*g, t)
}

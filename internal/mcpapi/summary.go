package mcpapi

import (
	"fmt"
	"strings"

	"placard/internal/problem"
	"placard/internal/view"
)

// Bytes of one name and of the description that a summary repeats.
const (
	maxName        = 200
	maxDescription = 1000
)

// maxSummary is how many bytes of a document its summary repeats.
const maxSummary = 6_000

// summary returns what a view shows, in a few plain lines: one for each
// category, with the elements placed in it.
func summary(m *view.Model) string {
	var b strings.Builder
	writeLine(&b, problem.ClipTo(m.Title.String(), maxName))
	if lead := m.Description.String(); lead != "" {
		writeLine(&b, problem.ClipTo(lead, maxDescription))
	}
	left := 0
	for _, part := range m.Parts {
		for _, strand := range part.Strands {
			for _, section := range strand.Sections {
				if b.Len() > maxSummary {
					left++
					continue
				}
				writeLine(&b, problem.ClipTo(section.Name.String(), maxName)+": "+placed(section.Placements))
			}
		}
	}
	if left > 0 {
		writeLine(&b, fmt.Sprintf("(%d more sections)", left))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// writeLine writes a text as one line.
func writeLine(b *strings.Builder, text string) {
	b.WriteString(strings.Join(strings.Fields(text), " "))
	b.WriteByte('\n')
}

func placed(placements []view.Placement) string {
	const most = 12
	var words []string
	for i, p := range placements {
		if i == most {
			words = append(words, fmt.Sprintf("%d more", len(placements)-most))
			break
		}
		word := problem.ClipTo(p.Title.String(), maxName)
		if label := p.Label.String(); label != "" {
			word = problem.ClipTo(label, maxName) + ", " + word
		}
		if p.Context != nil {
			word += " (" + problem.ClipTo(p.Context.Value.String(), maxName) + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, "; ")
}

// rendered tells an agent what came of rendering.
func rendered(sections, elements int, words string) string {
	return fmt.Sprintf("Rendered the datachain: %d sections, %d elements. Hosts that support MCP Apps display it next to this result; "+
		"the HTML document is the resource %s of this session.\n%s\n%s",
		sections, elements, viewURI, dataOnly, quoted("datachain", words))
}

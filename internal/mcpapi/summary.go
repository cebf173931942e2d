package mcpapi

import (
	"fmt"
	"strings"

	"placard/internal/problem"
	"placard/internal/view"
)

// Maximum sizes in bytes of each name and of the description in a summary.
const (
	maxName        = 200
	maxDescription = 1000
)

// maxSummary limits the size of a summary in bytes. The section that reaches the
// limit is still included.
const maxSummary = 6_000

// summary returns the contents of a view as plain text, with one line for each
// section.
func summary(m *view.Model) string {
	var b strings.Builder
	writeLine(&b, problem.ClipTo(m.Title.String(), maxName))
	if description := m.Description.String(); description != "" {
		writeLine(&b, problem.ClipTo(description, maxDescription))
	}
	omitted := 0
	for _, part := range m.Parts {
		for _, strand := range part.Strands {
			for _, section := range strand.Sections {
				if b.Len() > maxSummary {
					omitted++
					continue
				}
				writeLine(&b, problem.ClipTo(section.Name.String(), maxName)+": "+placementList(section.Placements))
			}
		}
	}
	if omitted > 0 {
		writeLine(&b, fmt.Sprintf("(%d more sections)", omitted))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// writeLine writes text as one line, collapsing white space.
func writeLine(b *strings.Builder, text string) {
	b.WriteString(strings.Join(strings.Fields(text), " "))
	b.WriteByte('\n')
}

func placementList(placements []view.Placement) string {
	const limit = 12
	var titles []string
	for i, p := range placements {
		if i == limit {
			titles = append(titles, fmt.Sprintf("%d more", len(placements)-limit))
			break
		}
		title := problem.ClipTo(p.Title.String(), maxName)
		if label := p.Label.String(); label != "" {
			title = problem.ClipTo(label, maxName) + ", " + title
		}
		if p.Context != nil {
			title += " (" + problem.ClipTo(p.Context.Value.String(), maxName) + ")"
		}
		titles = append(titles, title)
	}
	return strings.Join(titles, "; ")
}

// renderSummary returns the text result of render_datachain. stored reports
// whether the page is available as a resource.
func renderSummary(sections, elements int, text string, stored bool) string {
	resource := ""
	if stored {
		resource = "; the HTML document is the resource " + viewURI + " of this session"
	}
	return fmt.Sprintf("Rendered the datachain: %d sections, %d elements. Hosts that support MCP Apps display it next to this result%s.\n%s\n%s",
		sections, elements, resource, untrustedNotice, fence("datachain", text))
}

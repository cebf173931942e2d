package view

import (
	"cmp"
	"slices"

	"placard/internal/core/datachain"
	"placard/internal/core/link"
	"placard/internal/core/taxonomy"
)

// about returns the provenance and sources of the document.
func (b *builder) about() Notes {
	d, l := b.doc, b.labels
	n := Notes{Summary: b.labelText(l.about), Sources: b.sources(d.Sources)}
	if p := d.Provenance; p != nil {
		switch p.Kind {
		case datachain.Human:
			n.Facts = b.appendText(n.Facts, l.origin, b.labelText(l.human))
		case datachain.AIGenerated:
			n.Facts = b.appendText(n.Facts, l.origin, b.labelText(l.ai))
		default:
			n.Facts = b.appendFact(n.Facts, l.origin, p.Kind)
		}
		n.Facts = b.appendFact(n.Facts, l.model, p.Model)
		n.Facts = b.appendText(n.Facts, l.generated, b.date(p.GeneratedAt))
	}
	n.Facts = b.appendText(n.Facts, l.created, b.date(d.CreatedAt))
	n.Facts = b.appendFact(n.Facts, l.document, d.ID)
	n.Facts = b.appendFact(n.Facts, l.vocabulary, d.SchemaVersion.String())
	return n
}

// placementNotes returns the provenance and sources of p and its element.
func (b *builder) placementNotes(p *datachain.Placement, e *element) *Notes {
	n := &Notes{Sources: b.sources(p.Sources, e.Sources)}
	provenance := b.provenance[p.ElementInstanceID]
	if p.ElementInstanceID == "" || provenance == nil {
		// The provenance of an element is ambiguous if it is placed repeatedly.
		if provenance = b.provenance[e.ID]; e.uses > 1 {
			provenance = nil
		}
	}
	if provenance != nil {
		b.addProvenance(n, provenance, e)
	}
	return b.summarize(n)
}

func (b *builder) addProvenance(n *Notes, p *datachain.ElementProvenance, e *element) {
	l := b.labels
	n.Facts = b.appendFact(n.Facts, l.rationale, p.Rationale)
	levels := map[string]string{"high": l.high, "medium": l.medium, "low": l.low}
	if level := levels[p.Confidence]; level != "" {
		n.Facts = b.appendText(n.Facts, l.confidence, b.labelText(level))
	} else {
		n.Facts = b.appendFact(n.Facts, l.confidence, p.Confidence)
	}
	rationales := slices.Clone(p.VariableRationale)
	slices.SortStableFunc(rationales, func(x, y datachain.VariableRationale) int {
		return cmp.Compare(e.variableIndex(x.VariableID), e.variableIndex(y.VariableID))
	})
	for _, r := range rationales {
		v := e.variable(r.VariableID)
		if text := b.untagged(r.Text); v != nil && !text.IsZero() {
			n.Facts = append(n.Facts, Fact{Label: b.nameOrID(v.Label, v.ID), Value: text})
		}
	}
	for _, r := range p.SourceReferences {
		if quote := b.untagged(r.Quote); !quote.IsZero() {
			n.Quotes = append(n.Quotes, Quote{quote, b.untagged(r.Context)})
		}
	}
}

// sources returns the sources without duplicates.
func (b *builder) sources(lists ...[]taxonomy.Source) []Source {
	var sources []Source
	seen := make(map[taxonomy.Source]bool)
	for _, s := range slices.Concat(lists...) {
		if b.add(1); b.err != nil {
			break
		}
		if seen[s] {
			continue
		}
		seen[s] = true
		source := Source{Title: b.untagged(s.Title), Href: link.Web(s.URL), Citation: b.untagged(s.Citation)}
		if source.Title.IsZero() {
			source.Title = b.address(s.URL)
		} else if source.Href == "" {
			source.Address = b.address(s.URL)
		}
		if !source.Title.IsZero() {
			sources = append(sources, source)
		}
	}
	return sources
}

// summarize sets the summary of n. It returns nil if n is empty.
func (b *builder) summarize(n *Notes) *Notes {
	l := b.labels
	hasProvenance := len(n.Facts)+len(n.Quotes) > 0
	switch {
	case hasProvenance && len(n.Sources) > 0:
		n.Summary = b.labelText(l.provenanceAndSources)
	case hasProvenance:
		n.Summary = b.labelText(l.provenance)
	case len(n.Sources) > 0:
		n.Summary = b.labelText(l.sources)
	default:
		return nil
	}
	return n
}

package view

import (
	"cmp"
	"slices"

	"placard/internal/datachain"
	"placard/internal/taxonomy"
)

// documentNotes say where the document as a whole comes from.
func (b *builder) documentNotes() *Notes {
	n := &Notes{Sources: b.sources(b.doc.Sources)}
	if p := b.doc.Provenance; p != nil {
		l := b.labels
		switch p.Kind {
		case datachain.Human:
			n.Facts = append(n.Facts, Fact{b.said(l.origin), b.said(l.human)})
		case datachain.AIGenerated:
			n.Facts = append(n.Facts, Fact{b.said(l.origin), b.said(l.machine)})
		default:
			n.Facts = b.fact(n.Facts, l.origin, p.Kind)
		}
		n.Facts = b.fact(n.Facts, l.model, p.Model)
		n.Facts = b.fact(n.Facts, l.generated, day(p.GeneratedAt))
	}
	return b.summed(n)
}

// placementNotes say why p is there, and what it and its element rest on.
func (b *builder) placementNotes(p *datachain.Placement, e *element) *Notes {
	n := &Notes{Sources: b.sources(p.Sources, e.Sources)}
	from := b.provenance[p.ElementInstanceID]
	if p.ElementInstanceID == "" || from == nil {
		if from = b.provenance[e.ID]; e.placed > 1 {
			from = nil
		}
	}
	if from != nil {
		b.explain(n, from, e)
	}
	return b.summed(n)
}

func (b *builder) explain(n *Notes, from *datachain.ElementProvenance, e *element) {
	l := b.labels
	n.Facts = b.fact(n.Facts, l.rationale, from.Rationale)
	known := map[string]string{"high": l.high, "medium": l.medium, "low": l.low}
	if word := known[from.Confidence]; word != "" {
		n.Facts = append(n.Facts, Fact{b.said(l.confidence), b.said(word)})
	} else {
		n.Facts = b.fact(n.Facts, l.confidence, from.Confidence)
	}
	reasons := slices.Clone(from.VariableRationale)
	slices.SortStableFunc(reasons, func(x, y datachain.VariableRationale) int {
		return cmp.Compare(e.position(x.VariableID), e.position(y.VariableID))
	})
	for _, r := range reasons {
		v := e.variable(r.VariableID)
		if said := b.plain(r.Text); v != nil && !said.IsZero() {
			n.Facts = append(n.Facts, Fact{b.named(v.Label, v.ID), said})
		}
	}
	for _, r := range from.SourceReferences {
		if quote := b.plain(r.Quote); !quote.IsZero() {
			n.Quotes = append(n.Quotes, Quote{quote, b.plain(r.Context)})
		}
	}
}

// sources returns each of the sources once.
func (b *builder) sources(lists ...[]taxonomy.Source) []Source {
	var sources []Source
	seen := make(map[taxonomy.Source]bool)
	for _, s := range slices.Concat(lists...) {
		if b.spend(1); seen[s] || b.full() {
			continue
		}
		seen[s] = true
		shown := Source{Title: b.plain(s.Title), Href: webLink(s.URL), Citation: b.plain(s.Citation)}
		if shown.Title.IsZero() {
			shown.Title = b.address(s.URL)
		} else if shown.Href == "" {
			shown.Address = b.address(s.URL)
		}
		if !shown.Title.IsZero() {
			sources = append(sources, shown)
		}
	}
	return sources
}

// summed gives notes their heading, or returns nil where they say nothing.
func (b *builder) summed(n *Notes) *Notes {
	l := b.labels
	told := len(n.Facts)+len(n.Quotes) > 0
	switch {
	case told && len(n.Sources) > 0:
		n.Summary = b.said(l.both)
	case told:
		n.Summary = b.said(l.provenance)
	case len(n.Sources) > 0:
		n.Summary = b.said(l.sources)
	default:
		return nil
	}
	return n
}

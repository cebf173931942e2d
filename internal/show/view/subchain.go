package view

import (
	"cmp"
	"iter"
	"slices"
	"strconv"

	"placard/internal/core/datachain"
	"placard/internal/core/taxonomy"
)

// parts groups the placements by category. A subchain, with its instances side by
// side, takes the position of its first category.
func (b *builder) parts() []Part {
	instances := b.subchainInstances()
	unchained := make(map[*category][]int) // placements outside any instance
	for i := range b.doc.Elements {
		if inst := instances[b.doc.Elements[i].SubchainInstanceID]; inst != nil {
			inst.placements = append(inst.placements, i)
		} else {
			unchained[b.placed[i].category] = append(unchained[b.placed[i].category], i)
		}
	}
	var parts []Part
	var strand Strand
	flush := func() {
		if len(strand.Sections) > 0 {
			parts = append(parts, Part{Strands: []Strand{strand}})
			strand = Strand{}
		}
	}
	chains := b.chains(instances)
	for position, c := range b.orderedCategories() {
		for len(chains) > 0 && chains[0].position <= position {
			flush()
			parts = append(parts, b.chain(chains[0]))
			chains = chains[1:]
		}
		if placements := unchained[c]; len(placements) > 0 {
			strand.Sections = append(strand.Sections, b.section(c, placements))
		}
	}
	flush()
	for _, c := range chains {
		parts = append(parts, b.chain(c))
	}
	referToChains(parts)
	return parts
}

// referToChains adds the answers in subchains to the sections of the same categories
// outside of them, which would otherwise seem to be complete.
func referToChains(parts []Part) {
	chained := make(map[string][]ChainedAnswers) // by category
	for _, part := range parts {
		if !part.IsSubchain() {
			continue
		}
		for s := range part.sections() {
			list := chained[s.Category]
			if len(list) == 0 || list[len(list)-1].Chain.Anchor != part.Anchor {
				list = append(list, ChainedAnswers{Chain: Link{part.Name, part.Anchor}})
			}
			list[len(list)-1].Answers.addSection(s)
			chained[s.Category] = list
		}
	}
	for _, part := range parts {
		if part.IsSubchain() {
			continue
		}
		for s := range part.sections() {
			s.Chained = chained[s.Category]
		}
	}
}

// sections yields the sections of all strands.
func (p Part) sections() iter.Seq[*Section] {
	return func(yield func(*Section) bool) {
		for _, strand := range p.Strands {
			for i := range strand.Sections {
				if !yield(&strand.Sections[i]) {
					return
				}
			}
		}
	}
}

// orderedCategories returns the categories, the group of elements without one
// last.
func (b *builder) orderedCategories() []*category {
	if other := b.byCategory[""]; other != nil && !slices.Contains(b.categories, other) {
		return append(slices.Clip(b.categories), other)
	}
	return b.categories
}

// instance is an instance of a subchain with its placements.
type instance struct {
	*datachain.SubchainInstance
	placements []int
}

// chain is a subchain with its non-empty instances.
type chain struct {
	subchain  *taxonomy.Subchain
	position  int // of its first category
	instances []*instance
}

func (b *builder) subchainInstances() map[string]*instance {
	instances := make(map[string]*instance, len(b.doc.SubchainInstances))
	for i := range b.doc.SubchainInstances {
		inst := &b.doc.SubchainInstances[i]
		if instances[inst.ID] == nil && inst.ID != "" {
			instances[inst.ID] = &instance{SubchainInstance: inst}
		}
	}
	return instances
}

// chains returns the subchains that have placements, sorted by their first
// category. Instances are sorted by their order field; equal ones keep their
// order in the document.
func (b *builder) chains(instances map[string]*instance) []*chain {
	var chains []*chain
	byID := make(map[string]*chain)
	for i := range b.doc.SubchainInstances {
		inst := instances[b.doc.SubchainInstances[i].ID]
		if inst == nil || inst.SubchainInstance != &b.doc.SubchainInstances[i] || len(inst.placements) == 0 {
			continue
		}
		c := byID[inst.SubchainID]
		if c == nil {
			c = b.newChain(inst.SubchainID)
			byID[inst.SubchainID] = c
			chains = append(chains, c)
		}
		for _, p := range inst.placements {
			c.position = min(c.position, b.placed[p].category.position)
		}
		c.instances = append(c.instances, inst)
	}
	for _, c := range chains {
		slices.SortStableFunc(c.instances, func(x, y *instance) int { return cmp.Compare(x.Order, y.Order) })
	}
	slices.SortStableFunc(chains, func(x, y *chain) int { return cmp.Compare(x.position, y.position) })
	return chains
}

func (b *builder) newChain(id string) *chain {
	c := &chain{subchain: &taxonomy.Subchain{ID: id}, position: len(b.categories)}
	if i := slices.IndexFunc(b.typ.Subchains, func(s taxonomy.Subchain) bool { return s.ID == id }); i >= 0 {
		c.subchain = &b.typ.Subchains[i]
	}
	for _, id := range c.subchain.Categories {
		if category := b.byCategory[id]; category != nil {
			c.position = min(c.position, category.position)
		}
	}
	return c
}

func (b *builder) chain(c *chain) Part {
	part := Part{Name: b.nameOrID(c.subchain.Name, c.subchain.ID), Anchor: b.anchor()}
	for n, inst := range c.instances {
		if b.err != nil {
			break
		}
		strand := Strand{Title: b.strandTitle(inst, n+1)}
		slices.SortStableFunc(inst.placements, func(x, y int) int {
			return cmp.Compare(b.placed[x].category.position, b.placed[y].category.position)
		})
		for len(inst.placements) > 0 {
			category := b.placed[inst.placements[0]].category
			end := slices.IndexFunc(inst.placements, func(p int) bool { return b.placed[p].category != category })
			if end < 0 {
				end = len(inst.placements)
			}
			strand.Sections = append(strand.Sections, b.section(category, inst.placements[:end]))
			inst.placements = inst.placements[end:]
		}
		part.Strands = append(part.Strands, strand)
	}
	return part
}

// strandTitle returns the label of an instance, or else the names of its head_refs, or
// a numbered title if it has none.
func (b *builder) strandTitle(inst *instance, n int) Text {
	if label := b.label(inst.Label); !label.IsZero() {
		return label
	}
	var heads []Text
	for _, ref := range inst.HeadRefs {
		if b.err != nil {
			break
		}
		if head, ok := b.head(ref); ok {
			heads = append(heads, head)
		}
	}
	if len(heads) == 0 {
		return b.labelText(b.labels.chain + " " + strconv.Itoa(n))
	}
	return b.join(heads)
}

// head returns the name of the placement or element that a head_ref refers to.
func (b *builder) head(ref string) (name Text, ok bool) {
	if i, ok := b.instances[ref]; ok {
		return b.placement(i).Heading, true
	}
	if e := b.elements[ref]; e != nil {
		return b.title(new(datachain.Placement), e), true
	}
	return Text{}, false
}

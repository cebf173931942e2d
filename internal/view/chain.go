package view

import (
	"cmp"
	"slices"
	"strconv"

	"placard/internal/datachain"
	"placard/internal/taxonomy"
)

// parts arranges the placements: category by category and, where the first
// category of a subchain comes, the instances of that subchain side by side.
func (b *builder) parts() []Part {
	instances := b.subchainInstances()
	loose := make(map[*category][]int) // placements that belong to no instance
	for i := range b.doc.Elements {
		if inst := instances[b.doc.Elements[i].SubchainInstanceID]; inst != nil {
			inst.placements = append(inst.placements, i)
		} else {
			loose[b.placed[i].category] = append(loose[b.placed[i].category], i)
		}
	}
	var parts []Part
	var plain Strand
	flush := func() {
		if len(plain.Sections) > 0 {
			parts = append(parts, Part{Strands: []Strand{plain}})
			plain = Strand{}
		}
	}
	chains := b.chains(instances)
	for at, c := range b.inOrder() {
		for len(chains) > 0 && chains[0].position <= at {
			flush()
			parts = append(parts, b.chain(chains[0]))
			chains = chains[1:]
		}
		if placements := loose[c]; len(placements) > 0 {
			plain.Sections = append(plain.Sections, b.section(c, placements, 2))
		}
	}
	flush()
	for _, c := range chains {
		parts = append(parts, b.chain(c))
	}
	return parts
}

// inOrder are the categories, with the place of what has none last.
func (b *builder) inOrder() []*category {
	if other := b.byCategory[""]; other != nil && !slices.Contains(b.categories, other) {
		return append(slices.Clip(b.categories), other)
	}
	return b.categories
}

// instance is an occurrence of a subchain, with its placements.
type instance struct {
	*datachain.SubchainInstance
	placements []int
}

// chain is a subchain with those of its instances that have placements.
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

// chains returns the subchains that occur, in the order of their first
// categories. Their instances are ordered as they say, or as they were written.
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
	for i := range b.typ.Subchains {
		if s := &b.typ.Subchains[i]; s.ID == id {
			c.subchain = s
			break
		}
	}
	for _, id := range c.subchain.Categories {
		if category := b.byCategory[id]; category != nil {
			c.position = min(c.position, category.position)
		}
	}
	return c
}

func (b *builder) chain(c *chain) Part {
	part := Part{Name: b.named(c.subchain.Name, c.subchain.ID)}
	for n, inst := range c.instances {
		if b.full() {
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
			strand.Sections = append(strand.Sections, b.section(category, inst.placements[:end], 4))
			inst.placements = inst.placements[end:]
		}
		part.Strands = append(part.Strands, strand)
	}
	return part
}

// strandTitle names an instance after what it begins with; one that does not
// say gets a number.
func (b *builder) strandTitle(inst *instance, n int) Text {
	var heads []Text
	for _, ref := range inst.HeadRefs {
		if b.full() {
			break
		}
		if head, ok := b.head(ref); ok {
			heads = append(heads, head)
		}
	}
	if len(heads) == 0 {
		return b.said(b.labels.chain + " " + strconv.Itoa(n))
	}
	return b.list(heads)
}

// head returns the name of what a head_ref names: a placement, or an element.
func (b *builder) head(ref string) (name Text, ok bool) {
	if i, ok := b.instances[ref]; ok {
		if label := b.label(&b.doc.Elements[i]); !label.IsZero() {
			return label, true
		}
		return b.title(&b.doc.Elements[i], b.placed[i]), true
	}
	if e := b.elements[ref]; e != nil {
		return b.title(new(datachain.Placement), e), true
	}
	return Text{}, false
}

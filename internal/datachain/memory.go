package datachain

import (
	"sync"

	"placard/internal/taxonomy"
)

// memory is what documents are made of beside their text: nodes, and the lists
// that there are many or long ones of. It serves one document after the other.
type memory struct {
	reader     reader
	tree       tree
	locales    []ref
	placements []Placement
	texts      slab[taxonomy.Text]
	words      slab[string]
	variables  slab[Variable]
}

var memories = sync.Pool{New: func() any { return new(memory) }}

// most that is kept for the next document: what is larger is rare.
const (
	mostNodes      = 1 << 15
	mostPlacements = 1 << 10
)

// release empties m, so that it holds on to no text, and hands it to the next
// document.
func (m *memory) release() {
	if cap(m.tree.nodes) > mostNodes || cap(m.placements) > mostPlacements || cap(m.locales) > mostNodes {
		return
	}
	m.tree = tree{nodes: m.tree.nodes[:0]}
	m.reader = reader{}
	m.locales = m.locales[:0]
	clear(m.placements)
	m.placements = m.placements[:0]
	m.texts.reset()
	m.words.reset()
	m.variables.reset()
	memories.Put(m)
}

// Release gives the memory of d to documents that are parsed later. Afterwards
// d is empty, and of what was taken from it only strings may be used. A
// document that is not released is left to the garbage collector.
func (d *Document) Release() {
	if d.memory != nil {
		d.memory.release()
	}
	*d = Document{}
}

// Release does for d what [Document.Release] does.
func (d *Resolved) Release() {
	d.Document.Release()
	*d = Resolved{}
}

// headroom is how many items a list has room for before there are any.
const headroom = 64

// slab hands out short slices from long ones, so that many of them cost few
// allocations.
type slab[T any] struct {
	block []T
	used  int
}

// room returns an empty list with room for n items, or for as many as is wise.
func (s *slab[T]) room(n int) []T {
	n = min(n, headroom)
	if n > len(s.block)-s.used {
		s.block = make([]T, min(max(headroom, 2*len(s.block)), 16*headroom))
		s.used = 0
	}
	list := s.block[s.used : s.used : s.used+n]
	s.used += n
	return list
}

// reset takes back what was handed out of the last block.
func (s *slab[T]) reset() {
	clear(s.block[:s.used])
	s.used = 0
}

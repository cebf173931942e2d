package datachain

import (
	"sync"

	"placard/internal/core/taxonomy"
)

// scratch is the pooled memory of a document: its nodes, and the lists that are
// long or numerous.
type scratch struct {
	reader     reader
	tree       tree
	locales    []ref
	addresses  []address
	placements []Placement
	texts      slab[taxonomy.Text]
	strings    slab[string]
	variables  slab[Variable]
}

var scratchPool = sync.Pool{New: func() any { return new(scratch) }}

// Scratch memory above these limits is not returned to the pool.
const (
	maxPooledNodes      = 1 << 15
	maxPooledPlacements = 1 << 10
)

// release clears s, so that it does not keep the text alive, and returns it to the
// pool.
func (s *scratch) release() {
	if cap(s.tree.nodes) > maxPooledNodes || cap(s.placements) > maxPooledPlacements || cap(s.locales) > maxPooledNodes || cap(s.addresses) > maxPooledNodes {
		return
	}
	s.tree = tree{nodes: s.tree.nodes[:0]}
	s.reader = reader{}
	s.locales = s.locales[:0]
	clear(s.addresses)
	s.addresses = s.addresses[:0]
	clear(s.placements)
	s.placements = s.placements[:0]
	s.texts.reset()
	s.strings.reset()
	s.variables.reset()
	scratchPool.Put(s)
}

// Release returns the memory of d to a pool. Afterwards d is empty, and only
// strings taken from it may still be used. Calling Release is optional.
func (d *Document) Release() {
	if d.scratch != nil {
		d.scratch.release()
	}
	*d = Document{}
}

// Release returns the memory of d to a pool, like [Document.Release].
func (d *Resolved) Release() {
	d.Document.Release()
	*d = Resolved{}
}

// maxPrealloc is the maximum capacity that is allocated for a list in advance.
const maxPrealloc = 64

// slab allocates short slices out of long blocks.
type slab[T any] struct {
	block []T
	used  int
}

// alloc returns an empty slice with capacity for n items, or for maxPrealloc if
// that is less.
func (s *slab[T]) alloc(n int) []T {
	n = min(n, maxPrealloc)
	if n > len(s.block)-s.used {
		s.block = make([]T, min(max(maxPrealloc, 2*len(s.block)), 16*maxPrealloc))
		s.used = 0
	}
	list := s.block[s.used : s.used : s.used+n]
	s.used += n
	return list
}

// reset makes the last block available again. Slices of it must no longer be used.
func (s *slab[T]) reset() {
	clear(s.block[:s.used])
	s.used = 0
}

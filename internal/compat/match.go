package compat

import (
	"slices"
	"sort"

	"placard/internal/taxonomy"
)

// pair is an item of two lists. One of the two is nil if the item was added or
// removed. Positions count from 1.
type pair[T any] struct {
	old, new       *T
	oldPos, newPos int
	moved          bool // relative to the other items of both lists
}

// either returns the new item or, if it was removed, the old one.
func (p pair[T]) either() *T {
	if p.new != nil {
		return p.new
	}
	return p.old
}

// match matches the items of two lists by id. It returns the items of the new list
// in order, then the removed ones in the order of the old list. If an id occurs
// more than once in a list, only the first item counts.
func match[T any](before, after []T, id func(*T) string) []pair[T] {
	positions := make(map[string]int, len(before))
	for i := range before {
		if _, ok := positions[id(&before[i])]; !ok {
			positions[id(&before[i])] = i
		}
	}
	pairs := make([]pair[T], 0, len(after))
	seen := make(map[string]bool, len(after))
	for i := range after {
		key := id(&after[i])
		if seen[key] {
			continue
		}
		seen[key] = true
		p := pair[T]{new: &after[i], newPos: i + 1}
		if k, ok := positions[key]; ok {
			p.old, p.oldPos = &before[k], k+1
		}
		pairs = append(pairs, p)
	}
	markMoved(pairs)
	for i := range before {
		if key := id(&before[i]); !seen[key] {
			seen[key] = true
			pairs = append(pairs, pair[T]{old: &before[i], oldPos: i + 1})
		}
	}
	return pairs
}

// markMoved marks the smallest number of pairs whose move explains the new order.
func markMoved[T any](pairs []pair[T]) {
	var positions, indexes []int
	for i := range pairs {
		if pairs[i].old != nil && pairs[i].new != nil {
			positions, indexes = append(positions, pairs[i].oldPos), append(indexes, i)
		}
	}
	for i, inOrder := range longestIncreasing(positions) {
		pairs[indexes[i]].moved = !inOrder
	}
}

// longestIncreasing marks the numbers of a longest increasing subsequence. The
// numbers are distinct.
func longestIncreasing(numbers []int) []bool {
	marked := make([]bool, len(numbers))
	if slices.IsSorted(numbers) {
		for i := range marked {
			marked[i] = true
		}
		return marked
	}
	// ends[k] is the index of the smallest number that ends a subsequence of length
	// k+1, and previous leads to the numbers before it.
	var ends []int
	previous := make([]int, len(numbers))
	for i, n := range numbers {
		k := sort.Search(len(ends), func(k int) bool { return numbers[ends[k]] > n })
		previous[i] = -1
		if k > 0 {
			previous[i] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, i)
		} else {
			ends[k] = i
		}
	}
	for i := ends[len(ends)-1]; i >= 0; i = previous[i] {
		marked[i] = true
	}
	return marked
}

// Successors maps ids of elements to the ids that the elements have in the last of
// the given versions, which are newer than the ids and ordered from the oldest to
// the newest. Renames are followed from version to version. An element that the
// last version lacks has no entry.
func Successors(ids []string, versions ...*taxonomy.Taxonomy) map[string]string {
	last := idsOf(versions[len(versions)-1].Elements)
	current := make(map[string]string, len(ids)) // ids in the version being considered
	result := make(map[string]string, len(ids))
	for _, id := range ids {
		current[id] = id
		if last[id] {
			result[id] = id
		}
	}
	for _, version := range versions {
		renamed := replacements(version)
		if len(renamed) == 0 {
			continue
		}
		for id, now := range current {
			if to, ok := renamed[now]; ok {
				current[id] = to
				// A version in between may rename an element that the last version has
				// under its old id.
				if last[to] {
					result[id] = to
				}
			}
		}
	}
	return result
}

// replacements maps ids that t no longer has to the elements that replace them.
func replacements(t *taxonomy.Taxonomy) map[string]string {
	var renamed map[string]string
	var exists map[string]bool
	for i := range t.Elements {
		e := &t.Elements[i]
		if e.Replaces == "" {
			continue
		}
		if renamed == nil {
			renamed, exists = map[string]string{}, idsOf(t.Elements)
		}
		if _, taken := renamed[e.Replaces]; !taken && !exists[e.Replaces] {
			renamed[e.Replaces] = e.ID
		}
	}
	return renamed
}

func idsOf(elements []taxonomy.Element) map[string]bool {
	ids := make(map[string]bool, len(elements))
	for i := range elements {
		ids[elements[i].ID] = true
	}
	return ids
}

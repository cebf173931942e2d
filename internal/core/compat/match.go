package compat

import (
	"cmp"
	"slices"
)

// pair is an item of two lists. One of the two is nil if the item was added or
// removed. Positions count from 1.
type pair[T any] struct {
	old, new       *T
	oldPos, newPos int
	moved          bool // relative to the other items of both lists
	// merged is set if the new item is already paired with another item of the old
	// version. Documents that used either of them then use the same item.
	merged bool
}

// either returns the new item or, if it was removed, the old one.
func (p pair[T]) either() *T {
	if p.new != nil {
		return p.new
	}
	return p.old
}

// same is the function now of lists in which ids stay the same.
func same(id string) string { return id }

// match matches the items of two lists by id. It returns the items of the new list
// in order, each followed by those that were merged into it, then the removed ones in
// the order of the old list. If an id occurs more than once in a list, only the first
// item counts.
func match[T any](before, after []T, id func(*T) string, now func(string) string) []pair[T] {
	old := make(map[string][]int, len(before)) // by new id; an item whose id is still the same is the first
	for i := range before {
		to := now(id(&before[i]))
		if to == id(&before[i]) {
			old[to] = slices.Insert(old[to], 0, i)
		} else {
			old[to] = append(old[to], i)
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
		if len(old[key]) == 0 {
			pairs = append(pairs, p)
		}
		for n, k := range old[key] {
			p.old, p.oldPos, p.merged = &before[k], k+1, n > 0
			pairs = append(pairs, p)
		}
	}
	var both []*pair[T]
	for i := range pairs {
		if pairs[i].old != nil && !pairs[i].merged {
			both = append(both, &pairs[i])
		}
	}
	markMoved(both)
	for i := range before {
		if key := now(id(&before[i])); !seen[key] {
			seen[key] = true
			pairs = append(pairs, pair[T]{old: &before[i], oldPos: i + 1})
		}
	}
	return pairs
}

// markMoved marks the smallest number of pairs whose move explains the new order.
// The pairs are those of one list, in its new order, that have both items.
func markMoved[T any](pairs []*pair[T]) {
	positions := make([]int, len(pairs))
	for i, p := range pairs {
		positions[i] = p.oldPos
	}
	for i, inOrder := range longestIncreasing(positions) {
		pairs[i].moved = !inOrder
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
		k, _ := slices.BinarySearchFunc(ends, n, func(end, n int) int { return cmp.Compare(numbers[end], n) })
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

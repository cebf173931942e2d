package compat

import "placard/internal/core/taxonomy"

// unlimited is a number of placements that no document reaches. The sum for all
// elements of a taxonomy does not overflow.
const unlimited int64 = 1 << 40

// subset describes a set of elements of one category: how often a document may
// place them in total, and how many of them it must place.
type subset struct{ capacity, required int64 }

func (s *subset) add(capacity int64, required bool) {
	s.capacity += capacity
	if required {
		s.required++
	}
}

// quota describes how many placements of a category a valid document can have: from
// lowest to highest, or none if mayBeEmpty is set. The limits of categories are
// independent of each other.
type quota struct {
	all             subset
	lowest, highest int64
	mayBeEmpty      bool
}

func newQuota(c *taxonomy.Category, all subset) quota {
	q := quota{all: all, lowest: max(1, int64(c.MinElements), all.required), highest: all.capacity, mayBeEmpty: !c.Required && all.required == 0}
	if c.MaxElements > 0 {
		q.highest = min(q.highest, int64(c.MaxElements))
	}
	return q
}

// usable reports whether a document can have placements of the category.
func (q *quota) usable() bool { return q.lowest <= q.highest }

// most returns the maximum number of placements of the elements in s.
func (q *quota) most(s subset) int64 {
	if !q.usable() {
		return 0
	}
	return min(s.capacity, q.highest-(q.all.required-s.required))
}

// fewest returns the minimum number of placements of the elements in s if the
// category has placements.
func (q *quota) fewest(s subset) int64 {
	return max(0, s.required, q.lowest-(q.all.capacity-s.capacity))
}

// canAvoid reports whether a document can do without the elements in s.
func (q *quota) canAvoid(s subset) bool {
	return q.mayBeEmpty || q.usable() && q.fewest(s) == 0
}

// quotas holds the quotas of the categories of the old version.
type quotas struct {
	byCategory map[string]*quota
	usable     int // number of usable categories
	// possible reports whether any document is valid.
	possible bool
}

// newQuotas returns the quotas of categories with the given elements.
func newQuotas(categories map[string]*taxonomy.Category, elements map[string]subset) quotas {
	qs := quotas{byCategory: make(map[string]*quota, len(categories)), possible: true}
	for id, c := range categories {
		q := newQuota(c, elements[id])
		qs.byCategory[id] = &q
		if q.usable() {
			qs.usable++
		} else if !q.mayBeEmpty {
			qs.possible = false
		}
	}
	qs.possible = qs.possible && qs.usable > 0
	return qs
}

// spread is a set of elements by the category that they have in the old version.
type spread map[string]*subset

// canLack reports whether a valid document can have no placement of the elements.
func (qs *quotas) canLack(elements spread) bool {
	elsewhere := qs.usable // usable categories that can have placements of other elements
	for category, s := range elements {
		q := qs.byCategory[category]
		if !q.canAvoid(*s) {
			return false
		}
		if q.usable() && q.fewest(*s) > 0 {
			elsewhere--
		}
	}
	return qs.possible && elsewhere > 0
}

// fewest returns the smallest number of placements of the elements that a valid
// document with any of them can have, or 0 if it can have none.
func (qs *quotas) fewest(elements spread) int64 {
	if !qs.possible {
		return 0
	}
	var unavoidable, single int64
	for category, s := range elements {
		q := qs.byCategory[category]
		if !q.canAvoid(*s) {
			unavoidable += q.fewest(*s)
		}
		if q.most(*s) > 0 {
			if n := max(1, q.fewest(*s)); single == 0 || n < single {
				single = n
			}
		}
	}
	if unavoidable > 0 {
		return unavoidable
	}
	return single
}

// most returns the largest number of placements of the elements.
func (qs *quotas) most(elements spread) int64 {
	if !qs.possible {
		return 0
	}
	var sum int64
	for category, s := range elements {
		sum += qs.byCategory[category].most(*s)
	}
	return sum
}

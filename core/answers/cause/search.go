package cause

import (
	"cmp"
	"slices"
)

// Found is a cause: a factor without which the outcome changes; several if each alone changes nothing, and all together do.
type Found[T any] struct {
	Factors []Factor
	// Without is the outcome without it, and Changes how much of the outcome is another one then.
	Without T
	Changes int
}

// Search looks for causes among factors.
type Search[T any] struct {
	// Try returns the outcome without some of the factors, and how much of it changes by that, or says why that cannot be had.
	Try func(off []Factor) (without T, changes int, why string)

	Found    []Found[T]
	Harmless []Factor
	NotTried []NotTried
}

// Among searches factors that together matter.
func (s *Search[T]) Among(all []Factor) {
	if len(all) == 1 {
		s.search(all)
		return
	}
	if s.halves(all) {
		return
	}
	if without, changes, tried := s.try(all); tried && changes > 0 {
		s.add(all, without, changes)
	}
}

// search tries to do without factors. It reports whether a cause is among them, or some were not tried.
func (s *Search[T]) search(off []Factor) (found bool) {
	if len(off) == 0 {
		return false
	}
	without, changes, tried := s.try(off)
	switch {
	case !tried:
		return true
	case changes == 0:
		s.Harmless = append(s.Harmless, off...)
		return false
	}
	if len(off) == 1 || !s.halves(off) {
		s.add(off, without, changes)
	}
	return true
}

func (s *Search[T]) halves(off []Factor) (found bool) {
	half := len(off) / 2
	first := s.search(off[:half])
	second := s.search(off[half:])
	return first || second
}

func (s *Search[T]) try(off []Factor) (without T, changes int, tried bool) {
	without, changes, why := s.Try(off)
	if why != "" {
		for _, f := range off {
			s.NotTried = append(s.NotTried, NotTried{f, why})
		}
	}
	return without, changes, why == ""
}

// add adds a cause. Factors that are harmless by themselves are not when they come together.
func (s *Search[T]) add(off []Factor, without T, changes int) {
	s.Harmless = slices.DeleteFunc(s.Harmless, func(f Factor) bool { return slices.Contains(off, f) })
	s.Found = append(s.Found, Found[T]{off, without, changes})
}

// Together is the cause of what no cause explains alone.
const Together = -1

// Attribute finds for each of n pods the cause without which it ends as before, or less otherwise; of several the one that does so for the most pods. It sorts the
// causes by that, and returns the number of the cause of each pod, or Together, and how many pods each cause has.
func (s *Search[T]) Attribute(n int, restores func(without T, pod int) bool) (of, pods []int) {
	restored := make([][]int, len(s.Found))
	order := make([]int, len(s.Found))
	for c := range s.Found {
		order[c] = c
		for pod := range n {
			if restores(s.Found[c].Without, pod) {
				restored[c] = append(restored[c], pod)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(len(restored[b]), len(restored[a])), cmp.Compare(s.Found[b].Changes, s.Found[a].Changes))
	})
	of, pods = slices.Repeat([]int{Together}, n), make([]int, len(s.Found))
	sorted := make([]Found[T], len(s.Found))
	for rank, c := range order {
		sorted[rank] = s.Found[c]
		for _, pod := range restored[c] {
			if of[pod] == Together {
				of[pod] = rank
				pods[rank]++
			}
		}
	}
	s.Found = sorted
	return of, pods
}

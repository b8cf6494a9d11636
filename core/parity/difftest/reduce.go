package difftest

import "slices"

// Pieces removes elements from a list, large pieces first, as long as the difference remains.
func Pieces[E any](list []E, differ func([]E) string) []E {
	for size := max(1, len(list)/2); size > 0; {
		shorter := false
		for from := 0; from+size <= len(list); {
			without := slices.Delete(slices.Clone(list), from, from+size)
			if differ(without) == "" {
				from += size
				continue
			}
			list, shorter = without, true
		}
		if !shorter {
			size /= 2
		}
	}
	return list
}

// Smallest replaces a case by a smaller one that still differs, until there is none.
func Smallest[C any](c C, smaller func(C) []C, differ func(C) string) C {
	for {
		tries := smaller(c)
		i := slices.IndexFunc(tries, func(try C) bool { return differ(try) != "" })
		if i < 0 {
			return c
		}
		c = tries[i]
	}
}

package agree

import "slices"

// Pieces takes out of a list whatever can be taken out while there is a difference, large pieces first.
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

// Least goes from a case to one that smaller makes of it, for as long as there is one with a difference.
func Least[C any](c C, smaller func(C) []C, differ func(C) string) C {
	for {
		tries := smaller(c)
		i := slices.IndexFunc(tries, func(try C) bool { return differ(try) != "" })
		if i < 0 {
			return c
		}
		c = tries[i]
	}
}

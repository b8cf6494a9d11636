package strict

import "strings"

// Nearest is the name among those there are that was most likely meant; empty if none is like it.
func Nearest(written string, names []string) string {
	best, least := "", len(written)/3+2
	for _, name := range names {
		if len(written) > 64 {
			break
		}
		d := distance(strings.ToLower(written), strings.ToLower(name))
		if len(written) > 2 && strings.HasPrefix(name, written) {
			d = min(d, 1) // cut short
		}
		if d < least {
			best, least = name, d
		}
	}
	return best
}

// distance is how many letters have to be put in, left out, exchanged or swapped with their neighbours.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// Among says what can be chosen from, and what was most likely meant.
func Among(written string, names []string) string {
	if near := Nearest(written, names); near != "" {
		return "did you mean " + near + "?"
	}
	if len(names) == 0 {
		return "there are none"
	}
	const most = 12
	if len(names) > most {
		return "there are " + strings.Join(names[:most], ", ") + " and others"
	}
	return "there are " + strings.Join(names, ", ")
}

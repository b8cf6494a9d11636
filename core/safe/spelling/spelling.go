// Package spelling finds the likely intended names for one that does not exist.
package spelling

import (
	"cmp"
	"slices"
	"strings"
)

// longest bounds the texts that are compared, in bytes: no name of a command or a field is longer.
//
//orrery:limit answers; a word that a suggestion is looked for, in bytes; there is none
const longest = 64

// Nearest returns the names most like the written one, the likeliest first and n at most: those that contain it, and those
// at a small distance. It ignores case.
func Nearest(written string, names []string, n int) []string {
	if len(written) > longest {
		return nil
	}
	written = strings.ToLower(written)
	type candidate struct {
		name     string
		mistakes int
	}
	var found []candidate
	for _, name := range names {
		c := candidate{name: name}
		if lower := strings.ToLower(name); written == "" || !strings.Contains(lower, written) {
			c.mistakes = 1 + Distance(written, lower)
		}
		if c.mistakes <= 1+len(written)/3 {
			found = append(found, c)
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.mistakes, b.mistakes), cmp.Compare(a.name, b.name))
	})
	nearest := make([]string, min(len(found), n))
	for i := range nearest {
		nearest[i] = found[i].name
	}
	return nearest
}

// Distance returns the number of letters to insert, delete, replace or swap with their neighbours to turn one word into
// another. Letters are bytes: names are ASCII.
func Distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			exchanged := last[j]
			if a[i] != b[j] {
				exchanged++
			}
			row[j+1] = min(exchanged, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

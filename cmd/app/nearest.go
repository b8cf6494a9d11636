package app

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"orrery/core/spelling"
)

// didYouMean is how an error ends that a misspelt name has led to: with the names that look most like it.
func didYouMean(asked string, known []string) string {
	close := nearest(asked, known, 3)
	if len(close) == 0 {
		return ""
	}
	for i, name := range close {
		close[i] = strconv.Quote(name)
	}
	return "; did you mean " + strings.Join(close, " or ") + "?"
}

// nearest are the names most like the one asked for, n at most: those that contain it, and those that a few typing
// mistakes make of it.
func nearest(asked string, known []string, n int) []string {
	type candidate struct {
		name     string
		distance int
	}
	var found []candidate
	for _, name := range known {
		distance := 0
		if !strings.Contains(name, asked) || asked == "" {
			distance = 1 + spelling.Mistakes(asked, name)
		}
		if distance <= 1+len(asked)/3 {
			found = append(found, candidate{name, distance})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	names := make([]string, min(len(found), n))
	for i := range names {
		names[i] = found[i].name
	}
	return names
}

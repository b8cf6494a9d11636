package framework

import "slices"

// ScoreConversion replaces scores by what a function makes of them. The scores of many nodes are few different ones, so each is
// computed once. The zero value is ready; it keeps its memory for the next use.
type ScoreConversion struct{ table []int64 }

// Convert replaces all scores. Those between least and most may be computed although no node has them; the others are left.
func (t *ScoreConversion) Convert(scores []int64, least, most int64, of func(score int64) int64) {
	if width := uint64(most - least); most < least || width >= uint64(len(scores))/2 {
		for i, score := range scores {
			if score >= least && score <= most {
				scores[i] = of(score)
			}
		}
		return
	}
	size := int(most-least) + 1
	t.table = slices.Grow(t.table[:0], size)[:size]
	for i := range t.table {
		t.table[i] = of(least + int64(i))
	}
	for i, score := range scores {
		if at := uint64(score - least); at < uint64(size) {
			scores[i] = t.table[at]
		}
	}
}

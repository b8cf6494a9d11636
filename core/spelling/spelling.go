// Package spelling counts typing mistakes, so that whoever is told of a name that does not exist is told which one they
// probably meant.
package spelling

// Mistakes is how many letters have to be put in, left out, exchanged or swapped with their neighbours to make one word of
// another. Letters are bytes: names of things are ASCII.
func Mistakes(a, b string) int {
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

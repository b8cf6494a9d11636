//go:build race

package tui

// drawn is how many recordings are drawn whole. Drawing has no goroutines to race, and takes ten times as long under the race detector:
// one shows that. The plain run draws all.
const drawn = 1

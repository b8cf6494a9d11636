//go:build race

package app

// Under the race detector a diagnosis takes ten times as long, and it has no goroutines to race: a few show that. The plain
// run has them all.
const (
	generatedClusters = 100
	diagnosedEvery    = 24 // pending pod of a recording
)

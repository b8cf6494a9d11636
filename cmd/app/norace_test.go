//go:build !race

package app

const (
	generatedClusters = 2000
	diagnosedEvery    = 1
)

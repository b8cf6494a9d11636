//go:build !race

package app

const (
	generatedClusters = 2000
	evidenceEvery     = 1
)

//go:build !race

package engine_test

const (
	defaultScenarios = 200
	defaultCycles    = 6000
)

//go:build race

package engine_test

// Under the race detector a scenario takes five times as long, and an engine has no goroutines to race: a few scenarios
// show that. The plain run has them all.
const (
	defaultScenarios = 32
	defaultCycles    = 1500
)

//go:build race

package demo_test

// The race detector makes the tests ten times slower, and the code has no goroutines, so a little is enough. The run without it tests
// all.
const (
	replayed = 1 // recordings
	states   = 2 // from which a recording goes on
)

//go:build race

package demo_test

// The race detector makes the tests ten times slower, and the code has no goroutines, so one recording is enough. The run
// without it tests all.
const replayed = 1

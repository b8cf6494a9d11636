//go:build race

package collect_test

// manyNodes are those of a large cluster. Drawing one has no goroutines to race, and takes ten times as long under the race detector.
const manyNodes = 500

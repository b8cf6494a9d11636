//go:build !race

package demo_test

const (
	replayed = 6
	states   = 11
)

// Package difftest compares Orrery with upstream on generated cases: it draws a case from a seed and a number, runs both
// sides, and fails at the first case on which they differ.
//
//	seed, number ──► Draw ──► Differ ──► no difference: the next case
//	                             └─────► a difference ──► Reduce ──► printed, with the command that repeats it
//
// The environment says which cases: ORRERY_CASES how many (each comparison has a default), ORRERY_SEED the seed (1 by
// default), ORRERY_FIRST the number of the first case (0 by default). The same seed and number give the same case on every
// machine. "make parity" sets the first two for all comparisons.
//
//	cases.go     draws, compares, prints
//	reduce.go    makes a failing case small
//	source.go    the choices that a case is drawn from, for generators that are reduced by their choices
//	coverage.go  what the cases reached, since what does not happen is not compared
//	synctest.go  prepares a test process for upstream's goroutines in virtual time
package difftest

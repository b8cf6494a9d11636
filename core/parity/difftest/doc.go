// Package difftest compares Orrery with upstream on generated cases: it draws a case from a seed and a number, runs both
// sides, and fails at the first case on which they differ.
//
//	seed, number ──► Draw ──► Differ ──► no difference: the next case
//	                             └─────► a difference ──► Reduce ──► printed, with the command that repeats it
//
// Environment variables select the cases: ORRERY_CASES how many (each comparison has a default), ORRERY_SEED the seed (1 by
// default), ORRERY_FIRST the number of the first case (0 by default). The same seed and number give the same case on every
// machine. "make parity" sets the first two for all comparisons.
//
//	cases.go     draws, compares, prints
//	reduce.go    reduces a failing case
//	source.go    random choices that a case is drawn from; cases are reduced by reducing their choices
//	coverage.go  counts the situations that the cases reached, so that none is left uncompared
//	synctest.go  prepares a test process for upstream's goroutines in virtual time
package difftest

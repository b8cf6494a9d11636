// Package agree has two sides look at one generated case after the other, and fails at the first on which they differ.
//
//	asked for ──► Draw ──► Differ ──► nothing: the next one
//	                          └─────► a difference ──► CutDown ──► printed, with the command that shows it again
//
// Pieces and Least are ways to cut a case down: leave out whatever can be left out while the two still differ.
package agree

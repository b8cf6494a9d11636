// Package cache has tests alone: they run the same random operations on kube-scheduler's cache and on Orrery's, and compare
// all that both expose.
//
//	seed ──► sequence of operations ──► upstream cache ──► snapshot kept up to date, and a fresh one ─┐
//	                    │                                                                            ├─ compare
//	                    └─────────────► our cache ───────► snapshot kept up to date ─────────────────┘
//
// Intended differences, and their reasons, are listed in package comparisons; the test skips exactly those.
//
//	go test ./cache                                    2,000 sequences
//	ORRERY_CASES=20000 ORRERY_SEED=7 go test ./cache   20,000 others
package cache

// Package cache holds no code of its own: its tests drive kube-scheduler's cache and ours with the same random
// operations and compare everything both show.
//
//	seed ──► sequence of operations ──► upstream cache ──► snapshot kept up to date, and a fresh one ─┐
//	                    │                                                                            ├─ compare
//	                    └─────────────► our cache ───────► snapshot kept up to date ─────────────────┘
//
// Where we differ on purpose, the list Differences says so and why, and the test steps around exactly that.
//
//	go test ./cache                                    2,000 sequences
//	ORRERY_CASES=20000 ORRERY_SEED=7 go test ./cache   others, and more of them
package cache

// Package cache holds no code of its own: its tests drive kube-scheduler's cache and ours with the same random
// operations and compare everything both show.
//
//	seed ──► sequence of operations ──► upstream cache ──► snapshot kept up to date, and a fresh one ─┐
//	                    │                                                                            ├─ compare
//	                    └─────────────► our cache ───────► snapshot kept up to date ─────────────────┘
//
// Where we differ on purpose, the list Differences says so and why, and the test steps around exactly that.
//
//	go test ./cache/ -sequences=20000 -seed=7
package cache

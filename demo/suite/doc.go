// Package suite runs tests: scenarios that say what they expect, and recordings with expectations beside them, each under several seeds and
// releases of Kubernetes.
//
//	paths ──► Find ──► Subject ──┬─ seed 1, 1.35 ─┐
//	           *.yaml, *.orrery  ├─ seed 2, 1.35  ├─ in parallel ──► expect.Observe ──► Check ──► Result
//	                             └─ seed 1, 1.37 ─┘
//
// The results are in the order of the paths, whatever ends first.
package suite

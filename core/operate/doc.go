// Package operate is what a person may do to a cluster from the screen: cordon and drain nodes, evict and delete pods, try a
// pod at once, take scheduling gates off.
//
//	Action ──► Changes ──► core/whatif ──► what it would do, shown before anybody is asked to confirm
//	   │
//	   └─────► Do ──► API server ──► done, or why not: a disruption budget, a conflict, or the RBAC rule that is missing
//
// An Action names the pod's UID where there is one, so that it cannot befall a namesake that came later. Nothing here asks
// or confirms; whoever shows the screen does.
package operate

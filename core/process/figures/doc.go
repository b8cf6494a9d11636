// Package figures has what people alert on and kube-scheduler does not count: how long pods wait for a node and where, for whom and why; which
// owners cost attempts; who is evicted; what room is left; and, beside another scheduler, how often the two agree.
//
//	engine ──► transitions of the queue ──► journeys ──► time to be placed, by phase        (placement.go)
//	                                                └──► attempts and pending pods, by owner (owners.go)
//	       ──► decisions, effects ─────────► permit and binding of a journey
//	       ──► inputs ─────────────────────► a journey's end; evictions                      (evictions.go)
//	       Refresh, once a second ─────────► room and its shapes, once a minute              (room.go)
//	shadow.Comparator ─────────────────────► agreement and its causes                        (agreement.go)
//	                                              └──► Collect, as of the last ten seconds
//
// # Cardinality
//
// No label's values are those of the cluster without a bound. What has a series of its own is decided by one of two rules:
//
//   - Counters and histograms have places (slots.go). The first keys that occur take them; one that nothing has happened to for an hour
//     gives its place to the next key, and its series ends. All others count as "(other)", which no object of the API can be called.
//   - Gauges have the largest, as of the last refresh, and one series for the rest.
//
// The bounds are constants with a row in docs/limits.md.
//
// # Beside another scheduler
//
// The time to be placed is then that scheduler's: from when the pod was first seen until it has a node. How it splits into phases is what
// Orrery's engine says, which queues and tries the pod by the same rules. Attempts by owner are the engine's own. Evictions and room are the
// cluster's.
//
// # Of several replicas
//
// Of those that stand for one lease only the leader counts and is collected, so that sums are those of the cluster. A pod that waits through a
// change of the leader has been in the queue meanwhile, as far as the next one can tell.
//
// Everything but Collect belongs to the goroutine of the engine.
package figures

// Package telemetry says in Prometheus metrics what a scheduler does, under the names, labels and buckets of
// kube-scheduler, so that dashboards and alerts made for that one work unchanged.
//
//	engine ──► Stepped, Applied, Wanted ───┐   engine.Witness: attempts, latencies, events handled
//	       ──► Transition ─────────────────┤   the queue's records: who waits where, and what hints cost
//	       ──► PointTook, PluginTook ──────┼─► Metrics ──► Registry ──► /metrics
//	       ──► AttemptEnded, PermitWaited ─┤   how an attempt ended, binding included
//	world  ──► Called ─────────────────────┘   what calls to the API server took
//	       Refresh(engine), once a second      everything that is a level rather than an event
//
// Families are declared in families.go, a line each. What is counted as it happens is in count.go, what is read off the
// engine in levels.go, and resources.go is /metrics/resources.
//
// Metrics may be scraped at any time; all methods but the handlers belong to whoever owns the engine.
//
// # Differences from kube-scheduler
//
//   - preemption_goroutines_* tell how the deletion of victims really ended and what it took; kube-scheduler evaluates
//     both before the work begins.
//   - unschedulable_pods does not drift, see package queue.
//   - queue_incoming_pods_total and the hints' durations are not sampled through a buffer that drops when it is full.
//   - cache_size is exact at every refresh.
//   - goroutines counts the work of that kind under way, as there is no goroutine for it.
//   - Families of parts that this scheduler does not have (extenders, volume binding, created resource claims) are there
//     and stay at zero, for those who alert on absence.
package telemetry

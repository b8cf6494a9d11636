// Package telemetry counts a scheduler's work in Prometheus metrics, with the names, labels and buckets of
// kube-scheduler, so that its dashboards and alerts work unchanged.
//
//	engine ──► inputs, decisions, effects           attempts, latencies, events handled
//	       ──► queue transitions                   pods per queue, and the cost of hints
//	       ──► extension points and plugins  ──► Metrics ──► Registry ──► /metrics
//	       ──► attempts and permit waits           results of attempts, binding included
//	world  ──► ObserveCall                         calls to the API server
//	       Refresh(engine), once a second          gauges, and counters that the engine keeps itself
//
//	families.go     the metric families, one line each
//	telemetry.go    counters and histograms, updated by observers
//	series.go       the cache of series, and resets of the registry
//	refresh.go      values read from the engine
//	preemptions.go  results of the deletion of a preemption's victims
//	own.go          figures without a counterpart in kube-scheduler, orrery_*
//	pending.go      the pods that wait for a node, by how long they do
//	resources.go    /metrics/resources
//
// Metrics may be scraped at any time; all methods but the handlers belong to the goroutine of the engine. Orrery's own
// families, orrery_*, are a prometheus.Collector each: of the engine here, see [Metrics.Own], of the process in package replica.
//
// # Differences from kube-scheduler
//
//   - preemption_goroutines_* report how the deletion of victims ended and how long it took; kube-scheduler evaluates
//     both before the work starts.
//   - unschedulable_pods does not drift, see package queue.
//   - queue_incoming_pods_total and the hints' durations do not pass a buffer that drops samples when it is full.
//   - cache_size is exact at every refresh.
//   - goroutines counts operations in progress; there is no goroutine per operation.
//   - dra_bindingconditions_allocations_total and dra_bindingconditions_wait_duration_seconds do not exist.
//   - Families of parts that this scheduler does not have (a cache of volume bindings, created resource claims)
//     exist and stay zero, for alerts on absence.
package telemetry

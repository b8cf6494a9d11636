package telemetry

import (
	"slices"

	"k8s.io/component-base/metrics"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/release"
)

// scheduler is the prefix of every name.
const scheduler = "scheduler"

// families are all metric families.
type families struct {
	attempts          *metrics.CounterVec   // by result and profile
	attemptDuration   *metrics.HistogramVec // by result and profile
	algorithmDuration *metrics.Histogram
	eventDuration     *metrics.HistogramVec // by event
	sliDuration       *metrics.HistogramVec // by attempts
	podAttempts       *metrics.Histogram

	afterFlush *metrics.Counter

	pending      *metrics.GaugeVec     // by queue
	entities     *metrics.GaugeVec     // by queue and type
	entering     *metrics.CounterVec   // by queue, event and type
	narrowed     *metrics.CounterVec   // by plugin and result
	incoming     *metrics.CounterVec   // by queue and event
	rejected     *metrics.GaugeVec     // by plugin and profile
	inFlight     *metrics.GaugeVec     // by event
	hintDuration *metrics.HistogramVec // by plugin, event and hint

	pointDuration  *metrics.HistogramVec // by extension_point, status and profile
	pluginDuration *metrics.HistogramVec // by plugin, extension_point and status
	evaluations    *metrics.CounterVec   // by plugin, extension_point and profile
	permitDuration *metrics.HistogramVec // by result
	goroutines     *metrics.GaugeVec     // by operation
	cacheSize      *metrics.GaugeVec     // by type

	preemptionAttempts *metrics.Counter
	victims            *metrics.Histogram
	deletionsDuration  *metrics.HistogramVec // by result
	deletions          *metrics.CounterVec   // by result

	batchAttempts        *metrics.CounterVec   // by profile and result
	batchFlushes         *metrics.CounterVec   // by profile and reason
	nodeHintDuration     *metrics.HistogramVec // by hinted and profile
	storeResultsDuration *metrics.HistogramVec // by profile
	rescores             *metrics.CounterVec   // by profile
	rescoreDuration      *metrics.HistogramVec // by profile
	calls                *metrics.CounterVec   // by call_type and result
	callDuration         *metrics.HistogramVec // by call_type and result
	callsWaiting         *metrics.GaugeVec     // by call_type
	claimsCreated        *metrics.CounterVec   // by status
	claimsOwned          *metrics.CounterVec   // by status, admin_access, owner_api_group and owner_api_kind
	volumeRequests       *metrics.CounterVec   // by operation
	volumeErrors         *metrics.CounterVec   // by operation

	all []metrics.Registerable
}

// Exponential buckets: start, factor, count.
var (
	fromTenMicros  = metrics.ExponentialBuckets(0.00001, 2, 12)
	fineTenMicros  = metrics.ExponentialBuckets(0.00001, 1.5, 20)
	fromTenthMilli = metrics.ExponentialBuckets(0.0001, 2, 12)
	fromMilli      = metrics.ExponentialBuckets(0.001, 2, 15)
	fromTenMillis  = metrics.ExponentialBuckets(0.01, 2, 20)
)

// declare makes the families that kube-scheduler has under the same feature gates.
func declare(f config.Features) *families {
	m := &families{}
	hints, async := f.Enabled(config.SchedulerQueueingHints), f.Enabled(config.SchedulerAsyncPreemption)
	flushes, entities := f.Has(release.FlushedPodsCounted), f.Has(release.EntitiesCounted)
	betaFrom136, betaFrom137 := betaIf(flushes), betaIf(entities)
	calls, claims := f.Enabled(config.SchedulerAsyncAPICalls), f.Enabled(config.DRAExtendedResource)

	m.attempts = m.counter(true, metrics.STABLE, "schedule_attempts_total", "Attempts to schedule a pod, by how they ended: scheduled, unschedulable (no feasible node) or error.", "result", "profile")
	m.attemptDuration = m.histogram(true, metrics.STABLE, "scheduling_attempt_duration_seconds", "How long attempts took, binding included.", fromMilli, "result", "profile")
	m.algorithmDuration = m.plainHistogram(betaFrom137, "scheduling_algorithm_duration_seconds", "How long it took to choose a node.", fromMilli)
	m.eventDuration = m.histogram(true, metrics.ALPHA, "event_handling_duration_seconds", "How long the scheduler took to take in an event.", fromTenthMilli, "event")
	m.sliDuration = m.histogram(true, metrics.BETA, "pod_scheduling_sli_duration_seconds", "From a pod's coming into the queue to its being bound, over all attempts.", fromTenMillis, "attempts")
	m.podAttempts = m.plainHistogram(metrics.STABLE, "pod_scheduling_attempts", "How many attempts it took to schedule a pod.", metrics.ExponentialBuckets(1, 2, 5))

	m.afterFlush = m.plainCounter(flushes, metrics.ALPHA, "pod_scheduled_after_flush_total", "Pods that were bound after they had waited for too long, and no event had brought them back. Many point to a queueing hint that misses an event.")

	m.pending = m.gauge(true, metrics.STABLE, "pending_pods", "Pods that wait, by the part of the queue they are in: active, backoff, unschedulable (tried in vain) or gated (never tried).", "queue")
	m.incoming = m.counter(true, metrics.STABLE, "queue_incoming_pods_total", "Pods that came into a part of the queue, by the event that brought them there.", "queue", "event")
	m.entities = m.gauge(entities, metrics.ALPHA, "queued_entities", "What waits to be scheduled as one, by the part of the queue it is in, and its type: pod.", "queue", "type")
	m.entering = m.counter(entities, metrics.ALPHA, "queue_incoming_entities_total", "What came into another part of the queue to be scheduled as one, by the event that brought it there, and its type: pod.", "queue", "event", "type")
	m.narrowed = m.counter(entities, metrics.ALPHA, "pre_queueing_hint_evaluations_total", "Evaluations of pre-queueing hints, whose feature gate is off.", "plugin", "result")
	m.rejected = m.gauge(true, betaFrom136, "unschedulable_pods", "Unschedulable pods, by the plugin that rejected them. A pod counts for each such plugin.", "plugin", "profile")
	m.inFlight = m.gauge(hints, metrics.ALPHA, "inflight_events", "Events kept for pods that are being scheduled, and such pods themselves under PodPopped.", "event")
	m.hintDuration = m.histogram(hints, metrics.ALPHA, "queueing_hint_execution_duration_seconds", "How long a plugin took to say whether an event helps a pod.", fineTenMicros, "plugin", "event", "hint")

	m.pointDuration = m.histogram(true, metrics.STABLE, "framework_extension_point_duration_seconds", "How long all plugins of an extension point took.", fromTenthMilli, "extension_point", "status", "profile")
	m.pluginDuration = m.histogram(true, betaFrom137, "plugin_execution_duration_seconds", "How long one plugin took at an extension point.", fineTenMicros, "plugin", "extension_point", "status")
	m.evaluations = m.counter(true, betaFrom136, "plugin_evaluation_total", "Calls of a plugin at PreFilter, Filter, PreScore and Score.", "plugin", "extension_point", "profile")
	m.permitDuration = m.histogram(true, betaFrom136, "permit_wait_duration_seconds", "How long pods waited for permission to be bound.", fromMilli, "result")
	m.goroutines = m.gauge(true, betaFrom136, "goroutines", "Work under way beside the scheduling of the next pod, by what it is.", "operation")
	m.cacheSize = m.gauge(true, metrics.ALPHA, "cache_size", "Nodes, pods and assumed pods in the scheduler's cache.", "type")

	m.preemptionAttempts = m.plainCounter(true, metrics.STABLE, "preemption_attempts_total", "Attempts to make room for a pod by preemption.")
	m.victims = m.plainHistogram(metrics.STABLE, "preemption_victims", "Number of victims of one preemption.", metrics.ExponentialBuckets(1, 2, 7))
	m.deletionsDuration = m.histogram(async && !entities, metrics.ALPHA, "preemption_goroutines_duration_seconds", "How long the deletion of a preemption's victims took.", fromTenMillis, "result")
	m.deletions = m.counter(async, metrics.ALPHA, "preemption_goroutines_execution_total", "Preemptions whose victims were deleted, by whether that went well.", "result")

	m.batchAttempts = m.counter(true, metrics.ALPHA, "batch_attempts_total", "Uses of one pod's scores for the next pod, by result.", "profile", "result")
	m.batchFlushes = m.counter(true, metrics.ALPHA, "batch_cache_flushed_total", "Times that one pod's scores were not used for the next pod, by reason.", "profile", "reason")
	m.nodeHintDuration = m.histogram(true, metrics.ALPHA, "get_node_hint_duration_seconds", "How long it took to find out whether an earlier pod's scores can be used for this one.", fromTenMicros, "hinted", "profile")
	m.storeResultsDuration = m.histogram(true, metrics.ALPHA, "store_schedule_results_duration_seconds", "How long it took to keep a pod's scores for the next one.", fromTenMicros, "profile")
	rescores := f.Has(release.BatchesRescored)
	m.rescores = m.counter(rescores, metrics.ALPHA, "batch_rescore_attempts_total", "Times that the node of the last pod was scored anew beside the scores that were kept for the next one.", "profile")
	m.rescoreDuration = m.histogram(rescores, metrics.ALPHA, "batch_rescore_duration_seconds", "How long it took to score the node of the last pod anew, and to normalize the scores beside it.", fromTenMicros, "profile")
	m.calls = m.counter(calls, metrics.ALPHA, "async_api_call_execution_total", "Calls to the API server made beside scheduling.", "call_type", "result")
	m.callDuration = m.histogram(calls, metrics.ALPHA, "async_api_call_execution_duration_seconds", "How long such calls took.", fromMilli, "call_type", "result")
	m.callsWaiting = m.gauge(calls, metrics.ALPHA, "pending_async_api_calls", "Such calls that wait to be made.", "call_type")
	m.claimsCreated = m.counter(claims && !entities, metrics.ALPHA, "resourceclaim_creates_total", "ResourceClaims that the scheduler asked to be created.", "status")
	m.claimsOwned = metrics.NewCounterVec(&metrics.CounterOpts{
		Subsystem: "dynamic_resource_allocation", Name: "resourceclaim_creates_total", StabilityLevel: metrics.ALPHA,
		Help: "ResourceClaims that were asked to be created, by what owns them.",
	}, []string{"status", "admin_access", "owner_api_group", "owner_api_kind"})
	m.register(claims && entities, m.claimsOwned)
	m.volumeRequests = m.counter(true, metrics.ALPHA, "volume_binder_cache_requests_total", "Requests to the cache of volume bindings.", "operation")
	m.volumeErrors = m.counter(true, metrics.ALPHA, "volume_scheduling_stage_error_total", "Errors in a stage of the scheduling of volumes.", "operation")
	return m
}

// betaIf is the stability of a family that a release has promoted to beta.
func betaIf(promoted bool) metrics.StabilityLevel {
	if promoted {
		return metrics.BETA
	}
	return metrics.ALPHA
}

// register adds a family that exists under the feature gates. One that is not registered discards its samples.
func (m *families) register(exists bool, family metrics.Registerable) {
	if exists {
		m.all = append(m.all, family)
	}
}

func (m *families) counter(exists bool, level metrics.StabilityLevel, name, help string, labels ...string) *metrics.CounterVec {
	v := metrics.NewCounterVec(&metrics.CounterOpts{Subsystem: scheduler, Name: name, Help: help, StabilityLevel: level}, labels)
	m.register(exists, v)
	return v
}

func (m *families) plainCounter(exists bool, level metrics.StabilityLevel, name, help string) *metrics.Counter {
	c := metrics.NewCounter(&metrics.CounterOpts{Subsystem: scheduler, Name: name, Help: help, StabilityLevel: level})
	m.register(exists, c)
	return c
}

func (m *families) gauge(exists bool, level metrics.StabilityLevel, name, help string, labels ...string) *metrics.GaugeVec {
	v := metrics.NewGaugeVec(&metrics.GaugeOpts{Subsystem: scheduler, Name: name, Help: help, StabilityLevel: level}, labels)
	m.register(exists, v)
	return v
}

func (m *families) histogram(exists bool, level metrics.StabilityLevel, name, help string, buckets []float64, labels ...string) *metrics.HistogramVec {
	v := metrics.NewHistogramVec(&metrics.HistogramOpts{
		Subsystem: scheduler, Name: name, Help: help, StabilityLevel: level, Buckets: slices.Clone(buckets),
	}, labels)
	m.register(exists, v)
	return v
}

func (m *families) plainHistogram(level metrics.StabilityLevel, name, help string, buckets []float64) *metrics.Histogram {
	h := metrics.NewHistogram(&metrics.HistogramOpts{
		Subsystem: scheduler, Name: name, Help: help, StabilityLevel: level, Buckets: slices.Clone(buckets),
	})
	m.register(true, h)
	return h
}

// Package queue holds the pending pods and decides when each gets its next attempt.
//
//	        Add                                   Pop
//	         │                                     ▲
//	         ▼    PreEnqueue                       │
//	      ┌──┴───────── passes ───────────────► activeQ ◄──────────┐ back-off over
//	      │ refuses                                ▲ ▲             │ (whole seconds)
//	      ▼                                        │ │        ┌────┴─────┐
//	   ┌───────┐   event the gate awaits           │ └────────┤ backoffQ │ in order of release
//	   │ gated ├───────────────────────────────────┤  Pop, if └────┬─────┘
//	   └───────┘                                   │  activeQ      ▲
//	┌───────────────┐   event that helps, or       │  is empty     │
//	│ unschedulable ├── timeout after 5 min ───────┴───────────────┤ still backing off
//	└───────▲───────┘                                              │
//	        │ rejected, nothing has helped   ┌────────┐  an event during the attempt helped, or it
//	        └────────────────────────────────┤ failed ├─────────── ended in an error ──────────────┘
//	                                         └────────┘
//
// A popped pod is in flight until Done, or until AddUnschedulableIfNotPresent requeues it. In-flight events are kept in
// one list (in_flight_events.go), behind a marker for each pod in flight, and checked when the pod fails: a pod cannot
// miss the event it needs. Plugins register the events that help, with hints (hints.go). Only the hints of the plugins
// that rejected a pod run, and unschedulablePods is indexed by those plugins (unschedulable_pods.go), so that the cost of
// an event depends on the pods it can move and not on all pods.
//
// # Time
//
// The queue has no clock. Each method that needs the time has it as a parameter, and first runs the two timers up to it,
// each tick at its own time: back-off ends on whole seconds, and every 30 s after Start the pods that have been in
// unschedulablePods for too long are moved. NextWake returns the next tick that has something to do. Times must not go
// back; if one does, the latest known time counts. The order of arrival orders equal timestamps, and unschedulablePods
// is visited in the order in which the pods were added.
//
// # Back-off
//
// The n-th rejection costs InitialBackoff × 2^(n−1), at most MaxBackoff: 1, 2, 4, 8, 10, 10 s. Consecutive errors
// are counted separately. With PopFromBackoff the end is cut to the whole second and the pod released with the first tick
// after that second, so that the delay d becomes (d, d+1s].
//
// # Reading
//
// Counts, Window and RequeuesOn are for displaying the queue, see View: their cost is that of their result.
// unschedulablePods has an order (unschedulable_order.go) in which a window is found anywhere; a heap is walked down from its head.
// A Journal and a DepthHistory are computed from records.
//
// # The older rule
//
// Before queueing hints, an event moved every pod in unschedulablePods. RequeueRule MoveRequestCycle still does: any event of a
// pod, node, service, volume, claim, storage class or CSI node, or that a plugin registered. An event stores the number
// of the present scheduling cycle; a failed pod goes to backoffQ if an event came in its cycle or a later one, and is
// put into unschedulablePods otherwise, after a rejection as after an error. Pods are moved from there after 30 s. Where
// the description of that rule contradicts itself, this queue does as follows:
//
//   - Its back-off is InitialBackoff × 2^attempts as in its worked examples (3 attempts 8 s, 5 attempts 32 s), cut to
//     MaxBackoff, so with the usual bounds 2, 4, 8, 10, 10 s. The present rule has the series that begins with 1 s.
//   - An event helps a pod in flight if it came in "the same or a newer" cycle, not only in the same.
//   - A move takes unschedulable pods to activeQ, or to backoffQ while they back off. Pods in backoffQ are not moved by events.
//   - Options.RequeueRule selects the rule for the whole queue; queueing hints are the default.
//
// # Records
//
// Options.Observe receives every Transition. A Journal keeps a pod's moves. The metrics follow from records alone:
//
//   - scheduler_queue_incoming_pods_total{queue,event}: +1 for every Moved with Entered and a To.QueueLabel() that is not empty.
//     A GroupHeld adds Count to the unschedulable ones: kube-scheduler takes each of these pods out and puts it back.
//   - scheduler_pending_pods{queue}: for every Moved, −1 for From and +1 for To, where active is Active, backoff is
//     Backoff and ErrorBackoff, unschedulable is Unschedulable and gated is Gated. Counts has the same numbers.
//   - scheduler_unschedulable_pods{plugin,profile}: for every Moved, +1 for each of NewRejectors and −1 for each of ClearedRejectors.
//   - scheduler_inflight_events{event}: +1 for every InFlightEventAdded and −Count for every InFlightEventsReleased; and under "PodPopped" +1 for every
//     Moved to InFlight and −1 for every Moved from it.
//   - scheduler_queueing_hint_execution_duration_seconds{plugin,event,hint}: one observation for every HintRun.
//     The caller that passes in hints and PreEnqueue plugins measures their durations.
//
// # Differences from kube-scheduler
//
//   - unschedulable_pods does not drift, as in 1.36 and later: a pod gated again by the same plugin is not counted again, and a deleted pod is
//     subtracted.
//   - A pod is in one state only. A pod in flight cannot be added again; an update with several events stops at the
//     first that moves the pod, also without PopFromBackoff.
//   - A pod in flight is found by the UID it was popped with, even if another pod has its name, so that none stays forever.
//   - Pods without a UID are identified by name, and a node without a name gets no nomination.
//   - PreEnqueue plugins run in the order of the profile, after the one that gates the pod; upstream's order is random,
//     and so is its order of hints.
//   - NominatedPodsForNode does not copy the pods.
package queue

// Package queue holds the pods that wait to be scheduled, and decides when each gets its next attempt.
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
//	│ unschedulable ├── parked for 5 minutes ──────┴───────────────┤ still backing off
//	└───────▲───────┘                                              │
//	        │ rejected, nothing has helped   ┌────────┐  an event during the attempt helped, or it
//	        └────────────────────────────────┤ failed ├─────────── ended in an error ──────────────┘
//	                                         └────────┘
//
// A popped pod is in flight until Done, or until AddUnschedulableIfNotPresent brings it back. Events that happen in
// between are kept in one list (flights.go), behind a marker for each pod in flight, and judged when it fails: a pod
// cannot miss the event it needs. Which events help which pods is what plugins registered, with hints (hints.go). A pod
// is judged only by the plugins that turned it down, and parked pods are indexed by those plugins (parked.go), so that
// an event costs what it can move and not what is parked.
//
// # Time
//
// The queue has no clock. Whatever needs the time is told it, and first lets the two timers tick up to it, each tick at
// its own time: back-off is released on whole seconds, and every 30 s after Start the pods that have been parked for
// too long are moved. NextWake names the next tick that has something to do. Times must not go back; if one does, the
// latest known counts. Equal timestamps are told apart by the order of arrival, and whatever goes through parked pods
// does so in the order in which they were parked.
//
// # Back-off
//
// The n-th rejection costs InitialBackoff × 2^(n−1), at most MaxBackoff: 1, 2, 4, 8, 10, 10 s. Errors in a row count for
// themselves. With PopFromBackoff the end is cut to the whole second and the pod released with the first tick after that
// second, so that the delay d becomes (d, d+1s].
//
// # Reading
//
// Counts, Window and Awaits are for those who show the queue: what they cost is what they hand out. Parked pods stand in a
// line (line.go) in which a window is found anywhere; a heap is walked down from its head. A Journal and a Tide are made
// of records.
//
// # The older rule
//
// Before plugins gave hints, an event moved every parked pod, and Rule MoveRequestCycle does so still: any event of a
// pod, node, service, volume, claim, storage class or CSI node, or that a plugin registered. An event stores the number
// of the present scheduling cycle; a failed pod goes to backoffQ if an event came in its cycle or a later one, and is
// parked otherwise, whether plugins or an error failed it. Parked pods are moved after 30 s. Where the description of
// that rule is at odds with itself, this is what holds here:
//
//   - Its back-off is InitialBackoff × 2^attempts as in its worked examples (3 attempts 8 s, 5 attempts 32 s), cut to
//     MaxBackoff, so with the usual bounds 2, 4, 8, 10, 10 s. The rule of today has the series that begins with 1 s.
//   - An event helps a pod in flight if it came in "the same or a newer" cycle, not only in the same.
//   - A move takes parked pods to activeQ, or to backoffQ while they back off. Pods in backoffQ are not moved by events.
//   - Hints or everything is a choice for the whole queue, in Options.Rule; hints are the default.
//
// # Records
//
// Options.Observe is told of everything as a Transition. A Journal keeps a pod's moves. The metrics follow from records
// alone:
//
//   - scheduler_queue_incoming_pods_total{queue,event}: +1 for every Moved with Entered and a To.Queue() that is not empty.
//   - scheduler_pending_pods{queue}: for every Moved, −1 for From and +1 for To, where active is Active, backoff is
//     Backoff and ErrorBackoff, unschedulable is Unschedulable and gated is Gated. Counts has the same numbers.
//   - scheduler_unschedulable_pods{plugin,profile}: for every Moved, +1 for each of Blamed and −1 for each of Cleared.
//   - scheduler_inflight_events{event}: +1 for every Noted and −Count for every Pruned; and under "PodPopped" +1 for every
//     Moved to InFlight and −1 for every Moved from it.
//   - scheduler_queueing_hint_execution_duration_seconds{plugin,event,hint}: one observation for every Asked. How long
//     hints and PreEnqueue take is for those to measure who hand them in.
//
// # Differences from kube-scheduler
//
//   - unschedulable_pods does not drift: a pod gated again by the same plugin is not counted again, and one that is
//     deleted is taken off.
//   - A pod is in one place only. One that is being scheduled cannot be added again; an update that means several events
//     ends with the first that moves the pod, also where pods are not popped from backoffQ.
//   - A flight ends under the UID it began with, whatever pod has the name by then, so that none is kept for ever.
//   - Pods without a UID are told apart by name, and nobody is nominated for a node without a name.
//   - PreEnqueue plugins are asked in the order of the profile, after the one that gates the pod; upstream's order is
//     random. So is the order in which it asks hints.
//   - NominatedPodsForNode does not copy the pods.
package queue

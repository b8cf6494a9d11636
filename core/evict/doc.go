// Package evict is about pods that are made to leave. There are five ways, and each has its rules:
//
//	preemption     the scheduler makes room for a more important pod        core/preempt
//	taint          a NoExecute taint the pod does not tolerate, or not      core/evict/taint
//	               for as long
//	device taint   a device the pod uses is tainted                         core/evict/device
//	pressure       a kubelet runs out of memory, disk or process IDs        core/evict/pressure
//	eviction API   somebody asks, and a disruption budget allows it         core/evict/budget
//
// The rules are state machines of the engine's kind: told of inputs, woken when a timer is due, answering with acts. A
// machine can act, as the controller itself, or only predict, as a console beside the real one does; it runs the same
// either way, and only what becomes of its acts differs. [Controller] is what they have in common.
//
// Where the taints come from that nodes get for their troubles, and when, is in core/evict/lifecycle.
//
// What the machines share is here: [Timers], [Removals], which mark pods and delete them, [Stay], which is what taints and
// tolerations come to, and [Tally].
//
// What was foretold of a departure stays beside what then happened, and the board counts how often that agrees: [Foretelling]
// and its [Outcome]. A prediction is settled once, by the first of these that is seen: the pod is asked to leave for the
// cause, it leaves for another, or it is let stay. About on time is within 5 s; a pod that is still there 30 s after its
// time makes one doubt that anybody acts.
//
// What leaves, by whichever way, is written on one [Board]: what left, what is leaving and what would leave, why, at
// whose wish, by when, and on account of which budget. Where nobody acts who could write it, because the cluster is a real
// one or a recording of one, core/evict/clerk reads it off what passes by. Two more causes are only ever seen: a node that
// shuts down, and one that is gone.
package evict

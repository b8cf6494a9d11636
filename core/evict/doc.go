// Package evict holds the evictions of pods. There are five ways, each with its rules:
//
//	preemption     the scheduler makes room for a more important pod        core/scheduler/preempt
//	taint          a NoExecute taint the pod does not tolerate, or not      core/evict/taint
//	               for as long
//	device taint   a device the pod uses is tainted                         core/evict/device
//	pressure       a kubelet runs out of memory, disk or process IDs        core/evict/pressure
//	eviction API   a request that a PodDisruptionBudget allows              core/evict/budget
//
// The kernel can be faster than a kubelet: as memory runs out it kills containers, which stay on their node and start again. That is on
// the record as well.
//
// The taints that nodes get for their conditions are core/evict/lifecycle's. Pods of a node that shuts down or that was deleted
// are two more causes, which are only observed.
//
// # The record
//
// All of them write on one [Record]: an [Eviction] has its pod, cause, initiator, reason, phase, times and budget. Where no
// controller of this program acts, core/evict/observer writes it from the inputs of an engine. Panes, JSON and answers read it.
//
// What was predicted of an eviction stays beside what then happened: a [Prediction] and its [Outcome], which is decided once, by
// the first of these that is seen: the pod is evicted for the cause, deleted for another reason, or the eviction is cancelled. On
// time is within 5 s; a pod that is overdue by 30 s makes it doubtful that a controller runs.
//
// # Controllers
//
// The rules are state machines of the engine's kind: they take in inputs, are woken by timers, and answer with effects. A
// controller evicts pods itself, or only predicts what another one does; it runs the same either way. Package drive runs them, by
// its interface Controller. They share [Timers], [Evictor], which sets a pod's DisruptionTarget condition and deletes it,
// [TolerationLimit], which is what taints and tolerations come to, and [Counters].
package evict

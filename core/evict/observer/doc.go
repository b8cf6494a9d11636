// Package observer writes the [evict.Record] of a cluster in which it does not act: a real one, a recording, or a simulated one.
//
//	                   ┌─► pods: condition DisruptionTarget, deletion, end ──────────► terminating, evicted, cancelled ─┐
//	inputs ─► store ───┼─► evict/taint, evict/device, evict/lifecycle, predicting ───► at risk, counting down, … ───────┼─► Record
//	                   └─► PodDisruptionBudgets ─────────────────────────────────────► which one selects which pod ─────┘
//	decisions ─► Preempted ──────────────────────────────────────────────────────────► victims, and why on that node ───▲
//
// An [Observer] takes in the inputs of an engine and the preemptions that it decided. A prediction, a decision and the pod's later
// changes make one entry. Acting controllers of this program write to the same record; the observer leaves their
// causes to them ([Options.Acting]).
//
// # What a pod shows
//
//	DisruptionTarget is True, for the reason
//	  PreemptionByScheduler          preemption
//	  DeletionByTaintManager         taint
//	  DeletionByDeviceTaintManager   device taint
//	  EvictionByEvictionAPI          eviction API
//	  DeletionByPodGC                node gone
//	  TerminationByKubelet           node pressure; a preemption by the kubelet or a shutdown by the status
//	its phase is Failed, Evicted     node pressure, of a pod that exceeds its own limits or was not admitted
//	a container ended, OOMKilled     out of memory: the kernel killed it, and it starts again if the pod lets it
//
// From the condition on the pod is terminating, with its deadline once it is being deleted. It is evicted when it is deleted or
// has ended, whichever comes first. A condition that is removed or replaced cancels the eviction, and so does an eviction for
// another cause. Pods that are deleted without such a condition are not on the record. A pod that was evicted before the
// observer started has the time of its condition.
//
// # What is predicted
//
// Taints and tolerations start timers, as in the controllers that act on them; Predicted marks what was not seen of the pod yet.
// Pods of nodes that wait for a NoExecute taint are at risk. The victims of a preemption are terminating from the decision on;
// those that were not evicted in the end are cancelled when the preemptor is bound, is deleted, or gets other victims.
//
// Predictions are checked by the condition, since every controller sets it before it deletes (prediction.go). Times are those of
// the inputs: they contain a watch's delay, and no difference of clocks. A timer that started before the observer did ends
// earlier than predicted.
//
// An allowed eviction by the API is compared with budget.Evaluate's response for the pod's previous state, without the
// charge that the budget may have by then. A refused one leaves no trace in the cluster: its caller reports it with
// [Observer.EvictionRefused]. Only a kubelet's own measurements predict its evictions, and only the drain knows which pods a
// budget blocks; where they run in this program they write to the same record.
//
// # Cost
//
// An unrelated input costs the comparison of one object. The observer holds the objects of its kinds, which the engine
// holds as well, and the pods that are being evicted.
package observer

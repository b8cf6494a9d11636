// Package observer writes the [evict.Record] of a cluster in which it does not act: a real one, a recording, or a simulated one.
//
//	                   ┌─► pods: condition DisruptionTarget, deletion, end ──────────► terminating, evicted, cancelled ─┐
//	inputs ─► store ───┼─► evict/taint, evict/device, evict/lifecycle, predicting ───► at risk, counting down, … ───────┼─► Record
//	                   └─► PodDisruptionBudgets ─────────────────────────────────────► which one selects which pod ─────┘
//	decisions ─► Preempted ──────────────────────────────────────────────────────────► victims, and why on that node ───▲
//
// An [Observer] takes in the inputs of an engine and the preemptions that it decided. A prediction, a decision and what is then
// seen of the pod make one entry. Controllers of this program that act write on the same record; the observer leaves their
// causes to them ([Options.Acting]).
//
// # What is seen on a pod
//
//	DisruptionTarget is True, for the reason
//	  PreemptionByScheduler          preemption
//	  DeletionByTaintManager         taint
//	  DeletionByDeviceTaintManager   device taint
//	  EvictionByEvictionAPI          eviction API
//	  DeletionByPodGC                node gone
//	  TerminationByKubelet           node pressure; a preemption by the kubelet or a shutdown if the status says so
//	it has failed, Evicted           node pressure, of a pod beyond limits of its own or one not let in
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
// An eviction by the API that was allowed is compared with what budget.Evaluate says of the pod as it was before, without the
// charge that the budget may have by then. A refused one leaves no trace in the cluster: its caller reports it with
// [Observer.EvictionRefused]. What a kubelet will do only its own measurements tell, and whom a budget blocks only the drain
// knows; where they run in this program they write on the same record.
//
// # Cost
//
// An input that concerns no eviction costs a look at one object. The observer holds the objects of its kinds, which the engine
// holds as well, and the pods that are being evicted.
package observer

// Package clerk writes the [evict.Board] of a cluster that it only watches: a real one, a recording being played back, or
// a simulated one.
//
//	                   ┌─► pods: the condition DisruptionTarget, a deletion, an end ─► leaving, left, cancelled ──┐
//	inputs ─► store ───┼─► core/evict/taint and core/evict/device, predicting ──────► counting, leaving, … ──────┼─► Board
//	                   └─► disruption budgets ──────────────────────────────────────► who is counted by which ───┘
//	decisions ─► Preempted ─────────────────────────────────────────────────────────► victims, and why there ─────▲
//
// A [Clerk] is told the inputs that the engine is told, and of the preemptions it has decided. It wants nothing done, and
// of every departure there is one row, whoever wrote of it first: what was foretold, what a decision said and what is then
// seen on the pod are one thing.
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
// From the mark on the pod is leaving, with its deadline once it is being deleted. It has left when it is gone or has run
// to its end, whichever comes first. A mark that is taken back, or replaced by another, cancels the departure; so does
// going for another cause. Pods that leave for no cause, as when somebody deletes them, are not on the board.
//
// A pod that was evicted before the clerk first heard of it has left when its mark says.
//
// # What is foretold
//
// NoExecute taints and tolerations start timers, as the controllers do which act on them; Predicted marks what was not
// seen on the pod yet. The victims of a preemption are leaving from the decision on. Those that nobody asked to leave in
// the end, because a call failed or the preemptor found another place, are cancelled when the preemptor is bound, gone or
// picks victims anew.
//
// What is foretold is checked: the board's rows say when a pod was to be asked to leave, when it was seen to be asked or what
// came in between, and what that amounts to (check.go). The mark decides, as every controller sets it before it deletes. Times
// are those at which this clerk heard of things: a watch's delay is in them, and clocks that differ are not. A timer that
// began before the clerk looked goes off sooner than foretold.
//
// Of an eviction through the API that is allowed the mark tells; it is held against what budget.Judge says of the pod as it
// was before, with the budget's charge taken back where that was seen first. One that is refused leaves no trace in the
// cluster: whoever asked for it tells [Clerk.Refused].
//
// What a kubelet is going to do under pressure only its own measurements tell. A simulated cluster's kubelets
// (core/evict/pressure) can write on the same board, and so can a drain (core/evict/budget), which alone knows whom a
// budget holds and who asked.
//
// # Cost
//
// An input that concerns nobody who leaves costs a look at one object. What is remembered are the objects of the kinds
// looked at, which the engine remembers too, and the pods that are leaving.
package clerk

// Package diagnose says why a pod is or is not scheduled, and which single change would place it.
//
//	engine ──► Ask ──┬──► LifecycleOf: where the pod is, whatever would be decided
//	(only read)      ├──► Pod: the decision, of now or of the past, and its reasons
//	                 │     ├──► cause: what keeps the pod from the nodes that it wants
//	                 │     └──► candidates ──► each tried on a fork ──► Remedies
//	                 └──► Complete: moves of other pods, the pod's gang; what Question.Fixes says each remedy comes to when all pods go on
//
// There is one answer.Answer; the explain pane, "orrery explain" and its JSON show it. [AskPending], [AskGangs], [AskNode] and [AskClaim]
// give the same about more than one pod.
//
// A [Reason] carries [Evidence]: what the plugin itself says of its rejection ([Found], see framework.Explainer), which nothing here
// has to know about. A plugin that does not explain itself is shown with its message.
//
// # Cause
//
// The Summary of a pod without a node is what keeps it from the nodes that it wants (cause.go):
//
//	all nodes ──► without those where the pod asks for others (selector, volume, affinity, spread) ──► the wanted ones
//	                  none left: that is the cause                                                        │
//	          by all that is in the way on a node, the least first ◄──────────────────────────────────────┘
//
// A request that no node could ever hold comes before all, since nothing else matters then. The changes that plugins propose are tried
// like those that are found here (proposed.go).
//
// # Lifecycle
//
// What would be decided is the answer only for a pod that waits for it. [Lifecycle] says where a pod is already, and whether it ends or is
// being deleted, by whom, and what keeps it; of a bound pod the decision is the one that placed it, or with Question.Now what would happen
// today. A pod that refers to kinds that may not be read is not evaluated (unread.go).
//
// # Storage
//
// For a pod with claims, [Storage] is the chain pod → claim → class → volume → nodes (volumes.go); [Chain] is that without the nodes. What a
// claim is, package volumes says for everybody who asks, and why it keeps the pod from nodes the plugins. volumes_events.go makes what a
// change of storage comes to, volumes_binding.go says what a placed pod waits for until its claims are bound.
//
// # Devices
//
// For a pod with claims for devices, or with an extended resource that devices serve, [Devices] is the chain pod → claim → request →
// devices → nodes, as package shortage has it for the plugin, too. devices_events.go makes what a change of devices comes to.
//
// # Gangs
//
// A pod of a gang has the diagnosis of the whole gang beside its own: [GangOf].
//
//	gangs_diagnosis.go, gangs_members.go   how far it is: its members by state
//	gangs_trial.go                         the members without a place, tried together on a copy, before all other pods: whether
//	                                       they fit, and which one does not
//	gangs_rivals.go                        the gangs that hold places and wait, too: the same trial without those places, of this
//	                                       gang and of the other one; if both fit so, they are in a deadlock
//	gangs_remedies.go                      changes that may let it go, for package fix to try
//	gangs_text.go                          the same in sentences
//
// # Cost
//
// One explanation, which runs every Filter plugin on every node, and one more for each remedy tried: at most eight. The trials of a
// gang have a common limit of nodes that are filtered; an answer that reaches it says so.
package diagnose

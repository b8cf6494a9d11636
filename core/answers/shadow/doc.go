// Package shadow runs Orrery's engine next to another scheduler: the engine decides on the same inputs without effects
// on the cluster, and the package reports how often the other scheduler agrees, and why not where they differ.
//
//	                 ┌───────────────────────────── Shadow ──────────────────────────────┐
//	                 │           ┌──► engine ──► effects ──► heldBindings (writes nothing) │
//	inputs ──────────┼───────────┤      ▲                        │                       │
//	(of the real     │           │      └───── outcomes ─────────┘                       │
//	 API server)     │           └──► Comparator: a second engine that never decides ────┼──► findings, counters
//	                 └───────────────────────────────────────────────────────────────────┘
//
// A Shadow has neither clock nor I/O: the same inputs and steps give the same findings. It is driven like an engine: Apply,
// Step until there is nothing to decide, and a Tick at NextWake.
//
//	shadow.go          both engines together
//	heldbindings.go    outcomes for the effects of an engine that must not act
//	heldvolumes.go     the writes of volumes and claims among them
//	comparator.go      observes the other scheduler's decisions, and ranks the nodes for each
//	prepared.go        its decisions about pods with claims, from what it writes before it binds them
//	conditions.go      what a pod's conditions say of its attempts
//	otherqueue.go      the order of pods in the other scheduler's queue
//	reorderable.go     single events that can be undone, or applied early
//	streams.go         which of them the other scheduler may have seen at another time
//	counterfactual.go  a ranking with some of them reordered
//	search.go          the search for events that explain a decision
//	nodes.go           the real node compared with the others
//	finding.go         results, counted and kept
//	overruled.go       pods with another node than the engine's, and how the two compare
//
// # What the shadowed engine observes
//
// The shadow holds bindings: the pod stays assumed until the cluster shows a result. If the other scheduler binds it to
// the same node, the binding succeeds. If it binds the pod elsewhere, the engine ends its own binding and does not queue the
// pod again; [Comparator.Overruled] tells how the two nodes compare. The binding fails if the other scheduler declares
// the pod unschedulable, or after [PredictionTimeout]; the engine then reconciles as after a failed call. A claim to be
// written into a volume, and a node into a claim, are held like this as well, and also succeed or fail by what the volume or
// the claim shows. All other effects succeed at once: a victim that was not deleted still exists, and the cluster shows it.
//
// # How a real decision is compared
//
// The Comparator's engine decides nothing, so its state holds only facts. When an input shows that a pending pod got a
// node, it ranks all nodes for that pod, with the code that decides, in the state just before. If no node is better
// than the real one, the two agree: the choice among equally good nodes is random.
//
// If one is better, the other scheduler had another state. It decides one pod at a time, and its bindings run
// concurrently and overtake each other: in a burst it had assumed pods whose bindings arrived later, and had not yet
// decided about pods that arrived before. And either scheduler may see a change first. The comparator runs a [Window]
// behind its inputs to see later events, and keeps past ones for a [HistoryWindow]. Three rules limit what the other
// scheduler may have seen. None of them depends on speed:
//
//   - Its queue orders pods by priority, then by arrival, and both schedulers see pods in the same order. So the order
//     of two decisions is certain, unless the pod with the higher priority came later. A
//     comparison waits, for [MaxHold] at most, until the pods before it in the queue were decided.
//   - Changes of pods come in one order, and changes after the binding were not seen.
//     Of pods with a higher priority that came later, that were deleted, or that another scheduler bound, it had seen a
//     prefix, up to MaxHold before the binding arrived, or for as long as bindings came without a pause; and of the pods with a
//     lower priority that came earlier it had decided a prefix.
//   - Nodes, volumes and other objects come in an order of their own, of which it had seen a prefix. That prefix ends
//     further than a Window from the binding only if bindings came without a pause in between.
//
// So the search (search.go) starts with what is certain, then slides the end of each prefix to where the real node
// comes closest to the best, and last tries a few single events within the window, each of which must bring it closer.
// Only the window bounds the order of pods that were tried before (which may be seen only after the decision), are gated, wait
// for devices, or waited when another replica became leader, and of all pods if the configuration has another QueueSort plugin
// than PrioritySort.
//
// If the real node is then among the best, the difference is explained, and the finding names the necessary events. Another
// scheduling algorithm is not explained away: its decisions would have to be right for some state it could have had. If
// the configuration scores only part of the nodes, a node that is the best of a part of that size is explained by it.
//
// A pod that the other scheduler declares unschedulable is compared in the same way: no node must be feasible.
//
// A pod's volumes are provisioned and bound before the pod is, which may take minutes, while the other scheduler already counts
// the pod on its node. So its decision is compared when a claim shows it: by the selected node in the claim, or by the claim in
// a volume together with the node that the pod was nominated for. Until its binding succeeds or fails, the comparator has the pod
// on that node. Without either, as with a claim that two pending pods share, the binding itself is compared: then with the nodes
// that its volumes can be used on, and not with those that other volumes would have allowed.
//
// # What is not compared
//
// Pods about which the other scheduler asks extenders: what those said is in no object. Pods that arrived with a node, whose node first appeared in a relist, or that have another scheduler name. Decisions
// about pods that were pending at a list, the first one or a relist, if they arrive within a HistoryWindow after it:
// they may be older than the list. All of them are counted. A shadow that starts in the middle of a burst misses the
// bindings in flight.
//
// # Cost
//
// A second engine's memory without a decision log, and a HistoryWindow of inputs; one ranking for every pod that gets a
// node; and for every difference a fork and some more rankings. Forks and rankings are bounded per difference, and over time
// for all of them (counterfactual.go): a scheduler that always differs gets fewer explanations.
package shadow

// Package preempt makes room for a pod that fits on no node by evicting pods of lower priority.
//
//	eligible? ─► nodes with a resolvable rejection ─► dry run on a sample of them ─► candidates
//	                                                                                     │
//	     nominate the node, evict the victims  ◄── pick one, criterion by criterion ◄────┘
//
// On each node of the sample, a copy of the node loses all pods of lower priority. If the pod fits then, they are added back
// one by one, the most important first, those protected by a disruption budget before the others; those beside which the
// pod does not fit are the victims. The candidates are compared by six criteria, each deciding among those that the one
// before left equal. What a candidate is worth by each of them is part of the outcome of its dry run.
//
// # Kept outcomes
//
// Preemptors mostly come from templates, and between two of them most nodes stay as they are. So a dry run asks for the outcome of
// an earlier one first:
//
//	signature of the Filter plugins, priority ─► outcomes ─► outcome on a node ─► holds? ─► candidate, or why there is none
//	                                                              ▲                  │ no
//	                             generation of the node ──────────┤                  ▼
//	                             pods nominated for it ───────────┤        remove, filter, add back
//	                             budgets that match its pods ─────┘                  │
//	                                                              ◄──────────────────┘
//
// Which budgets match the pods is compared by their selectors. Their other changes end only outcomes on nodes where one matches a
// pod of lower priority, and no change of a budget ends that of a node where the pod does not fit in any case.
//
// An outcome follows from no more than this if all Filter plugins look at the node alone, see [framework.NodeLocal]; removing a
// pod then changes no state of a plugin either, and the dry run copies none. Where another plugin filters the pod, such as
// PodTopologySpread with a hard constraint, every node of the sample is tried. The lowest priority on each node is kept by
// generation for all pods: one that is below or equal to all of them learns that no preemption helps it without a dry run.
//
// Extenders with a preemptVerb are asked in between: each may drop candidates, and choose other victims and nodes. While one has
// not answered, PostFilter returns, and is called again with the same cycle state, which has the candidates.
//
// [Evaluator.Find] is the whole decision and changes nothing. [VictimEvictions] carries it out: victims get a condition and
// are deleted by effects, the last one after the others, while PreEnqueue keeps the preemptor gated.
//
// Every decision leaves a [Record]: the preemptor's node, the victims, and the other candidates with the criterion by which
// they lost. With empty [Findings] in the cycle's state, it also leaves what it found on every node, for explanations.
//
// # Differences from kube-scheduler
//
//   - Of candidates that all six criteria leave equal, the first in the order of the dry run wins; in kube-scheduler a
//     random one does.
//   - A victim without a start time counts as started later than any that has one. kube-scheduler reads the clock anew
//     for every comparison.
//   - A gated preemptor is activated when its victims' evictions are done and the victims no longer exist, as where another
//     preemptor evicted the same ones. kube-scheduler waits for an event, which may not come.
//   - Nominations are cleared while the first victims are evicted. kube-scheduler clears them before.
//   - After a failed eviction, no further victim is evicted, and the preemptor is activated. kube-scheduler goes on with calls
//     that are bound to fail.
//   - If a nomination is not cleared, the victims are evicted all the same, and the preemptor is activated then, as in
//     kube-scheduler; but not if the pod no longer exists, or has been placed on a node, since nothing is left to clear.
package preempt

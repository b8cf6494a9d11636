// Package expect is what a test expects of a run of a scheduler: of a scenario, or of a recording.
//
//	expect:                                                            run, while it happens, or a recording
//	  - {at: 40s, app: shop, placed: {on: {zone: east}}}                              │
//	       │ strict                                                                observe: when each pod came, got its node, left;
//	       ▼                                                                          │     who preempted whom
//	  Expectation ──────────────────────────── Check ◄────────────────────────────────┘
//	                                             │ at the moment, on the engine as it was then: the run is made again as a trace for that
//	                                             ▼
//	                                         Failure: what is otherwise, and why, as explain says it
//
// # Expectations
//
// Each has one of these, and says of which pods, and when:
//
//	placed          the pods have nodes. within: 2s of their arrival, whenever that was; on: {zone: a} is a label of the nodes; count: how many
//	                have one. placed: true is enough
//	pending         the pods have no node. reason: taint-untolerated is one of the reason codes of docs/scripts.md; count: how many;
//	                fix: a change in the syntax of what-if, or a part of one, that explain has to find. pending: none is the opposite
//	preempts        none; or {most, least: how many pods are preempted, by: the pods that preempt}. pods and app are the victims
//	spread          {key: zone, max: 1}: in no domain are more pods than in another, by more than max
//	p50, p90, p99, max   {of: waiting, below: 30s} from arrival to node, or to the end; {of: attempts, below: 3}
//	not-worse-than  a recording, or {recording, by: 5%}: as many pods get a node, as soon, and no more are preempted
//	same-as         a recording that decides the same, in the same order. Only with the scenario's own seed and release
//	agrees-with     kubernetes 1.37: as that release everything is decided the same
//
//	pods            a name, or a pattern: web-*, shop/web-*, all if neither is given
//	app             the label app, which the pods of a workload in a scenario have
//	at              the moment, counted from the beginning; the end if it is not given
//
// An expectation about pods of which there are none fails: it is misspelt.
package expect

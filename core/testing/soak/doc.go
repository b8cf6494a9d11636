// Package soak is a simulator of long, hostile operation: whole clusters with their schedulers in virtual time, under faults that a seed
// draws, with invariants checked at every step. The command in core/testing/soak/command runs it: make soak HOURS= SEED=.
//
//	seed ──► Draw ──► Plan: nodes, replicas, rates of faults, steps at their times; plain data, a file
//	                   │
//	                  Run
//	                   │        ┌──────────── memory.Cluster: API server, kubelets, drivers, controllers, extender
//	                   ▼        ▼                      │ inputs        ▲ effects
//	   script: steps, faults, checks at rest           ▼               │
//	                                             watchCache            │
//	                  sim.Simulation ──leads──► replica 1 … n ─────────┘
//	                  (the election)             cut off, paused, suspended, killed at any effect, started anew from a list
//	                                              │ engine ──► ledger       checks each input, step and effect
//	                                              │        ──► recordings, feed and its readers, which replay
//	                   │
//	                Result: violation, digest, counts ──► Reduce ──► a small Plan with the same violation
//
// # A plan is data
//
// Nothing in a run is drawn but from the plan: each step has a number of its own for what it draws, so that leaving out another
// changes nothing in it. So a plan can be cut down ([Reduce]), written to a file ([Plan.Text]), read and run again, to the bit. Which
// kinds of steps and faults a plan has at all is drawn first, as faults that are always together hide each other.
//
// # An hour
//
//	0 ─── steps and faults ─── 20 min ─── quiet ─── 33 min: at rest? ─── 42 min: relief ─── 45 min: at rest? ─── 46 min: sometimes all is deleted ─── 59 min: at rest?
//
// Virtual time jumps, so that the quiet part costs little, but in it the timers of hours go off: back-offs, the five minutes after which
// unschedulable pods are moved, leases, evictions, deadlines of bindings. Relief is a few steps that may help pods which wait, such as a new
// node: a pod that none of their events moves is found at the check that follows, before those five minutes are over.
//
// # Invariants
//
// What a process does is checked against what it was told: another scheduler, an event in transit or a lost answer may have made it wrong
// about the cluster, and no scheduler can know. At rest it is compared with the cluster itself. What it was told are the inputs, not what its
// store made of them: a pod that it was told of and does not count is not one that it could not know.
//
//	at every step (ledger.go, checks_placement.go)
//	  term        no process acts without holding the lease, nor beside another that believes that it leads
//	  bound once  no pod is bound that the process knows to be bound or is binding
//	  room        what the pods request that the API server has on a node, summed anew, is no more than it has, with every placement
//	  filter      a new engine without reuse, with the same objects, lets the pod have the node
//	  volumes     no volume is claimed for two claims, but where several pods share one
//	  devices     no device is allocated to two claims
//	  budgets     no eviction leaves fewer ready pods than a budget wants
//	  priority    no pod is decided on while one of higher priority is in activeQ; no victim's priority is as high as the preemptor's
//	  inputs      no input is refused
//	  progress    the work of one moment ends
//	in the cluster itself (checks_cluster.go)
//	  bound twice no pod is moved from a node to another
//	  overcommit  no node has more than there is, where nothing but the leaders, one after the other, and their stray calls have acted
//	now and then, and at rest (checks_state.go)
//	  state       cache, queue, volumes, devices and gangs agree with themselves and the store: every pod is in exactly one place
//	  counters    what is counted equals a recount
//	at rest (rest.go, level.go)
//	  same        the store and the cache hold what the API server has
//	  counted     what the cache counts on each node is what the API server's pods there request
//	  pods        every pod is known, and bound if and only if it is on a node
//	  rest        no pod is ready, and every binding in flight waits for something with a deadline
//	  lease       a scheduler leads
//	  woken       no pod is in unschedulablePods that a new engine would place: an event has moved it
//	  retried     the same, long after the timer that moves all pods
//	  level       when everything is deleted, nothing of it is retained
//	  restore     an engine that is restored from the state has the same state
//	at the end of a recording or a reader (observers.go)
//	  hashed      a recording replays to the same decisions when its names are hashed
//	  replay      it replays to the same decisions and the same digest, or as far as there was room for it
//
// # What is left out
//
// Of pods in a group, and with an extender, "woken" and "retried" say nothing: a new engine asks neither Permit nor extenders. They say
// nothing either of a node that a gated pod is nominated for, or that a binding in flight is to, as a new engine does not know of that. A cycle
// that has waited for an extender decides by what was there when it began, and is not checked by "room" and "filter". A recording that
// begins in the middle of a run with another's plugin has a snapshot instead of the state, and its replay is not compared.
package soak

// Package compare plays the same arrivals to several configurations and says what each makes of them.
//
//	trace ──► workload: what comes, what goes, what nodes do ──┬──► simulation (configuration a) ──► Result ─┐
//	          (of outcomes, nothing)                           └──► simulation (configuration b) ──► Result ─┴─► Comparison
//
// Of a recording only what the scheduler did not decide counts: when pods came, changed and went, and what happened to
// nodes and all else. Where and when pods were placed is each simulation's own. In it everything the scheduler wants done
// succeeds at once, so that pending time is queueing and nothing else.
//
// workload takes a trace apart, simulation plays it to an engine, sample looks at the nodes now and then, typical finds out
// what pods commonly ask for, and result puts it into numbers. The same trace and configurations give the same comparison,
// bit for bit.
//
// # Pending time
//
// From a pod's arrival to its first placement. Pods that never found a node have none, and are counted instead. Quantiles
// are of the pods that did: the smallest time that so many of them did not exceed.
//
// # Filling up
//
// Where pods leave sooner than others come, a cluster stays empty and every configuration looks alike. The option Fill
// leaves departures out: then the same arrivals fill the cluster, and it shows who finds room longest.
//
// # Utilisation, spread
//
// At evenly spaced moments from the first arrival to the last input (over the arrivals, when filling up), for each resource that typical pods ask for: what is
// requested of what all nodes have. A node is as full as its scarcest resource; spread is the fullest less the emptiest
// node, deviation the standard deviation over all nodes.
//
// # Fragmentation
//
// The share of free capacity that no use can be made of, because beside it too little of something is free. For a resource
// r, over nodes n and typical pods t, which are the most frequent request vectors of the trace that ask for r, each with its
// share p(t) among them:
//
//	        Σₙ free(n, r) · Σₜ p(t) · [t does not fit into what is free on n]
//	F(r) = ───────────────────────────────────────────────────────────────────
//	                              Σₙ free(n, r)
//
// It is the measure of "Beware of Fragmentation" (USENIX ATC 2023), made for any resource: 0 where every typical pod could
// use every free bit, 1 where all that is free is useless to all of them. Labels, taints and affinities are left out, so it
// speaks of sizes only. A cluster's fragmentation is the mean over its resources.
//
// # Differences from a real run
//
//   - Pods that were preempted in the recording leave when they did there, as what replaced them comes then too. A pod that
//     is preempted in the simulation comes back at once if it has an owner, under its own name.
//   - Parked pods wait for an event that may help them, however long. The retry after five minutes, which makes up for missed
//     events, would find nothing here, as none is missed.
//   - A pod that asks for a profile that the recorded scheduler had and a configuration has not gets that configuration's
//     first one.
package compare

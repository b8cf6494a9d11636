// Package compare plays the same workload to several configurations and compares the outcomes.
//
//	trace ──► workload: arrivals, deletions, node changes ─────┬──► simulation (configuration a) ──► Result ─┐
//	          (no outcomes)                                    └──► simulation (configuration b) ──► Result ─┴─► Comparison
//
// The workload has only the inputs that the scheduler did not decide: when pods were created, changed and deleted, and
// changes of nodes and all other objects, without what was decided of claims: the volumes of those that waited for a pod, and
// the devices of those that had none. Each simulation makes its own placements and allocations, and takes pods that are gone
// from their claims. Every effect succeeds at once, so pending time is queueing time only.
//
// Simulations run beside each other, one on each core (rounds); what they read of the workload and of each other's objects never changes.
//
// workload reads a trace, decision_time finds how long its decisions took, simulation plays it to an engine, paced
// gives each decision that time, sample measures the nodes at intervals, typical finds the
// frequent requests, result computes the numbers, and verdict compares them. The same trace and configurations give the same comparison, bit
// for bit.
//
// # Duration of a decision
//
// A decision takes the median time between two decisions of the recording, while a pod waited; a millisecond in a
// recording whose clock stood still while it decided. Without a duration the number of decisions would mean nothing: a
// scheduler that pops pods from backoffQ while activeQ is empty would try every waiting pod again at each event. The
// node is given at a decision's beginning, so that a pod that comes alone waits for nothing.
//
// # Pending time
//
// Pending time is the time from a pod's arrival to its first placement. Pods that are never placed are counted
// separately. A quantile is the smallest time that this share of the placed pods did not exceed.
//
// # Filling up
//
// If pods are deleted faster than others arrive, a cluster stays empty and all configurations look alike. The option
// Fill leaves out deletions: the same arrivals then fill the cluster, and it shows which configuration places pods
// longest.
//
// # Other seeds
//
// A scheduler chooses at random among nodes with the best score, and another choice leads to other figures. So each
// configuration is simulated under a few seeds. The results are those of the trace's own seed; a difference between two
// configurations whose figures overlap over the seeds says nothing about the configurations.
//
// # Utilization, spread
//
// At evenly spaced moments from the first arrival to the last input (over the arrivals, with Fill), for each resource
// that typical pods request: the requests as a share of all nodes' allocatable. A node's utilization is that of its
// scarcest resource; spread is the largest less the smallest, deviation the standard deviation over all nodes.
//
// # Fragmentation
//
// Fragmentation is the share of free capacity that is unusable, because the same node has too little of another
// resource. For a resource r, over nodes n and typical pods t, which are the most frequent request vectors of the trace
// that request r, each with its share p(t) among them:
//
//	        Σₙ free(n, r) · Σₜ p(t) · [t does not fit into what is free on n]
//	F(r) = ───────────────────────────────────────────────────────────────────
//	                              Σₙ free(n, r)
//
// It is the measure of "Beware of Fragmentation" (USENIX ATC 2023), extended to any resource: 0 if every typical pod
// can use all free capacity, 1 if none can use any. It ignores labels, taints and affinities, and so measures sizes
// only. A cluster's fragmentation is the mean over its resources.
//
// # Differences from a real run
//
//   - Pods that were preempted in the recording are deleted at the same time here, as their replacements arrive then. A pod
//     that is preempted in the simulation and has an owner is recreated at once, under its own name.
//   - Pods stay in unschedulablePods until an event requeues them. The retry after five minutes makes up for missed
//     events, and none is missed here.
//   - A pod with a profile of the recorded scheduler that a configuration lacks gets that configuration's first one.
package compare

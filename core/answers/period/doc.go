// Package period says what a stretch of a recording came to, for the page after an incident or at the end of a week: whether pods were placed
// in time, who waited and why, who was pre-empted and evicted, what was changed, and how full and how fragmented the cluster was.
//
//	journey.Tracker ──► Collector ──► Report ──► text, Markdown, JSON, HTML
//	the engine, at equal times ──┘
//
// collector takes what is found, objective says which pods count for the objective and why others do not, owner and displaced sum up those that
// waited and those that had to go, samples has the cluster over time, changes what was changed. report is the result.
//
// # The objective
//
// The latency of a pod is the time from its creation to its binding. Some of it is not the scheduler's: kubernetes/perf-tests#1500 names the
// workload's own characteristics, the provisioning of storage and the autoscaler's new nodes, and SIG Scalability's objective for the start of pods
// leaves out those that are not schedulable or have to preempt. A pod counts unless one of these kept it; each that does not is counted
// with its reason, and nothing is left out silently: the latency of all pods stands beside that of those that count.
//
// Nothing reads a clock or ranges over a map where order shows. Texts are as in the recording.
package period

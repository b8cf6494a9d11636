package gangs

import "orrery/core/objects/workloads"

// Progress is how far a group is: what PreEnqueue and Permit decide about its pods.
type Progress string

// The stages of a group. Pods of one that is Ungrouped are scheduled each for itself; one that is Going is being bound, or is bound.
const (
	NoWorkload Progress = "workloadMissing"
	NoGroup    Progress = "groupMissing"
	Ungrouped  Progress = "ungrouped"  // its policy is not that of a gang
	Incomplete Progress = "incomplete" // fewer pods exist than are bound together
	Pending    Progress = "pending"    // no member has a place
	Waiting    Progress = "waiting"    // some have a place, and wait for others
	Going      Progress = "going"
)

// ProgressOf returns how far a group is, and how many of its pods are bound together. The workload is nil if it does not exist, the group
// if it has no pod.
func ProgressOf(workload *workloads.Workload, group string, pods *Group) (p Progress, least int) {
	if workload == nil {
		return NoWorkload, 0
	}
	policy := PolicyOf(workload, group)
	switch {
	case policy == nil:
		return NoGroup, 0
	case policy.Gang == nil:
		return Ungrouped, 0
	}
	least = int(policy.Gang.MinCount)
	switch {
	case pods == nil || pods.Len() < least:
		return Incomplete, least
	case pods.Placed() >= least:
		return Going, least
	case pods.Count(Assumed) > 0:
		return Waiting, least
	}
	return Pending, least
}

// Placed counts the pods that have a place, bound or not.
func (g *Group) Placed() int { return g.Count(Assumed) + g.Count(Assigned) }

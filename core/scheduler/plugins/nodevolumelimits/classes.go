package nodevolumelimits

import (
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/reuse"
)

// describe describes a node by what verdict reads of its usage for volumes that are nowhere in use: the scope, the limits with how many
// volumes are attached, and the drivers that are installed.
func (x *usageIndex) describe(node fwk.NodeInfo, to reuse.Signature) (common usage, description reuse.Signature) {
	u := x.usageOf(node)
	to = to.Number(int64(u.scope)).Flag(u.failure != nil).Number(int64(len(u.drivers)))
	for i := range u.drivers {
		d := &u.drivers[i]
		to = to.Text(d.name).Number(d.attached).Number(d.limit)
	}
	if u.csiNode != nil {
		for i := range u.csiNode.Spec.Drivers {
			to = to.Text(u.csiNode.Spec.Drivers[i].Name)
		}
	}
	common = *u
	common.inUse = nil
	return common, to
}

// FilterClasses implements framework.ClassFilter. A volume that is in use already does not count again on its nodes, which Filter looks
// at.
func (pl *NodeVolumeLimits) FilterClasses(state fwk.CycleState) (framework.ClassVerdicts, bool) {
	wanted, err := framework.ReadState[*request](state, filterKey)
	if err != nil || pl.index == nil || pl.index.classes == nil || !pl.index.classes.Follow() || pl.index.uses(wanted) {
		return framework.ClassVerdicts{}, false
	}
	return pl.index.classes.Evaluate(func(u usage) (*fwk.Status, bool) { return pl.verdict(wanted, &u), true })
}

// uses reports whether a node has one of the volumes in use.
func (x *usageIndex) uses(wanted *request) bool {
	for scope := range wanted {
		for _, id := range wanted[scope].volumes {
			if x.inUse[id] > 0 {
				return true
			}
		}
	}
	return false
}

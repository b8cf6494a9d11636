package volumezone

import (
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/reuse"
)

// describe describes a node by its topology labels.
func describe(node fwk.NodeInfo, to reuse.Signature) (labels map[string]string, description reuse.Signature) {
	labels = node.Node().Labels
	for i := range topologyKeys {
		value, has := labels[topologyKeys[i].key]
		to = to.Flag(has).Text(value)
	}
	return labels, to
}

// FilterClasses implements framework.ClassFilter.
func (pl *VolumeZone) FilterClasses(state fwk.CycleState) (framework.ClassVerdicts, bool) {
	all, err := framework.ReadState[places](state, filterKey)
	if err != nil || pl.nodes == nil || !pl.nodes.Follow() {
		return framework.ClassVerdicts{}, false
	}
	return pl.nodes.Evaluate(func(labels map[string]string) (*fwk.Status, bool) {
		if !all.include(labels) {
			return otherZone, true
		}
		return nil, true
	})
}

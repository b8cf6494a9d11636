package engine

import (
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/framework"
)

// filterAtOnce is how many nodes the plugins that look at other nodes judge at once. The search may end among them.
const filterAtOnce = 512

// filterReusing is filter with what earlier cycles found out. The nodes are those of the snapshot.
func (a *attempt) filterReusing(nodes []fwk.NodeInfo, wanted int, d *framework.Diagnosis) ([]fwk.NodeInfo, error) {
	e := a.engine
	feasible, places, all := e.feasible[:0], e.places[:0], e.snapshot.Places()
	from, left, enough := e.startIndex%len(nodes), len(nodes), false
	nominations := e.queue.HasNominations()
	for left > 0 && !enough {
		to := min(from+min(left, filterAtOnce), len(nodes))
		a.reuse.Expect(all[from:to])
		for i, node := range nodes[from:to] {
			var status *fwk.Status
			if nominations || !a.reuse.Passes(i) {
				status = a.filterExpected(node, i)
			}
			if status == nil || status.IsSuccess() {
				if enough = len(feasible) == wanted; enough {
					break
				}
				feasible, places = append(feasible, node), append(places, all[from+i])
				continue
			}
			if !status.IsRejected() {
				return feasible, status.AsError()
			}
			d.NodeToStatus.Append(node, status)
			d.AddPluginStatus(status)
		}
		left -= to - from
		from = to % len(nodes)
	}
	e.feasible, e.places, a.places = feasible, places, places
	a.reuse.Filtered()
	return feasible, nil
}

// filterExpected filters the i-th of the nodes that reuse expects.
func (a *attempt) filterExpected(node fwk.NodeInfo, i int) *fwk.Status {
	e := a.engine
	if e.queue.HasNominations() && e.queue.IsNominatedNode(node.Node().Name) {
		return a.profile.RunFilterPluginsWithNominatedPods(e.ctx, a.state, a.pod, node)
	}
	return a.reuse.Filter(e.ctx, node, i)
}

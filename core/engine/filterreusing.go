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
	e.nominated.mark(e.queue, e.snapshot)
	for left > 0 && !enough {
		to := min(from+min(left, filterAtOnce), len(nodes))
		a.reuse.Expect(all[from:to])
		for i, node := range nodes[from:to] {
			var status *fwk.Status
			switch {
			case e.nominated.marks[all[from+i].Number]:
				status = a.profile.RunFilterPluginsWithNominatedPods(e.ctx, a.state, a.pod, node)
			case !a.reuse.Passes(i):
				status = a.reuse.Filter(e.ctx, node, i)
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
			d.Reject(node, status)
		}
		left -= to - from
		from = to % len(nodes)
	}
	e.feasible, e.places, a.places = feasible, places, places
	a.reuse.Filtered()
	return feasible, nil
}

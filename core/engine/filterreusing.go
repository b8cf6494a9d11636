package engine

import (
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/framework"
	"orrery/core/reuse"
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
		a.expect(all[from:to])
		for i := from; i < to && !enough; {
			if n := a.reuse.Passing(i-from, wanted-len(feasible)); n > 0 {
				feasible, places = append(feasible, nodes[i:i+n]...), append(places, all[i:i+n]...)
				i += n
				continue
			}
			switch status := a.filterExpected(nodes[i], all[i], i-from); {
			case !status.IsSuccess() && !status.IsRejected():
				return feasible, status.AsError()
			case !status.IsSuccess():
				d.Reject(nodes[i], status)
			case len(feasible) == wanted:
				enough = true
			default:
				feasible, places = append(feasible, nodes[i]), append(places, all[i])
			}
			i++
		}
		left -= to - from
		from = to % len(nodes)
	}
	e.feasible, e.places, a.places = feasible, places, places
	a.reuse.Filtered()
	return feasible, nil
}

// expect announces the next nodes. Those that pods are nominated for are filtered with these.
func (a *attempt) expect(places []reuse.Place) {
	a.reuse.Expect(places)
	nominated := &a.engine.nominated
	if len(nominated.numbers) == 0 {
		return
	}
	for i := range places {
		if nominated.marks[places[i].Number] {
			a.reuse.Withhold(i)
		}
	}
}

// filterExpected filters one of the expected nodes, by its index.
func (a *attempt) filterExpected(node fwk.NodeInfo, at reuse.Place, i int) *fwk.Status {
	e := a.engine
	switch {
	case e.nominated.marks[at.Number]:
		return a.profile.RunFilterPluginsWithNominatedPods(e.ctx, a.state, a.pod, node)
	case a.reuse.Passing(i, 1) > 0:
		return nil
	}
	return a.reuse.Filter(e.ctx, node, i)
}

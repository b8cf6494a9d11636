package engine

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/framework"
)

// choose is the search for a node: refresh the snapshot, filter, score, pick.
func (a *attempt) choose() (string, error) {
	e := a.engine
	if err := e.cache.UpdateSnapshot(e.snapshot); err != nil {
		return "", err
	}
	a.decision.Generation = e.snapshot.Generation()
	a.decision.Nodes = e.snapshot.NumNodes()
	if a.decision.Nodes == 0 {
		return "", errNoNodes
	}
	fit := &framework.FitError{Pod: a.pod, NumAllNodes: a.decision.Nodes}
	e.statuses.Reset()
	fit.Diagnosis.NodeToStatus = e.statuses
	feasible, err := a.findFeasible(&fit.Diagnosis)
	if err != nil {
		return "", err
	}
	a.feasible = feasible
	a.decision.Feasible = len(feasible)
	a.decision.Examined = len(feasible) + fit.Diagnosis.NodeToStatus.Len()
	switch len(feasible) {
	case 0:
		return "", fit
	case 1:
		name := feasible[0].Node().Name
		if a.batches {
			a.remember(name, nil, 0)
		}
		return name, nil
	}
	return a.best(feasible)
}

// findFeasible runs PreFilter once and then Filter over nodes until enough of them will do.
func (a *attempt) findFeasible(d *framework.Diagnosis) ([]fwk.NodeInfo, error) {
	e := a.engine
	nodes, err := e.snapshot.NodeInfos().List()
	if err != nil {
		return nil, err
	}
	result, status, plugins := a.profile.RunPreFilterPlugins(e.ctx, a.state, a.pod)
	d.UnschedulablePlugins = plugins
	if !status.IsSuccess() {
		if !status.IsRejected() {
			return nil, status.AsError()
		}
		d.NodeToStatus.SetAbsentNodesStatus(status)
		d.PreFilterMsg = status.Message()
		d.AddPluginStatus(status)
		return nil, nil
	}
	if a.batches {
		a.hinted = a.hint()
	}
	if node := cmp.Or(a.pod.Status.NominatedNodeName, a.hinted); node != "" {
		feasible, err := a.tryFirst(node, d)
		if err == nil && len(feasible) > 0 {
			return feasible, nil
		}
	}
	universe := nodes
	if !result.AllNodes() {
		universe = slices.DeleteFunc(slices.Clone(nodes), func(n fwk.NodeInfo) bool {
			return !result.NodeNames.Has(n.Node().Name)
		})
		d.NodeToStatus.SetAbsentNodesStatus(fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
			fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", sets.List(plugins))))
	}
	since := e.elapsed()
	feasible, err := a.filter(universe, d)
	e.pointTook(a.profile, framework.Filter, fwk.AsStatus(err).Code(), since)
	// Even after an error the search has moved on, so that one broken node does not hold it in one place.
	e.startIndex = (e.startIndex + len(feasible) + d.NodeToStatus.Len()) % len(nodes)
	return feasible, err
}

// tryFirst looks at the one node that an earlier preemption or somebody else has in mind for the pod, or that was next
// best for a pod like it. If it will do, no other is looked at.
func (a *attempt) tryFirst(name string, d *framework.Diagnosis) ([]fwk.NodeInfo, error) {
	node, err := a.engine.snapshot.NodeInfos().Get(name)
	if err != nil {
		return nil, err
	}
	since := a.engine.elapsed()
	status := a.profile.RunFilterPluginsWithNominatedPods(a.engine.ctx, a.state, a.pod, node)
	a.engine.pointTook(a.profile, framework.Filter, searched(status), since)
	switch {
	case status.IsSuccess():
		return []fwk.NodeInfo{node}, nil
	case !status.IsRejected():
		return nil, status.AsError()
	}
	d.NodeToStatus.Set(name, status)
	d.AddPluginStatus(status)
	return nil, nil
}

// searched is how a search ended that looked at one node: what it found out is no failure.
func searched(status *fwk.Status) fwk.Code {
	if status.IsRejected() {
		return fwk.Success
	}
	return status.Code()
}

// filter looks at nodes in order, from the start index on and round again, until it has one more feasible node than
// asked for. That last one is dropped: it shows where a search by many workers would have stopped, and so keeps the
// start index where kube-scheduler's would be.
func (a *attempt) filter(nodes []fwk.NodeInfo, d *framework.Diagnosis) ([]fwk.NodeInfo, error) {
	e := a.engine
	wanted := a.wanted(len(nodes))
	feasible := e.feasible[:0]
	if !a.profile.HasFilterPlugins() {
		for i := range wanted {
			feasible = append(feasible, nodes[(e.startIndex+i)%len(nodes)])
		}
		e.feasible = feasible
		return feasible, nil
	}
	next := e.startIndex % max(1, len(nodes))
	for range nodes {
		node := nodes[next]
		if next++; next == len(nodes) {
			next = 0
		}
		status := a.profile.RunFilterPluginsWithNominatedPods(e.ctx, a.state, a.pod, node)
		if status.IsSuccess() {
			if len(feasible) == wanted {
				break
			}
			feasible = append(feasible, node)
			continue
		}
		if !status.IsRejected() {
			return feasible, status.AsError()
		}
		d.NodeToStatus.Append(node, status)
		d.AddPluginStatus(status)
	}
	e.feasible = feasible
	return feasible, nil
}

const (
	// feasibleLeast is how many feasible nodes are always looked for, whatever the percentage says.
	feasibleLeast = 100
	// adaptiveMost percent of a small cluster are looked for; it falls by one for every adaptiveStep nodes, to no
	// less than adaptiveLeast.
	adaptiveMost  = 50
	adaptiveLeast = 5
	adaptiveStep  = 125
)

// wanted is how many feasible nodes end the search among n.
func (a *attempt) wanted(n int) int {
	if !a.profile.HasScorePlugins() {
		return min(1, n)
	}
	percentage := a.engine.percentage
	if own := a.profile.PercentageOfNodesToScore(); own != nil {
		percentage = *own
	}
	return FeasibleWanted(n, int(percentage))
}

// FeasibleWanted is how many feasible nodes end a search among n, by a percentageOfNodesToScore.
func FeasibleWanted(n, percentage int) int {
	if n < feasibleLeast || percentage >= 100 {
		return n
	}
	if percentage == 0 {
		percentage = max(adaptiveLeast, adaptiveMost-n/adaptiveStep)
	}
	return max(feasibleLeast, n*percentage/100)
}

package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/store"
)

// schedulePod searches for a node and picks the best.
func (a *attempt) schedulePod() (string, error) {
	if err := a.search(); err != nil {
		return "", err
	}
	return a.selectHost(), nil
}

// searchStep is how far a search has come. A search that asks extenders is suspended at a step, and goes on there with their
// answers.
type searchStep uint8

const (
	preFiltering searchStep = iota
	evaluating              // the node to look at first
	extendingOne            // extenders filter that node
	filtering
	extendingAll // extenders filter the feasible nodes
	scoring
	prioritizing // extenders score
	searched
	preempting // no node is feasible, and PostFilter runs
)

// search refreshes the snapshot, filters and scores. Without a feasible node the error is errNoNodes or a FitError. A
// single feasible node is not scored. The error is errAsked if extenders have to answer before the search can go on.
func (a *attempt) search() error {
	for a.step != searched {
		next, err := a.runStep()
		if err != nil {
			return err
		}
		a.step = next
	}
	return nil
}

func (a *attempt) runStep() (searchStep, error) {
	switch a.step {
	case preFiltering:
		return a.preFilter()
	case evaluating:
		return a.evaluate()
	case extendingOne:
		return a.extendOne()
	case filtering:
		return a.filterAll()
	case extendingAll:
		return a.extendAll()
	case scoring:
		return a.score()
	default:
		return searched, a.prioritize()
	}
}

// preFilter begins a search.
func (a *attempt) preFilter() (searchStep, error) {
	e := a.engine
	if err := e.cache.UpdateSnapshot(e.snapshot); err != nil {
		return searched, err
	}
	a.decision.Generation = e.snapshot.Generation()
	a.decision.Nodes = e.snapshot.NumNodes()
	if a.decision.Nodes == 0 {
		return searched, errNoNodes
	}
	a.fit = e.newFitError(a.pod, a.decision.Nodes)
	e.statuses.Reset()
	d := &a.fit.Diagnosis
	d.NodeToStatus = e.statuses
	if field := store.UnusableField(a.pod); field != "" {
		return a.rejectEverywhere(fwk.NewStatus(fwk.UnschedulableAndUnresolvable, field).WithPlugin(podSpec))
	}
	result, status, plugins := a.profile.RunPreFilterPlugins(e.ctx, a.state, a.pod)
	d.UnschedulablePlugins = plugins
	if !status.IsSuccess() {
		if !status.IsRejected() {
			return searched, status.AsError()
		}
		return a.rejectEverywhere(status)
	}
	a.allowed, a.restricting = result, plugins
	if result.AllNodes() {
		a.reuse = a.profile.Reuse(a.state, a.pod, e.snapshot)
	}
	if a.batching {
		a.hinted = a.nodeHint()
	}
	return evaluating, nil
}

// podSpec stands for a plugin where a field of the pod itself rejects it. It registers for no events: the field of a pod does not change
// while it is pending, or as good as never, and then the flush of unschedulable pods finds it.
const podSpec = "PodSpec"

// rejectEverywhere ends a search before Filter.
func (a *attempt) rejectEverywhere(status *fwk.Status) (searchStep, error) {
	d := &a.fit.Diagnosis
	d.NodeToStatus.SetAbsentNodesStatus(status)
	d.PreFilterMsg = status.Message()
	d.AddPluginStatus(status)
	return a.countFeasible()
}

// evaluate filters the node to look at first, if there is one.
func (a *attempt) evaluate() (searchStep, error) {
	node := cmp.Or(a.pod.Status.NominatedNodeName, a.hinted, a.likely)
	if node == "" {
		return filtering, nil
	}
	feasible, err := a.evaluateNode(node, &a.fit.Diagnosis)
	if err != nil || len(feasible) == 0 {
		return filtering, nil
	}
	a.feasible = feasible
	return extendingOne, nil
}

func (a *attempt) extendOne() (searchStep, error) {
	switch err := a.filterByExtenders(); {
	case errors.Is(err, errAsked):
		return extendingOne, err
	case err != nil || len(a.feasible) == 0:
		return filtering, nil
	}
	return a.countFeasible()
}

// filterAll filters nodes until enough are feasible.
func (a *attempt) filterAll() (searchStep, error) {
	e, d := a.engine, &a.fit.Diagnosis
	nodes, err := e.snapshot.NodeInfos().List()
	if err != nil {
		return searched, err
	}
	universe := nodes
	if !a.allowed.AllNodes() {
		universe = slices.DeleteFunc(slices.Clone(nodes), func(n fwk.NodeInfo) bool {
			return !a.allowed.NodeNames.Has(n.Node().Name)
		})
		d.NodeToStatus.SetAbsentNodesStatus(fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
			fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", sets.List(a.restricting))))
	}
	since := e.elapsed()
	if a.reuse != nil {
		err = a.filterReusing(nodes, a.numFeasibleNodesToFind(len(nodes)))
	} else {
		a.feasible, err = a.filter(universe, d)
	}
	e.observePoint(a.profile, framework.Filter, fwk.AsStatus(err).Code(), since)
	// The start index advances even after an error, so that one broken node does not block the search.
	e.startIndex = (e.startIndex + a.numExamined()) % len(nodes)
	if err != nil {
		return searched, err
	}
	a.passed = len(a.feasible)
	return extendingAll, nil
}

func (a *attempt) extendAll() (searchStep, error) {
	if err := a.filterByExtenders(); err != nil {
		return extendingAll, err
	}
	if len(a.feasible) != a.passed {
		a.fit.Diagnosis.AddPlugin(framework.ExtenderName)
	}
	return a.countFeasible()
}

// countFeasible ends the filtering.
func (a *attempt) countFeasible() (searchStep, error) {
	a.decision.Feasible, a.decision.Examined = a.numFeasible(), a.numExamined()
	switch a.decision.Feasible {
	case 0:
		return searched, a.fit
	case 1:
		return searched, nil
	}
	return scoring, nil
}

func (a *attempt) score() (searchStep, error) {
	if a.needsTotalsOnly() && (a.unlisted || a.positions != nil) {
		return prioritizing, a.scoreReusing().AsError()
	}
	e, feasible := a.engine, a.ListFeasible()
	if status := a.profile.RunPreScorePlugins(e.ctx, a.state, a.pod, feasible); !status.IsSuccess() {
		return searched, status.AsError()
	}
	scores, status := a.profile.RunScorePlugins(e.ctx, a.state, a.pod, feasible)
	a.scores = scores
	return prioritizing, status.AsError()
}

// needsTotalsOnly reports whether scores are reused, and only their totals are looked at. The batch keeps the scores, and a dry run
// shows them.
func (a *attempt) needsTotalsOnly() bool { return a.reuse != nil && !a.dry && a.signature == nil }

// evaluateNode filters the pod's nominated node, the batch's hinted node or a likely one. If it is feasible, no other node is
// visited.
func (a *attempt) evaluateNode(name string, d *framework.Diagnosis) ([]fwk.NodeInfo, error) {
	node, err := a.engine.snapshot.NodeInfos().Get(name)
	if err != nil {
		return nil, err
	}
	since := a.engine.elapsed()
	status := a.profile.RunFilterPluginsWithNominatedPods(a.engine.ctx, a.state, a.pod, node)
	a.engine.observePoint(a.profile, framework.Filter, evaluationCode(status), since)
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

// evaluationCode is the code that is reported for evaluateNode: a rejection is no failure of the search.
func evaluationCode(status *fwk.Status) fwk.Code {
	if status.IsRejected() {
		return fwk.Success
	}
	return status.Code()
}

// filter visits nodes in order, from the start index and wrapping, until it has one more feasible node than
// numFeasibleNodesToFind. The extra node is dropped: it marks where kube-scheduler's parallel search stops, and so
// keeps the start index equal to kube-scheduler's.
func (a *attempt) filter(nodes []fwk.NodeInfo, d *framework.Diagnosis) ([]fwk.NodeInfo, error) {
	e := a.engine
	wanted := a.numFeasibleNodesToFind(len(nodes))
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
		at := next
		if next++; next == len(nodes) {
			next = 0
		}
		node := nodes[at]
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
		d.Reject(node, status)
	}
	e.feasible = feasible
	return feasible, nil
}

const (
	// minFeasibleNodesToFind is the least number of feasible nodes to find, whatever the percentage.
	minFeasibleNodesToFind = 100
	// adaptivePercentageMax is the percentage for a small cluster; it falls by one for every adaptiveStep nodes, down
	// to adaptivePercentageMin.
	adaptivePercentageMax = 50
	adaptivePercentageMin = 5
	adaptiveStep          = 125
)

// numFeasibleNodesToFind is the number of feasible nodes that ends this attempt's search among n.
func (a *attempt) numFeasibleNodesToFind(n int) int {
	if !a.profile.HasScorePlugins() && !a.engine.extendersChoose() {
		return min(1, n)
	}
	percentage := a.engine.percentage
	if own := a.profile.PercentageOfNodesToScore(); own != nil {
		percentage = *own
	}
	return NumFeasibleNodesToFind(n, int(percentage))
}

// NumFeasibleNodesToFind is the number of feasible nodes that ends a search among n under a percentageOfNodesToScore.
func NumFeasibleNodesToFind(n, percentage int) int {
	if n < minFeasibleNodesToFind || percentage >= 100 {
		return n
	}
	if percentage == 0 {
		percentage = max(adaptivePercentageMin, adaptivePercentageMax-n/adaptiveStep)
	}
	return max(minFeasibleNodesToFind, n*percentage/100)
}

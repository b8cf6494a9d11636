package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/queue"
	"orrery/core/scheduler/store"
)

// search looks for the node of one pod, from PreFilter to the pick among the feasible nodes.
type search struct {
	engine  *Engine
	profile *framework.Profile
	popped  *queue.Pod // nil when the pod is only being explained
	pod     *v1.Pod
	state   *framework.CycleState
	// dry says that the scores are wanted, and no decision.
	dry bool
	// batching reports whether the batch may be used for the pod; signature is the pod's, and hinted the node that the
	// batch named.
	batching  bool
	signature fwk.PodSignature
	hinted    string
	// likely is a node to look at first, for TryOn.
	likely string

	// step is how far the search has come. PreFilter allowed some nodes only, because of the restricting plugins. passed is how many
	// nodes passed Filter, before extenders were asked about them.
	step        searchStep
	fit         *framework.FitError
	allowed     *fwk.PreFilterResult
	restricting sets.Set[string]
	feasible    feasibleNodes
	passed      int
	ranking     ranking
	asking      asking
	decision    Decision
}

// findNode runs the search and picks the best node.
func (s *search) findNode() (string, error) {
	if err := s.run(); err != nil {
		return "", err
	}
	return s.selectHost(), nil
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
)

// run refreshes the snapshot, filters and scores. Without a feasible node the error is errNoNodes or a FitError. A
// single feasible node is not scored. The error is errAsked if extenders have to answer before the search can go on.
func (s *search) run() error {
	for s.step != searched {
		next, err := s.runStep()
		if err != nil {
			return err
		}
		s.step = next
	}
	return nil
}

func (s *search) runStep() (searchStep, error) {
	switch s.step {
	case preFiltering:
		return s.preFilter()
	case evaluating:
		return s.evaluate()
	case extendingOne:
		return s.extendOne()
	case filtering:
		return s.filterAll()
	case extendingAll:
		return s.extendAll()
	case scoring:
		return s.score()
	default:
		return searched, s.prioritize()
	}
}

// preFilter begins a search.
func (s *search) preFilter() (searchStep, error) {
	e := s.engine
	if err := e.cache.UpdateSnapshot(e.snapshot); err != nil {
		return searched, err
	}
	s.decision.Generation = e.snapshot.Generation()
	s.decision.Nodes = e.snapshot.NumNodes()
	if s.decision.Nodes == 0 {
		return searched, errNoNodes
	}
	s.fit = e.newFitError(s.pod, s.decision.Nodes)
	e.statuses.Reset()
	d := &s.fit.Diagnosis
	d.NodeToStatus = e.statuses
	if field := store.UnusableField(s.pod); field != "" {
		return s.rejectEverywhere(fwk.NewStatus(fwk.UnschedulableAndUnresolvable, field).WithPlugin(podSpec))
	}
	result, status, plugins := s.profile.RunPreFilterPlugins(e.ctx, s.state, s.pod)
	d.UnschedulablePlugins = plugins
	if !status.IsSuccess() {
		if !status.IsRejected() {
			return searched, status.AsError()
		}
		return s.rejectEverywhere(status)
	}
	s.allowed, s.restricting = result, plugins
	if result.AllNodes() {
		s.feasible.reuse = s.profile.Reuse(s.state, s.pod, e.snapshot)
	}
	if s.batching {
		s.hinted = s.nodeHint()
	}
	return evaluating, nil
}

// podSpec stands for a plugin where a field of the pod itself rejects it. It registers for no events: the field of a pod does not change
// while it is pending, or as good as never, and then the flush of unschedulable pods finds it.
const podSpec = "PodSpec"

// rejectEverywhere ends a search before Filter.
func (s *search) rejectEverywhere(status *fwk.Status) (searchStep, error) {
	d := &s.fit.Diagnosis
	d.NodeToStatus.SetAbsentNodesStatus(status)
	d.PreFilterMsg = status.Message()
	d.AddPluginStatus(status)
	return s.countFeasible()
}

// evaluate filters the node to look at first, if there is one.
func (s *search) evaluate() (searchStep, error) {
	// Only one is tried: the hint does not follow a nominated node that no longer does, which upstream may change (kubernetes issue 135163).
	// A node that is feasible here is taken without a comparison, although another could score higher.
	node := cmp.Or(s.pod.Status.NominatedNodeName, s.hinted, s.likely)
	if node == "" {
		return filtering, nil
	}
	feasible, err := s.evaluateNode(node, &s.fit.Diagnosis)
	if err != nil || len(feasible) == 0 {
		return filtering, nil
	}
	s.feasible.put(feasible)
	return extendingOne, nil
}

func (s *search) extendOne() (searchStep, error) {
	switch err := s.filterByExtenders(); {
	case errors.Is(err, errAsked):
		return extendingOne, err
	case err != nil || s.feasible.count() == 0:
		return filtering, nil
	}
	return s.countFeasible()
}

// filterAll filters nodes until enough are feasible.
func (s *search) filterAll() (searchStep, error) {
	e, d := s.engine, &s.fit.Diagnosis
	nodes, err := e.snapshot.NodeInfos().List()
	if err != nil {
		return searched, err
	}
	universe := nodes
	if !s.allowed.AllNodes() {
		universe = slices.DeleteFunc(slices.Clone(nodes), func(n fwk.NodeInfo) bool {
			return !s.allowed.NodeNames.Has(n.Node().Name)
		})
		d.NodeToStatus.SetAbsentNodesStatus(fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
			fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", sets.List(s.restricting))))
	}
	since := e.elapsed()
	if s.feasible.reuse != nil {
		err = s.filterReusing(nodes, s.numFeasibleNodesToFind(len(nodes)))
	} else {
		var feasible []fwk.NodeInfo
		feasible, err = s.filter(universe, d)
		s.feasible.put(feasible)
	}
	e.observePoint(s.profile, framework.Filter, fwk.AsStatus(err).Code(), since)
	// The start index advances even after an error, so that one broken node does not block the search.
	e.startIndex = (e.startIndex + s.numExamined()) % len(nodes)
	if err != nil {
		return searched, err
	}
	s.passed = s.feasible.count()
	return extendingAll, nil
}

func (s *search) extendAll() (searchStep, error) {
	if err := s.filterByExtenders(); err != nil {
		return extendingAll, err
	}
	// An extender says nothing of the events that would change its mind, so it counts as a plugin without registrations: any event
	// requeues the pod (kubernetes issue 122019).
	if s.feasible.count() != s.passed {
		s.fit.Diagnosis.AddPlugin(framework.ExtenderName)
	}
	return s.countFeasible()
}

// countFeasible ends the filtering.
func (s *search) countFeasible() (searchStep, error) {
	s.decision.Feasible, s.decision.Examined = s.feasible.count(), s.numExamined()
	switch s.decision.Feasible {
	case 0:
		return searched, s.fit
	case 1:
		return searched, nil
	}
	return scoring, nil
}

func (s *search) score() (searchStep, error) {
	if s.needsTotalsOnly() && s.feasible.form != ownList {
		return prioritizing, s.scoreReusing().AsError()
	}
	e, feasible := s.engine, s.ListFeasible()
	if status := s.profile.RunPreScorePlugins(e.ctx, s.state, s.pod, feasible); !status.IsSuccess() {
		return searched, status.AsError()
	}
	scores, status := s.runScore(feasible)
	s.ranking = rankingOf(scores)
	return prioritizing, status.AsError()
}

// runScore scores nodes. If the batch may be rescored with the next pod, it keeps the scores before normalization.
func (s *search) runScore(nodes []fwk.NodeInfo) ([]fwk.NodePluginScores, *fwk.Status) {
	e := s.engine
	if e.features.rescores && s.batching && s.signature != nil {
		return s.profile.RunScorePluginsKeepingRaw(e.ctx, s.state, s.pod, nodes, &e.rescoring.raw)
	}
	return s.profile.RunScorePlugins(e.ctx, s.state, s.pod, nodes)
}

// needsTotalsOnly reports whether scores are reused, and only their totals are looked at. The batch keeps the scores, and a dry run
// shows them.
func (s *search) needsTotalsOnly() bool {
	return s.feasible.reuse != nil && !s.dry && s.signature == nil
}

// evaluateNode filters the pod's nominated node, the batch's hinted node or a likely one. If it is feasible, no other node is
// visited.
func (s *search) evaluateNode(name string, d *framework.Diagnosis) ([]fwk.NodeInfo, error) {
	node, err := s.engine.snapshot.NodeInfos().Get(name)
	if err != nil {
		return nil, err
	}
	since := s.engine.elapsed()
	status := s.profile.RunFilterPluginsWithNominatedPods(s.engine.ctx, s.state, s.pod, node)
	s.engine.observePoint(s.profile, framework.Filter, evaluationCode(status), since)
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
func (s *search) filter(nodes []fwk.NodeInfo, d *framework.Diagnosis) ([]fwk.NodeInfo, error) {
	e := s.engine
	wanted := s.numFeasibleNodesToFind(len(nodes))
	feasible := e.feasible[:0]
	if !s.profile.HasFilterPlugins() {
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
		status := s.profile.RunFilterPluginsWithNominatedPods(e.ctx, s.state, s.pod, node)
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
func (s *search) numFeasibleNodesToFind(n int) int {
	if !s.profile.HasScorePlugins() && !s.engine.extendersChoose() {
		return min(1, n)
	}
	percentage := s.engine.percentage
	if own := s.profile.PercentageOfNodesToScore(); own != nil {
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

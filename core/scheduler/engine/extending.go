package engine

import (
	"errors"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/nodenames"
	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/preempt"
	"orrery/core/world"
	"orrery/core/world/extender"
)

// errAsked suspends an attempt: extenders are asked, and it goes on with their answers.
var errAsked = errors.New("extenders have not answered yet")

// asking is what an attempt asks extenders.
type asking struct {
	next  int // the position of the extender that filters next
	calls []extenderCall
	// cancelled says that the pod is being deleted, so that no answer is needed any more.
	cancelled bool
}

// extenderCall is a call and, once it is there, its outcome.
type extenderCall struct {
	effect   world.EffectID
	extender *extender.Extender
	act      world.CallExtender
	outcome  *world.Outcome
}

// over reports whether the attempt waits for no answer.
func (s *asking) over() bool {
	if s.cancelled {
		return true
	}
	for i := range s.calls {
		if s.calls[i].outcome == nil {
			return false
		}
	}
	return true
}

// receive takes an outcome. It returns false if that is of another effect.
func (s *asking) receive(ev world.EffectDone) bool {
	for i := range s.calls {
		if call := &s.calls[i]; call.effect == ev.Effect && call.outcome == nil {
			call.outcome = &ev.Outcome
			return true
		}
	}
	return false
}

// take returns the calls, all answered, and forgets them.
func (s *asking) take() []extenderCall {
	calls := s.calls
	s.calls = nil
	return calls
}

// asks reports whether the attempt asks extenders. A pod that is only explained does not concern them.
func (a *attempt) asks() bool { return a.popped != nil && !a.engine.options.ExtendersUnasked }

// askAboutNodes calls an extender about the feasible nodes.
func (a *attempt) askAboutNodes(x *extender.Extender, verb world.ExtenderVerb) {
	nodes, names := a.feasibleNodes()
	a.ask(x, verb, world.ExtenderRequest{Pod: a.pod, Nodes: nodes, Names: names})
}

// feasibleNodes returns the objects and the names of the feasible nodes, without a look at the nodes if their positions are known.
func (a *attempt) feasibleNodes() ([]*v1.Node, nodenames.Names) {
	nodes := make([]*v1.Node, len(a.feasible))
	if a.positions == nil {
		names := make([]string, len(a.feasible))
		for i, info := range a.feasible {
			nodes[i] = info.Node()
			names[i] = nodes[i].Name
		}
		return nodes, nodenames.Of(names)
	}
	objects := a.engine.snapshot.NodeObjects()
	for i, position := range a.positions {
		nodes[i] = objects[position]
	}
	return nodes, a.engine.snapshot.NodeNames().At(slices.Clone(a.positions))
}

// ask calls an extender. Without asking, the answer is at once that there is none.
func (a *attempt) ask(x *extender.Extender, verb world.ExtenderVerb, r world.ExtenderRequest) {
	call := extenderCall{extender: x}
	if a.asks() {
		call.act = callOf(x, verb, r)
		call.effect = a.engine.emit(call.act)
	} else {
		call.outcome = &world.Outcome{}
	}
	a.asking.calls = append(a.asking.calls, call)
}

func callOf(x *extender.Extender, verb world.ExtenderVerb, r world.ExtenderRequest) world.CallExtender {
	r.NamesOnly = x.NamesOnly
	return world.CallExtender{
		Pod: world.PodRefOf(r.Pod), Extender: x.Index, Verb: verb, URL: x.URL(verb), Timeout: x.Timeout, Request: r,
	}
}

// filterByExtenders asks one extender after the other about the nodes that the one before left. It begins anew, or goes on
// with the answer of the last one asked.
func (a *attempt) filterByExtenders() error {
	all := a.engine.extenders
	for ; a.asking.next < len(all) && len(a.feasible) > 0; a.asking.next++ {
		x := all[a.asking.next]
		if !x.Has(world.ExtenderFilter) || !x.Interested(a.pod) {
			continue
		}
		if len(a.asking.calls) == 0 {
			a.askAboutNodes(x, world.ExtenderFilter)
		}
		if !a.asking.over() {
			return errAsked
		}
		if err := a.filteredBy(x, a.asking.take()[0]); err != nil && !x.Ignorable {
			a.asking.next = 0
			return err
		}
	}
	a.asking.next = 0
	return nil
}

// filteredBy keeps the nodes that an extender left, and the reasons for the others.
func (a *attempt) filteredBy(x *extender.Extender, call extenderCall) error {
	outcome, answer := call.outcome, call.outcome.Answer
	switch {
	case !outcome.OK():
		return outcomeError{*outcome}
	case answer == nil:
		a.decision.addUnknown(x.Name())
		return nil
	case answer.Error != "":
		return errors.New(answer.Error)
	}
	if !a.keepInOrder(answer, call.act.Request.Names) {
		left, err := nodesOf(x, answer, a.feasible)
		if err != nil {
			return err
		}
		a.feasible, a.positions = left, nil
	}
	a.rejectFailed(answer.Failed)
	return nil
}

// rejectFailed gives nodes an extender's reasons. Neighbours often have one in common.
func (a *attempt) rejectFailed(nodes []world.FailedNode) {
	var status *fwk.Status
	for i, failed := range nodes {
		if i == 0 || failed.Reason != nodes[i-1].Reason || failed.Unresolvable != nodes[i-1].Unresolvable {
			code := fwk.Unschedulable
			if failed.Unresolvable {
				code = fwk.UnschedulableAndUnresolvable
			}
			status = fwk.NewStatus(code, failed.Reason).WithPlugin(framework.ExtenderName)
		}
		a.fit.Diagnosis.NodeToStatus.Set(failed.Node, status)
	}
}

// keepInOrder keeps the feasible nodes of an answer that has names only, in the order of the question, as most extenders answer.
// It returns false for any other answer.
func (a *attempt) keepInOrder(answer *world.ExtenderAnswer, sent nodenames.Names) bool {
	if answer.AsObjects || !inOrder(answer.Nodes, sent) {
		return false
	}
	if len(answer.Nodes) == len(a.feasible) {
		return true
	}
	kept := 0
	for i := range sent.Len() {
		if kept == len(answer.Nodes) || sent.Name(i) != answer.Nodes[kept] {
			continue
		}
		a.feasible[kept] = a.feasible[i]
		if a.positions != nil {
			a.positions[kept] = a.positions[i]
		}
		kept++
	}
	a.feasible = a.feasible[:kept]
	if a.positions != nil {
		a.positions = a.positions[:kept]
	}
	return true
}

// inOrder reports whether all names were sent, and are in the same order.
func inOrder(names []string, sent nodenames.Names) bool {
	found := 0
	for i := 0; i < sent.Len() && found < len(names); i++ {
		if sent.Name(i) == names[found] {
			found++
		}
	}
	return found == len(names)
}

// nodesOf returns the nodes of an answer. Of nodes that were returned as objects, as in kube-scheduler, nothing else is known: no
// pods, and no images.
func nodesOf(x *extender.Extender, answer *world.ExtenderAnswer, sent []fwk.NodeInfo) ([]fwk.NodeInfo, error) {
	byName := make(map[string]fwk.NodeInfo, len(sent))
	for _, info := range sent {
		byName[info.Node().Name] = info
	}
	if answer.AsObjects {
		for name, info := range byName {
			byName[name] = bareNode(info.Node())
		}
		for _, node := range answer.Changed {
			byName[node.Name] = bareNode(node)
		}
	}
	left := make([]fwk.NodeInfo, len(answer.Nodes))
	for i, name := range answer.Nodes {
		info, known := byName[name]
		if !known {
			return nil, fmt.Errorf("extender %q claims a filtered node %q which is not found in the input node list", x.Name(), name)
		}
		left[i] = info
	}
	return left, nil
}

func bareNode(node *v1.Node) fwk.NodeInfo {
	info := cache.NewNodeInfo()
	info.SetNode(node)
	return info
}

// extendersChoose reports whether some extender filters or prioritizes, so that one feasible node is not enough.
func (e *Engine) extendersChoose() bool {
	for _, x := range e.extenders {
		if x.Has(world.ExtenderFilter) || x.Has(world.ExtenderPrioritize) {
			return true
		}
	}
	return false
}

// cancelCalls cancels the calls about a pod that is being deleted. Its attempt ends with the next Step.
func (e *Engine) cancelCalls(pod *v1.Pod) {
	a := e.suspended
	if a == nil || a.pod.UID != pod.UID || a.asking.over() {
		return
	}
	a.asking.cancelled = true
	e.emit(world.CancelExtenderCalls{Pod: a.decision.Pod})
}

// forkSuspended copies the suspended attempt. The data of plugins in its cycle's state refer to the plugins, so those of the fork
// filter the nodes again, in the same snapshot.
func (e *Engine) forkSuspended(from *attempt) {
	a := *from
	a.engine, a.profile, a.memory = e, e.profiles[from.profile.ProfileName()], nil
	for _, popped := range e.queue.InFlight() {
		if popped.Pod().UID == a.pod.UID {
			a.popped = popped
		}
	}
	a.asking.calls = slices.Clone(from.asking.calls)
	a.scores, a.ranks = cloneScores(from.scores), slices.Clone(from.ranks)
	a.reuse, a.positions = nil, nil
	a.feasible = make([]fwk.NodeInfo, len(from.feasible))
	for i, info := range from.feasible {
		a.feasible[i] = e.inSnapshot(from.engine, info)
	}
	e.statuses = from.engine.statuses.Clone(func(info fwk.NodeInfo) fwk.NodeInfo { return e.inSnapshot(from.engine, info) })
	fit := *from.fit
	fit.Diagnosis.NodeToStatus = e.statuses
	fit.Diagnosis.UnschedulablePlugins = fit.Diagnosis.UnschedulablePlugins.Clone()
	fit.Diagnosis.PendingPlugins = fit.Diagnosis.PendingPlugins.Clone()
	a.fit = &fit
	a.filterAgain()
	e.suspended = &a
}

// inSnapshot returns this engine's NodeInfo for one of another engine's snapshot. Nodes that an extender returned are in none.
func (e *Engine) inSnapshot(other *Engine, info fwk.NodeInfo) fwk.NodeInfo {
	name := info.Node().Name
	if theirs, err := other.snapshot.Get(name); err == nil && theirs == info {
		if ours, err := e.snapshot.Get(name); err == nil {
			return ours
		}
	}
	return info.Snapshot()
}

// filterAgain gives the attempt a cycle state of its plugins' own making.
func (a *attempt) filterAgain() {
	e, was := a.engine, a.state
	a.state = framework.NewCycleState()
	a.state.SetRecordPluginMetrics(was.ShouldRecordPluginMetrics())
	a.state.Write(framework.PodsToActivateKey, podsToActivate(was))
	if consultation, err := was.Read(preempt.ConsultationKey); err == nil {
		a.state.Write(preempt.ConsultationKey, consultation)
	}
	if _, status, _ := a.profile.RunPreFilterPlugins(e.ctx, a.state, a.pod); !status.IsSuccess() {
		return
	}
	for _, node := range a.feasible {
		if info, err := e.snapshot.Get(node.Node().Name); err == nil {
			a.profile.RunFilterPluginsWithNominatedPods(e.ctx, a.state, a.pod, info)
		}
	}
}

func cloneScores(scores []fwk.NodePluginScores) []fwk.NodePluginScores {
	clone := slices.Clone(scores)
	for i := range clone {
		clone[i].Scores = slices.Clone(clone[i].Scores)
	}
	return clone
}

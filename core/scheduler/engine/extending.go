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
func (s *search) asks() bool { return s.popped != nil && !s.engine.options.ExtendersUnasked }

// askAboutNodes calls an extender about the feasible nodes.
func (s *search) askAboutNodes(x *extender.Extender, verb world.ExtenderVerb) {
	nodes, names := s.feasibleObjects()
	s.ask(x, verb, world.ExtenderRequest{Pod: s.pod, Nodes: nodes, Names: names})
}

// feasibleObjects returns the objects and the names of the feasible nodes, without a look at the nodes if their positions are known.
func (s *search) feasibleObjects() ([]*v1.Node, nodenames.Names) {
	nodes := make([]*v1.Node, s.feasible.count())
	if s.feasible.form == ownList {
		names := make([]string, len(nodes))
		for i, info := range s.feasible.list {
			nodes[i] = info.Node()
			names[i] = nodes[i].Name
		}
		return nodes, nodenames.Of(names)
	}
	objects := s.engine.snapshot.NodeObjects()
	for i, position := range s.feasible.positions {
		nodes[i] = objects[position]
	}
	return nodes, s.engine.snapshot.NodeNames().At(slices.Clone(s.feasible.positions))
}

// ask calls an extender. Without asking, the answer is at once that there is none.
func (s *search) ask(x *extender.Extender, verb world.ExtenderVerb, r world.ExtenderRequest) {
	call := extenderCall{extender: x}
	if s.asks() {
		call.act = callOf(x, verb, r)
		call.effect = s.engine.emit(call.act)
	} else {
		call.outcome = &world.Outcome{}
	}
	s.asking.calls = append(s.asking.calls, call)
}

func callOf(x *extender.Extender, verb world.ExtenderVerb, r world.ExtenderRequest) world.CallExtender {
	r.NamesOnly = x.NamesOnly
	return world.CallExtender{
		Pod: world.PodRefOf(r.Pod), Extender: x.Index, Verb: verb, URL: x.URL(verb), Timeout: x.Timeout, Request: r,
	}
}

// filterByExtenders asks one extender after the other about the nodes that the one before left. It begins anew, or goes on
// with the answer of the last one asked.
func (s *search) filterByExtenders() error {
	all := s.engine.extenders
	for ; s.asking.next < len(all) && s.feasible.count() > 0; s.asking.next++ {
		x := all[s.asking.next]
		if !x.Has(world.ExtenderFilter) || !x.Interested(s.pod) {
			continue
		}
		if len(s.asking.calls) == 0 {
			s.askAboutNodes(x, world.ExtenderFilter)
		}
		if !s.asking.over() {
			return errAsked
		}
		if err := s.filteredBy(x, s.asking.take()[0]); err != nil && !x.Ignorable {
			s.asking.next = 0
			return err
		}
	}
	s.asking.next = 0
	return nil
}

// filteredBy keeps the nodes that an extender left, and the reasons for the others.
func (s *search) filteredBy(x *extender.Extender, call extenderCall) error {
	outcome, answer := call.outcome, call.outcome.Answer
	switch {
	case !outcome.OK():
		return outcomeError{*outcome}
	case answer == nil:
		s.decision.addUnknown(x.Name())
		return nil
	case answer.Error != "":
		return errors.New(answer.Error)
	}
	if !s.keepInOrder(answer, call.act.Request.Names) {
		left, err := nodesOf(x, answer, s.feasible.list)
		if err != nil {
			return err
		}
		s.feasible.put(left)
	}
	s.rejectFailed(answer.Failed)
	return nil
}

// rejectFailed gives nodes an extender's reasons. Neighbours often have one in common.
func (s *search) rejectFailed(nodes []world.FailedNode) {
	var status *fwk.Status
	for i, failed := range nodes {
		if i == 0 || failed.Reason != nodes[i-1].Reason || failed.Unresolvable != nodes[i-1].Unresolvable {
			code := fwk.Unschedulable
			if failed.Unresolvable {
				code = fwk.UnschedulableAndUnresolvable
			}
			status = fwk.NewStatus(code, failed.Reason).WithPlugin(framework.ExtenderName)
		}
		s.fit.Diagnosis.NodeToStatus.Set(failed.Node, status)
	}
}

// keepInOrder keeps the feasible nodes of an answer that has names only, in the order of the question, as most extenders answer.
// It returns false for any other answer.
func (s *search) keepInOrder(answer *world.ExtenderAnswer, sent nodenames.Names) bool {
	if answer.AsObjects || !inOrder(answer.Nodes, sent) {
		return false
	}
	if len(answer.Nodes) == s.feasible.count() {
		return true
	}
	s.feasible.keep(func(yield func(int) bool) {
		left := answer.Nodes
		for i := range sent.Len() {
			if len(left) > 0 && sent.Name(i) == left[0] {
				left = left[1:]
				if !yield(i) {
					return
				}
			}
		}
	})
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
	a.ranking = from.ranking.clone()
	feasible := make([]fwk.NodeInfo, len(from.feasible.list))
	for i, info := range from.feasible.list {
		feasible[i] = e.inSnapshot(from.engine, info)
	}
	a.feasible = feasibleNodes{list: feasible}
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
	for _, node := range a.feasible.list {
		if info, err := e.snapshot.Get(node.Node().Name); err == nil {
			a.profile.RunFilterPluginsWithNominatedPods(e.ctx, a.state, a.pod, info)
		}
	}
}

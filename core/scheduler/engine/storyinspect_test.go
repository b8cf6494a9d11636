package engine_test

import (
	"cmp"
	"fmt"
	"strings"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/queue"
	"orrery/core/world"
)

// inspect handles the commands that only show something. None of them may change the engine.
func (s *storyRun) inspect(verb string, args []string) func(*player) {
	commands := map[string]func(*player){
		"state":       func(p *player) { p.showStates(args) },           // state <pods>
		"queue":       (*player).queues,                                 // the pods in each part of the queue
		"bindings":    (*player).bindings,                               // the bindings in flight
		"assumed":     (*player).assumed,                                // the volumes and claims of which something is assumed
		"devices?":    (*player).deviceState,                            // the devices that are taken, and the claims in flight
		"gangs":       (*player).gangState,                              // how far each pod group is
		"usage":       func(p *player) { p.nodeUsage(args) },            // usage <nodes>: their requested resources
		"nominations": (*player).nominatedPods,                          // the nominated pods by node
		"journey":     func(p *player) { s.journey(p, args) },           // journey <pod>: its queue transitions
		"explain":     func(p *player) { s.explain(p, args) },           // explain <pod>: the decision on it now, and why
		"startindex":  func(p *player) { p.logf("%d", p.StartIndex()) }, // the start index of the next search
		"wake":        (*player).wake,                                   // the next timer
		"counts":      (*player).counts,                                 // the counters
	}
	if commands[verb] == nil {
		s.t.Fatalf("there is no command %q", verb)
	}
	return func(p *player) {
		before := p.state()
		commands[verb](p)
		if after := p.state(); after != before {
			s.t.Errorf("inspecting changed\n%s\nto\n%s", before, after)
		}
	}
}

// state is what inspecting must not change.
func (p *player) state() string {
	return fmt.Sprintf("digest %s, start %d, queue %+v, cache %d, counters %+v, in flight %d",
		p.Digest(), p.StartIndex(), p.Queue().Counts(), p.Cache().Generation(), p.Counters(), len(p.Queue().InFlight()))
}

func (p *player) showStates(names []string) {
	for _, name := range names {
		p.logf("%s is %s", name, p.PodState("default", name))
	}
}

func (p *player) queues() {
	for _, part := range []struct {
		name string
		pods []*queue.Pod
	}{
		{"active", p.Queue().Window(nil, queue.Active, 0, p.Queue().Len())},
		{"backoff", p.Queue().Window(nil, queue.Backoff, 0, p.Queue().Len())},
		{"unschedulable", p.Queue().Window(nil, queue.Unschedulable, 0, p.Queue().Len())},
		{"gated", p.Queue().Window(nil, queue.Gated, 0, p.Queue().Len())},
		{"in flight", p.Queue().InFlight()},
	} {
		var names []string
		for _, pod := range part.pods {
			name := pod.Pod().Name
			if by := pod.Rejectors(); len(by) > 0 {
				name += fmt.Sprintf(" (rejected by %s)", cmp.Or(strings.Join(by, " "), "none"))
			}
			names = append(names, name)
		}
		if len(names) > 0 {
			p.logf("%s: %s", part.name, strings.Join(names, ", "))
		}
	}
}

func (p *player) bindings() {
	for _, b := range p.Bindings() {
		waits := b.Waiting
		for _, o := range b.Objects {
			waits = append(waits, fmt.Sprintf("%s/%s", o.Kind, o.Name))
		}
		p.logf("%s to %s: %s %s", b.Pod.Name, b.Node, b.Stage, strings.Join(waits, " "))
	}
}

func (p *player) nodeUsage(names []string) {
	for _, name := range names {
		node := p.Cache().Dump().Nodes[name]
		if node == nil {
			p.logf("%s is unknown", name)
			continue
		}
		p.logf("%s: %d pods, %dm", name, len(node.GetPods()), node.GetRequested().GetMilliCPU())
	}
}

func (p *player) nominatedPods() {
	for _, node := range p.Queue().NominatedNodes() {
		for _, pod := range p.Queue().NominatedPodsForNode(node) {
			p.logf("%s for %s", node, pod.GetPod().Name)
		}
	}
}

func (s *storyRun) journey(p *player, args []string) {
	for _, t := range p.PodTransitions(s.objects[args[0]].GetUID()) {
		words := fmt.Sprintf("%5.1fs  %s -> %s (%s)", t.At.Sub(start).Seconds(), t.From, t.To, t.Event)
		if t.Plugin != "" {
			words += " by " + t.Plugin
		}
		p.logf("%s", words)
	}
}

func (s *storyRun) explain(p *player, args []string) {
	s.building = &player{} // discard the log of the explaining fork's plugins
	x, err := p.Explain("default", args[0])
	if err != nil {
		p.logf("%v", err)
		return
	}
	d := x.Decision
	p.logf("it is %s, and would be %s %s", x.State, d.Verdict, strings.TrimSpace(d.Node+" "+d.Message))
	for _, node := range x.Nodes {
		words := node.Node + ":"
		for _, status := range node.Statuses {
			if status.Code != fwk.Success {
				words += fmt.Sprintf(" %s says %q", status.Plugin, status.Reasons)
			}
		}
		if node.Feasible {
			words += fmt.Sprintf(" feasible, %d points", node.Total)
		}
		p.logf("%s", words)
	}
}

func (p *player) wake() {
	if at, ok := p.NextWake(); ok {
		p.logf("after %v", at.Sub(start))
		return
	}
	p.logf("never")
}

func (p *player) counts() {
	t := p.Counters()
	p.logf("decisions %v, bound %d, bindings failed %d, inputs refused %d of %d", t.Decisions, t.Bound, t.BindingsFailed, t.Refused, t.Inputs)
}

// effectText describes an effect.
func effectText(effect world.Effect) string {
	switch a := effect.Action.(type) {
	case world.Bind:
		return fmt.Sprintf("%d bind %s to %s", effect.ID, a.Pod.Name, a.Node)
	case world.PatchStatus:
		words := fmt.Sprintf("%d patch %s", effect.ID, a.Pod.Name)
		if a.Condition != nil {
			words += fmt.Sprintf(" %s=%s %s", a.Condition.Type, a.Condition.Status, a.Condition.Reason)
		}
		if a.NominatedNode != nil {
			words += fmt.Sprintf(" nominated %q", *a.NominatedNode)
		}
		if a.ExtendedResources != nil {
			words += " devices of " + a.ExtendedResources.ResourceClaimName
		}
		return words
	case world.Delete:
		return fmt.Sprintf("%d delete %s", effect.ID, a.Pod.Name)
	case world.EmitEvent:
		return fmt.Sprintf("%d %s %s: %s", effect.ID, a.Reason, a.Regarding.Name, a.Note)
	case world.RunPlugin:
		return fmt.Sprintf("%d run %s of %s", effect.ID, a.Point, a.Plugin)
	case world.CallExtender:
		return fmt.Sprintf("%d %s", effect.ID, callText(a))
	case world.CancelExtenderCalls:
		return fmt.Sprintf("%d cancel the calls about %s", effect.ID, a.Pod.Name)
	case world.ClaimVolume:
		return fmt.Sprintf("%d claim %s for %s", effect.ID, a.Volume.Name, a.Claim.Name)
	case world.SelectNode:
		return fmt.Sprintf("%d select %s for %s", effect.ID, a.Node, a.Claim.Name)
	}
	if text := deviceEffectText(effect.Action); text != "" {
		return fmt.Sprintf("%d %s", effect.ID, text)
	}
	return fmt.Sprintf("%d %T", effect.ID, effect.Action)
}

package engine_test

import (
	"cmp"
	"fmt"
	"strings"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/queue"
	"orrery/core/world"
)

// inspect are the commands that only show something. None of them may change what the engine would do.
func (s *storyRun) inspect(verb string, args []string) func(*player) {
	looks := map[string]func(*player){
		"where":    func(p *player) { p.where(args) },               // where <pods>
		"queue":    (*player).queues,                                // who waits where
		"bindings": (*player).bindings,                              // who is on the way to a node
		"room":     func(p *player) { p.nodeUsage(args) },           // room <nodes>: what is taken on them
		"nominees": (*player).nominatedPods,                         // for whom room is being made where
		"journey":  func(p *player) { s.journey(p, args) },          // journey <pod>: what the queue did with it
		"explain":  func(p *player) { s.explain(p, args) },          // explain <pod>: what would be decided about it now, and why
		"start":    func(p *player) { p.say("%d", p.StartIndex()) }, // where the next search begins
		"wake":     (*player).wake,                                  // when a timer is due
		"counts":   (*player).counts,                                // what has been done so far
	}
	if looks[verb] == nil {
		s.t.Fatalf("there is no command %q", verb)
	}
	return func(p *player) {
		before := p.state()
		looks[verb](p)
		if after := p.state(); after != before {
			s.t.Errorf("looking has changed\n%s\nto\n%s", before, after)
		}
	}
}

// state is what no look may change.
func (p *player) state() string {
	return fmt.Sprintf("digest %s, start %d, queue %+v, cache %d, tally %+v, flights %d",
		p.Digest(), p.StartIndex(), p.Queue().Counts(), p.Cache().Generation(), p.Counters(), len(p.Queue().InFlight()))
}

func (p *player) where(names []string) {
	for _, name := range names {
		p.say("%s is %s", name, p.PodState("default", name))
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
				name += fmt.Sprintf(" (because of %s)", cmp.Or(strings.Join(by, " "), "nobody"))
			}
			names = append(names, name)
		}
		if len(names) > 0 {
			p.say("%s: %s", part.name, strings.Join(names, ", "))
		}
	}
}

func (p *player) bindings() {
	for _, b := range p.Bindings() {
		p.say("%s to %s: %s %s", b.Pod.Name, b.Node, b.Stage, strings.Join(b.Waiting, " "))
	}
}

func (p *player) nodeUsage(names []string) {
	for _, name := range names {
		node := p.Cache().Dump().Nodes[name]
		if node == nil {
			p.say("%s is unknown", name)
			continue
		}
		p.say("%s: %d pods, %dm", name, len(node.GetPods()), node.GetRequested().GetMilliCPU())
	}
}

func (p *player) nominatedPods() {
	for _, node := range p.Queue().NominatedNodes() {
		for _, pod := range p.Queue().NominatedPodsForNode(node) {
			p.say("%s for %s", node, pod.GetPod().Name)
		}
	}
}

func (s *storyRun) journey(p *player, args []string) {
	for _, t := range p.PodTransitions(s.objects[args[0]].GetUID()) {
		words := fmt.Sprintf("%5.1fs  %s -> %s (%s)", t.At.Sub(start).Seconds(), t.From, t.To, t.Event)
		if t.Plugin != "" {
			words += " by " + t.Plugin
		}
		p.say("%s", words)
	}
}

func (s *storyRun) explain(p *player, args []string) {
	s.casting = &player{} // the plugins of the copy that is asked speak to nobody
	x, err := p.Explain("default", args[0])
	if err != nil {
		p.say("%v", err)
		return
	}
	d := x.Decision
	p.say("it is %s, and would be %s %s", x.State, d.Verdict, strings.TrimSpace(d.Node+" "+d.Message))
	for _, node := range x.Nodes {
		words := node.Node + ":"
		for _, said := range node.Statuses {
			if said.Code != fwk.Success {
				words += fmt.Sprintf(" %s says %q", said.Plugin, said.Reasons)
			}
		}
		if node.Feasible {
			words += fmt.Sprintf(" would do, %d points", node.Total)
		}
		p.say("%s", words)
	}
}

func (p *player) wake() {
	if at, ok := p.NextWake(); ok {
		p.say("after %v", at.Sub(start))
		return
	}
	p.say("never")
}

func (p *player) counts() {
	t := p.Counters()
	p.say("decisions %v, bound %d, bindings failed %d, inputs refused %d of %d", t.Decisions, t.Bound, t.BindingsFailed, t.Refused, t.Inputs)
}

// effectText is an effect in words.
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
		return words
	case world.Delete:
		return fmt.Sprintf("%d delete %s", effect.ID, a.Pod.Name)
	case world.EmitEvent:
		return fmt.Sprintf("%d %s %s: %s", effect.ID, a.Reason, a.Regarding.Name, a.Note)
	case world.RunPlugin:
		return fmt.Sprintf("%d run %s of %s", effect.ID, a.Point, a.Plugin)
	}
	return fmt.Sprintf("%d %T", effect.ID, effect.Action)
}

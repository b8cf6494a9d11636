package tui

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/change"
	"orrery/core/operator/actions"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/views"
)

// cannotCarryOut returns why the what-if on the screen cannot be carried out on the cluster.
func (s *Screen) cannotCarryOut() string {
	t := s.top()
	switch {
	case !t.showsWhatIf() || t.answer == nil:
		return "this is no what-if; w tries one"
	case s.frame == nil:
		return "nothing is shown yet"
	case s.frame.ReadOnly != "":
		return s.frame.ReadOnly
	}
	if _, err := proposalsOf(t.answer); err != "" {
		return err
	}
	return ""
}

// carryOut asks to do on the cluster what the what-if has tried.
func (s *Screen) carryOut() {
	if all, why := proposalsOf(s.top().answer); why == "" {
		s.propose(together(all))
	}
}

// proposalsOf are the actions that a what-if stands for, or why there are none.
func proposalsOf(w *views.WhatIf) (all []proposal, why string) {
	changes, err := change.ParseAll(strings.Fields(w.Typed))
	if err != nil || len(changes) == 0 {
		return nil, "this what-if cannot be carried out from here; y copies its command"
	}
	for i := range changes {
		c := &changes[i]
		switch c.Verb {
		case change.Cordon, change.Uncordon:
			all = append(all, onNode(c.Name, actions.ToggleCordon))
		case change.Drain:
			all = append(all, onNode(c.Name, actions.ProposeDrain))
		case change.DeletePod:
			all = append(all, onPodNamed(c.Name, actions.ProposeDelete))
		case change.Ungate:
			all = append(all, onPodNamed(c.Name, actions.ProposeUngate))
		default:
			return nil, "only cordon, uncordon, drain, delete pod and ungate are carried out from here; this is " + change.Words(changes[i:i+1])
		}
	}
	return all, ""
}

// onPodNamed is the proposal of an action on the pod that a what-if means: NAMESPACE/NAME, or a name that one pod alone has.
func onPodNamed(name string, action func(*v1.Pod) (actions.Action, error)) proposal {
	if ref, whole := parseRef(name); whole {
		return onPod(ref, action)
	}
	return func(e *engine.Engine) (actions.Action, error) {
		var found []*v1.Pod
		for o := range e.Store().Objects(world.Pod) {
			if o.GetName() == name {
				found = append(found, o.(*v1.Pod))
			}
		}
		if len(found) != 1 {
			name = printable.Line(name, 80)
			return nil, fmt.Errorf("%d pods have the name %q at this moment: try the what-if again with NAMESPACE/%s", len(found), name, name)
		}
		return action(found[0])
	}
}

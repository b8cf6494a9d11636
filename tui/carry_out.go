package tui

import (
	"strings"

	"orrery/core/answers/change"
	"orrery/core/operator/actions"
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
		pod, _ := parseRef(c.Name)
		if !strings.Contains(c.Name, "/") {
			pod = world.PodRef{Namespace: "default", Name: c.Name}
		}
		switch c.Verb {
		case change.Cordon, change.Uncordon:
			all = append(all, onNode(c.Name, actions.ToggleCordon))
		case change.Drain:
			all = append(all, onNode(c.Name, actions.ProposeDrain))
		case change.DeletePod:
			all = append(all, onPod(pod, actions.ProposeDelete))
		case change.Ungate:
			all = append(all, onPod(pod, actions.ProposeUngate))
		default:
			return nil, "only cordon, uncordon, drain, delete pod and ungate are carried out from here; this is " + change.Words(changes[i:i+1])
		}
	}
	return all, ""
}

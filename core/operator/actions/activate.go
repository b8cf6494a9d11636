package actions

import (
	"context"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/answers/change"
	"orrery/core/safe/printable"
	"orrery/core/world"
)

// Activate moves a pending pod to the activeQ of this process's scheduler.
type Activate struct{ Pod world.PodRef }

// ProposeActivate activates a pod that has no node.
func ProposeActivate(pod *v1.Pod) (Action, error) {
	ref := world.PodRefOf(pod)
	if pod.Spec.NodeName != "" {
		return nil, fmt.Errorf("pod %s has its node already", printable.Line(ref.String(), 120))
	}
	return Activate{ref}, nil
}

func (Activate) Verb() string       { return "activate" }
func (a Activate) String() string   { return "activate pod " + a.Pod.String() }
func (a Activate) DoneText() string { return "activated pod " + a.Pod.String() }

// Command is empty: the API has no such call.
func (Activate) Command() string  { return "" }
func (Activate) UndoText() string { return "none; if it fails again, it backs off again." }
func (Activate) Notes() []string  { return nil }

// Changes returns none: the pod only skips its back-off.
func (Activate) Changes() []change.Change { return nil }

func (a Activate) do(ctx context.Context, h *Executor) error {
	if h.Activate == nil {
		return errors.New("the cluster's scheduler owns this pod, and there is no API to activate it; with --schedule the console is the scheduler")
	}
	return h.Activate(ctx, types.NamespacedName{Namespace: a.Pod.Namespace, Name: a.Pod.Name})
}

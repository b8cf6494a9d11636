package plugins

import (
	"context"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
)

// SplitPodEvents registers an in-tree plugin, which registers for events of pods, for the kinds of them that it is registered for from 1.37 on.
func SplitPodEvents(plugin fwk.EnqueueExtensions) fwk.EnqueueExtensions {
	return splitPodEvents{plugin}
}

// splitPodEvents registers a plugin for kinds of pod events in place of all pods.
type splitPodEvents struct{ fwk.EnqueueExtensions }

// EventsToRegister returns the plugin's events, those of pods by their kinds.
func (s splitPodEvents) EventsToRegister(ctx context.Context) (split []fwk.ClusterEventWithHint, err error) {
	events, err := s.EnqueueExtensions.EventsToRegister(ctx)
	for _, event := range events {
		if event.Event.Resource != fwk.Pod {
			split = append(split, event)
			continue
		}
		for _, kind := range [...]fwk.EventResource{fwk.AssignedPod, fwk.UnscheduledPod, fwk.TargetPod} {
			if actions := event.Event.ActionType & podActions(s.Name(), kind); actions != 0 {
				of := event
				of.Event = fwk.ClusterEvent{Resource: kind, ActionType: actions}
				split = append(split, of)
			}
		}
	}
	return split, err
}

// podActions are the actions on pods of a kind for which an in-tree plugin may be registered. Pods with a node come, go, and change what
// others depend on; a pod without one helps itself by a change. Pods that come without a node are of interest to their gang.
func podActions(plugin string, kind fwk.EventResource) fwk.ActionType {
	own := fwk.UpdatePodToleration | fwk.UpdatePodSchedulingGatesEliminated | fwk.UpdatePodGeneratedResourceClaim
	switch {
	case plugin == config.NodeDeclaredFeaturesPlugin: // any update of the pod itself
		if kind == fwk.TargetPod {
			return fwk.Update
		}
		return 0
	case kind == fwk.AssignedPod:
		return fwk.Add | fwk.Delete | fwk.UpdatePodLabel | fwk.UpdatePodScaleDown
	case kind == fwk.TargetPod:
		return fwk.UpdatePodLabel | fwk.UpdatePodScaleDown | own
	case plugin == config.GangSchedulingPlugin:
		return fwk.Add
	}
	return 0
}

package diagnose

import (
	"testing"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/workloads"
)

func TestEventText(t *testing.T) {
	for want, event := range map[string]fwk.ClusterEvent{
		"anything changes":                     {Resource: fwk.WildCard, ActionType: fwk.All},
		"a Workload changes":                   {Resource: workloads.Resource, ActionType: fwk.All},
		"a CSINode is added or is updated":     {Resource: fwk.CSINode, ActionType: fwk.Add | fwk.Update},
		"a Pod is deleted or requests less":    {Resource: fwk.Pod, ActionType: fwk.Delete | fwk.UpdatePodScaleDown},
		"a Node changes its taints":            {Resource: fwk.Node, ActionType: fwk.UpdateNodeTaint},
		"a Pod loses its scheduling gates":     {Resource: fwk.Pod, ActionType: fwk.UpdatePodSchedulingGatesEliminated},
		"a foos.v1.example.com changes":        {Resource: "foos.v1.example.com", ActionType: fwk.All},
		"a Pod is added or changes its labels": {Resource: fwk.Pod, ActionType: fwk.Add | fwk.UpdatePodLabel},
		"the Pod itself changes its labels":    {Resource: fwk.TargetPod, ActionType: fwk.UpdatePodLabel},
		"a Pod with a node requests more":      {Resource: fwk.AssignedPod, ActionType: fwk.UpdatePodScaleUp},
		"a Pod is updated":                     {Resource: fwk.Pod, ActionType: fwk.Update},
		"a Node is added, is deleted or changes its labels or taints": {
			Resource: fwk.Node, ActionType: fwk.Add | fwk.Delete | fwk.UpdateNodeLabel | fwk.UpdateNodeTaint,
		},
	} {
		if got := eventText(event); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for bit := fwk.ActionType(1); bit < fwk.All; bit <<= 1 {
		if text := eventText(fwk.ClusterEvent{Resource: fwk.Pod, ActionType: bit}); text == "a Pod " {
			t.Errorf("there are no words for action %d", bit)
		}
	}
}

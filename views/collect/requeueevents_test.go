package collect

import (
	"slices"
	"testing"

	fwk "k8s.io/kube-scheduler/framework"
)

func TestEventNames_SplitsActions(t *testing.T) {
	for _, tt := range []struct {
		name  string
		event fwk.ClusterEvent
		want  []string
	}{
		{"one action", fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add}, []string{"NodeAdd"}},
		{"two actions", fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeAllocatable}, []string{"NodeAdd", "NodeUpdateNodeAllocatable"}},
		{"every update", fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Update | fwk.Delete}, []string{"PodUpdate", "PodDelete"}},
		{"every action", fwk.ClusterEvent{Resource: fwk.CSINode, ActionType: fwk.All}, []string{"storage.k8s.io/CSINode (any change)"}},
		{"everything", fwk.ClusterEvent{Resource: fwk.WildCard, ActionType: fwk.All}, []string{"any event"}},
		{"a custom label", fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Add, CustomLabel: "Mine"}, []string{"Mine"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := eventNames(tt.event); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

package queue_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/queue"
	"orrery/core/testing/mk"
)

func TestMatches_RegisteredEvents(t *testing.T) {
	event := func(r fwk.EventResource, a fwk.ActionType) fwk.ClusterEvent {
		return fwk.ClusterEvent{Resource: r, ActionType: a}
	}
	everything := event(fwk.WildCard, fwk.All)
	for _, row := range []struct {
		name                 string
		registered, incoming fwk.ClusterEvent
		want                 bool
	}{
		{"the same", event(fwk.Node, fwk.Add), event(fwk.Node, fwk.Add), true},
		{"another resource", event(fwk.Node, fwk.Add), event(fwk.PersistentVolume, fwk.Add), false},
		{"another action", event(fwk.Node, fwk.Add), event(fwk.Node, fwk.Delete), false},
		{"one action of several", event(fwk.Node, fwk.Add|fwk.UpdateNodeLabel), event(fwk.Node, fwk.UpdateNodeLabel), true},
		{"a special update for who wants all updates", event(fwk.Node, fwk.Update), event(fwk.Node, fwk.UpdateNodeTaint), true},
		{"a general update for who wants a special one", event(fwk.Node, fwk.UpdateNodeTaint), event(fwk.Node, fwk.Update), false},
		{"a general update for who wants all updates", event(fwk.Pod, fwk.Update), event(queue.UnschedulablePod, fwk.Update), true},
		{"a general update for who wants everything", event(fwk.Pod, fwk.All), event(queue.UnschedulablePod, fwk.Update), true},
		{"an assigned pod for who wants pods", event(fwk.Pod, fwk.Delete), event(fwk.AssignedPod, fwk.Delete), true},
		{"an unscheduled pod for who wants pods", event(fwk.Pod, fwk.Add), event(queue.UnschedulablePod, fwk.Add), true},
		{"any pod for who wants assigned ones", event(fwk.AssignedPod, fwk.Add), event(fwk.Pod, fwk.Add), false},
		{"anything for who wants any resource", event(fwk.WildCard, fwk.Add), event(fwk.CSINode, fwk.Add), true},
		{"everything for who wants everything", everything, everything, true},
		{"everything for who wants a node", event(fwk.Node, fwk.All), everything, false},
		{"a node for who wants everything", everything, event(fwk.Node, fwk.Add), true},
		{"an action of greater number than all that are wanted", event(fwk.Node, fwk.Delete|fwk.Add), event(fwk.Node, fwk.Delete|fwk.UpdateNodeLabel), false},
	} {
		if got := queue.Matches(row.registered, row.incoming); got != row.want {
			t.Errorf("%s: got %v", row.name, got)
		}
	}
}

func TestPodUpdateEvents_OnePerChange(t *testing.T) {
	claim := "claim"
	for _, row := range []struct {
		name        string
		old, change func(*v1.Pod)
		want        []fwk.ActionType
		split       []fwk.ActionType // from 1.37 on, if it is something else
	}{
		{name: "nothing that matters", change: func(p *v1.Pod) { p.Status.Message = "x" }, want: []fwk.ActionType{fwk.Update}},
		{name: "an annotation", change: func(p *v1.Pod) { p.Annotations = map[string]string{"a": "b"} }, want: []fwk.ActionType{fwk.Update}},
		{name: "a label", change: func(p *v1.Pod) { p.Labels = map[string]string{"a": "b"} }, want: []fwk.ActionType{fwk.UpdatePodLabel}},
		{name: "empty labels in place of none", change: func(p *v1.Pod) { p.Labels = map[string]string{} }, want: []fwk.ActionType{fwk.Update}},
		{name: "a smaller request", change: cpu("500m"), want: []fwk.ActionType{fwk.UpdatePodScaleDown}},
		{name: "a greater request", change: cpu("2"), want: []fwk.ActionType{fwk.Update}, split: []fwk.ActionType{fwk.UpdatePodScaleUp}},
		{
			name: "a request less", change: func(p *v1.Pod) { p.Spec.Containers[0].Resources.Requests = nil },
			want: []fwk.ActionType{fwk.UpdatePodScaleDown},
		},
		{
			name: "the last gate", old: func(p *v1.Pod) { p.Spec.SchedulingGates = gates("a", "b") },
			change: func(p *v1.Pod) { p.Spec.SchedulingGates = nil }, want: []fwk.ActionType{fwk.UpdatePodSchedulingGatesEliminated},
		},
		{
			name: "one gate of two", old: func(p *v1.Pod) { p.Spec.SchedulingGates = gates("a", "b") },
			change: func(p *v1.Pod) { p.Spec.SchedulingGates = gates("b") }, want: []fwk.ActionType{fwk.Update},
		},
		{
			name: "a toleration", change: func(p *v1.Pod) { p.Spec.Tolerations = []v1.Toleration{{Key: "k"}} },
			want: []fwk.ActionType{fwk.UpdatePodToleration},
		},
		{
			name: "a generated claim", change: func(p *v1.Pod) {
				p.Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{{Name: "c", ResourceClaimName: &claim}}
			}, want: []fwk.ActionType{fwk.UpdatePodGeneratedResourceClaim},
		},
		{
			name: "the same claim at another address", old: claimed("claim"), change: claimed("claim"),
			want: []fwk.ActionType{fwk.Update},
		},
		{
			name: "another claim", old: claimed("claim"), change: claimed("other"),
			want: []fwk.ActionType{fwk.UpdatePodGeneratedResourceClaim},
		},
		{
			name: "a claim for an extended resource", change: func(p *v1.Pod) {
				p.Status.ExtendedResourceClaimStatus = &v1.PodExtendedResourceClaimStatus{ResourceClaimName: claim}
			}, want: []fwk.ActionType{fwk.UpdatePodGeneratedResourceClaim},
		},
		{
			name: "several things, in this order", change: func(p *v1.Pod) {
				p.Spec.Tolerations = []v1.Toleration{{Key: "k"}}
				cpu("1m")(p)
				p.Labels = map[string]string{"a": "b"}
			}, want: []fwk.ActionType{fwk.UpdatePodLabel, fwk.UpdatePodScaleDown, fwk.UpdatePodToleration},
		},
	} {
		old := mk.Pod("web").CPU("1").Obj()
		if row.old != nil {
			row.old(old)
		}
		split := queue.DefaultFeatureGates()
		split.SplitPods = true
		for _, kind := range []struct {
			resource fwk.EventResource
			node     string
			gates    queue.FeatureGates
		}{
			{queue.UnschedulablePod, "", queue.DefaultFeatureGates()},
			{fwk.AssignedPod, "n1", queue.DefaultFeatureGates()},
			{fwk.TargetPod, "", split},
			{fwk.AssignedPod, "n1", split},
		} {
			updated := old.DeepCopy()
			updated.Spec.NodeName = kind.node
			row.change(updated)
			want := row.want
			if kind.gates.SplitPods && row.split != nil {
				want = row.split
			}
			if diff := cmp.Diff(events(kind.resource, want...), queue.PodUpdateEvents(old, updated, kind.gates)); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", row.name, kind.resource, diff)
			}
		}
	}
}

func TestNodeUpdateEvents_OnePerChange(t *testing.T) {
	for _, row := range []struct {
		name        string
		old, change func(*v1.Node)
		want        []fwk.ActionType
	}{
		{name: "a heartbeat", change: func(n *v1.Node) { n.Status.Conditions[0].LastHeartbeatTime = metav1.NewTime(clock("13:00:00")) }},
		{name: "capacity only", change: func(n *v1.Node) { n.Status.Capacity[v1.ResourceCPU] = resource.MustParse("64") }},
		{name: "the same quantity in other words", change: func(n *v1.Node) { n.Status.Allocatable["pods"] = resource.MustParse("110000m") }},
		{
			name: "allocatable", change: func(n *v1.Node) { n.Status.Allocatable["pods"] = resource.MustParse("5") },
			want: []fwk.ActionType{fwk.UpdateNodeAllocatable},
		},
		{name: "a label", change: func(n *v1.Node) { n.Labels["a"] = "b" }, want: []fwk.ActionType{fwk.UpdateNodeLabel}},
		{
			name: "a taint", change: func(n *v1.Node) { n.Spec.Taints = []v1.Taint{{Key: "k"}} },
			want: []fwk.ActionType{fwk.UpdateNodeTaint},
		},
		{
			name: "an allocatable resource less", change: func(n *v1.Node) { delete(n.Status.Allocatable, "pods") },
			want: []fwk.ActionType{fwk.UpdateNodeAllocatable},
		},
		{
			name: "one resource in place of another", change: func(n *v1.Node) { n.Status.Allocatable = mk.Resources("cpu", "110") },
			want: []fwk.ActionType{fwk.UpdateNodeAllocatable},
		},
		{
			name: "the effect of a taint", old: func(n *v1.Node) { n.Spec.Taints = []v1.Taint{{Key: "k"}} },
			change: func(n *v1.Node) { n.Spec.Taints = []v1.Taint{{Key: "k", Effect: v1.TaintEffectNoExecute}} },
			want:   []fwk.ActionType{fwk.UpdateNodeTaint},
		},
		{
			name: "when a taint was added", old: func(n *v1.Node) { n.Spec.Taints = []v1.Taint{{Key: "k"}} },
			change: func(n *v1.Node) {
				n.Spec.Taints = []v1.Taint{{Key: "k", TimeAdded: &metav1.Time{Time: clock("12:00:00")}}}
			},
			want: []fwk.ActionType{fwk.UpdateNodeTaint},
		},
		{name: "a cordon", change: func(n *v1.Node) { n.Spec.Unschedulable = true }},
		{
			name: "the end of a cordon", old: func(n *v1.Node) { n.Spec.Unschedulable = true },
			change: func(n *v1.Node) { n.Spec.Unschedulable = false }, want: []fwk.ActionType{fwk.UpdateNodeTaint},
		},
		{
			name: "the end of a cordon, with its taint", old: func(n *v1.Node) {
				n.Spec.Unschedulable = true
				n.Spec.Taints = []v1.Taint{{Key: "k"}}
			},
			change: func(n *v1.Node) { n.Spec.Unschedulable, n.Spec.Taints = false, nil },
			want:   []fwk.ActionType{fwk.UpdateNodeTaint, fwk.UpdateNodeTaint},
		},
		{
			name: "a condition", change: func(n *v1.Node) { n.Status.Conditions[0].Status = v1.ConditionFalse },
			want: []fwk.ActionType{fwk.UpdateNodeCondition},
		},
		{
			name: "the order of conditions", old: func(n *v1.Node) {
				n.Status.Conditions = append(n.Status.Conditions, v1.NodeCondition{Type: v1.NodeDiskPressure})
			},
			change: func(n *v1.Node) {
				n.Status.Conditions[0], n.Status.Conditions[1] = n.Status.Conditions[1], n.Status.Conditions[0]
			},
		},
		{
			name: "an annotation", change: func(n *v1.Node) { n.Annotations = map[string]string{"a": "b"} },
			want: []fwk.ActionType{fwk.UpdateNodeAnnotation},
		},
		{name: "declared features, with the gate off", change: func(n *v1.Node) { n.Status.DeclaredFeatures = []string{"F"} }},
	} {
		old := mk.Node("n1").Obj()
		if row.old != nil {
			row.old(old)
		}
		updated := old.DeepCopy()
		row.change(updated)
		if diff := cmp.Diff(events(fwk.Node, row.want...), queue.NodeUpdateEvents(old, updated, queue.DefaultFeatureGates())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
	}
	old, updated := mk.Node("n1").Obj(), mk.Node("n1").Obj()
	updated.Status.DeclaredFeatures = []string{"F"}
	want := events(fwk.Node, fwk.UpdateNodeDeclaredFeature)
	if diff := cmp.Diff(want, queue.NodeUpdateEvents(old, updated, queue.FeatureGates{NodeDeclaredFeatures: true})); diff != "" {
		t.Errorf("declared features, with the gate on (-want +got):\n%s", diff)
	}
}

func TestEvents_LabelsAreThoseOfTheMetrics(t *testing.T) {
	for event, want := range map[fwk.ClusterEvent]string{
		queue.EventAssignedPodDelete: "AssignedPodDelete",
		{Resource: queue.FeatureGates{}.UnscheduledPod(), ActionType: fwk.Add}:                "UnschedulablePodAdd",
		{Resource: queue.FeatureGates{SplitPods: true}.UnscheduledPod(), ActionType: fwk.Add}: "UnscheduledPodAdd",
		queue.EventNodeAdd:              "NodeAdd",
		queue.EventForceActivate:        "ForceActivate",
		queue.EventUnschedulableTimeout: "UnschedulableTimeout",
	} {
		if got := event.Label(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func events(r fwk.EventResource, actions ...fwk.ActionType) []fwk.ClusterEvent {
	var list []fwk.ClusterEvent
	for _, a := range actions {
		list = append(list, fwk.ClusterEvent{Resource: r, ActionType: a})
	}
	return list
}

func cpu(quantity string) func(*v1.Pod) {
	return func(p *v1.Pod) {
		p.Spec.Containers[0].Resources.Requests = v1.ResourceList{v1.ResourceCPU: resource.MustParse(quantity)}
	}
}

func claimed(name string) func(*v1.Pod) {
	return func(p *v1.Pod) {
		p.Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{{Name: "c", ResourceClaimName: &name}}
		p.Status.ExtendedResourceClaimStatus = &v1.PodExtendedResourceClaimStatus{ResourceClaimName: name}
	}
}

func gates(names ...string) []v1.PodSchedulingGate {
	var list []v1.PodSchedulingGate
	for _, name := range names {
		list = append(list, v1.PodSchedulingGate{Name: name})
	}
	return list
}

package local

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"orrery/core/parity/comparisons"
	"orrery/core/parity/difftest"
	"orrery/core/scheduler/plugins"
)

// actions are all action types, one by one.
var actions = []fwk.ActionType{
	fwk.Add, fwk.Delete,
	fwk.UpdateNodeAllocatable, fwk.UpdateNodeLabel, fwk.UpdateNodeTaint, fwk.UpdateNodeCondition, fwk.UpdateNodeAnnotation, fwk.UpdateNodeDeclaredFeature,
	fwk.UpdatePodLabel, fwk.UpdatePodScaleDown, fwk.UpdatePodToleration, fwk.UpdatePodSchedulingGatesEliminated, fwk.UpdatePodGeneratedResourceClaim,
}

// event is a change of a pod or a node.
type event struct {
	resource      fwk.EventResource
	action        fwk.ActionType
	before, after any
}

func (e event) String() string {
	return fmt.Sprintf("%s of a %s\nbefore:\n%s\nafter:\n%s", e.action, e.resource, show(e.before), show(e.after))
}

func someEvent(t *difftest.Source, resource fwk.EventResource, action fwk.ActionType, waiting *v1.Pod) event {
	e := event{resource: resource, action: action}
	if resource == fwk.Node {
		before := someNode(t, "n0")
		switch action {
		case fwk.Add:
			e.after = before
		case fwk.Delete:
			e.before = before
		default:
			e.before, e.after = before, changedNode(t, before)
		}
		return e
	}
	before := somePod(t, "other")
	switch {
	case resource == fwk.TargetPod:
		before = waiting.DeepCopy()
	case resource == fwk.AssignedPod && (action != fwk.Delete || t.Bool()): // a pod that was waiting or nominated is deleted as one with a node, too
		before.Spec.NodeName = "n0"
	}
	switch action {
	case fwk.Add:
		e.after = before
	case fwk.Delete:
		e.before = before
	default:
		e.before, e.after = before, changedPod(t, before)
	}
	return e
}

func changedNode(t *difftest.Source, node *v1.Node) *v1.Node {
	node, from := node.DeepCopy(), someNode(t, node.Name)
	if t.Bool() {
		node.Status.Allocatable = from.Status.Allocatable
	}
	if t.Bool() {
		name := pick(t, resourceNames)
		node.Status.Allocatable[name] = amount(t, name)
	}
	if t.Bool() {
		node.Labels = from.Labels
	}
	if t.Bool() {
		node.Spec = from.Spec
	}
	if t.Bool() {
		node.Status.DeclaredFeatures = from.Status.DeclaredFeatures
	}
	return node
}

func changedPod(t *difftest.Source, pod *v1.Pod) *v1.Pod {
	pod = pod.DeepCopy()
	if t.Bool() {
		pod.Spec.Containers[0].Resources.Requests = resources(t, 8)
	}
	if t.Bool() {
		addStatus(t, pod)
	}
	if t.Bool() {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, someToleration(t))
	}
	if t.Bool() {
		pod.Spec.SchedulingGates = nil
	}
	if t.Bool() {
		pod.Spec.Containers[0].RestartPolicyRules = nil
	}
	return pod
}

// registered returns the events that a plugin registers, one for each action type, with their hints.
func registered(t *difftest.Source, plugin fwk.Plugin, ours bool) map[fwk.ClusterEvent]fwk.QueueingHintFn {
	all := map[fwk.ClusterEvent]fwk.QueueingHintFn{}
	extensions, ok := plugin.(fwk.EnqueueExtensions)
	if !ok {
		return all
	}
	if ours { // an engine registers them for kinds of pods
		extensions = plugins.SplitPodEvents(extensions)
	}
	events, err := extensions.EventsToRegister(context.Background())
	if err != nil {
		t.Fatalf("EventsToRegister: %v", err)
	}
	for _, e := range events {
		for _, action := range actions {
			if e.Event.ActionType&action == 0 {
				continue
			}
			all[fwk.ClusterEvent{Resource: e.Event.Resource, ActionType: action}] = e.QueueingHintFn
		}
	}
	return all
}

func hinted(hint fwk.QueueingHintFn, pod *v1.Pod, e event) string {
	if hint == nil {
		return "Queue"
	}
	answer, err := hint(klog.Logger{}, pod, e.before, e.after)
	if err != nil {
		return answer.String() + " with an error"
	}
	return answer.String()
}

func TestHints_Same(t *testing.T) {
	difftest.Check(t, comparisons.NodePlugins.Cases, func(t *difftest.Source) {
		waiting := somePod(t, "waiting")
		for _, p := range somePairs(t, handle{}, handle{}) {
			theirs, ours := registered(t, p.theirs, false), registered(t, p.ours, true)
			if diff := cmp.Diff(names(theirs), names(ours)); diff != "" {
				t.Fatalf("%s registers other events (-kube-scheduler +Orrery):\n%s", p.name, diff)
			}
			for _, resource := range []fwk.EventResource{fwk.AssignedPod, fwk.UnscheduledPod, fwk.TargetPod, fwk.Node} {
				for _, action := range actions {
					key := fwk.ClusterEvent{Resource: resource, ActionType: action}
					if _, asked := theirs[key]; !asked {
						continue
					}
					e := someEvent(t, resource, action, waiting)
					want, got := hinted(theirs[key], waiting, e), hinted(ours[key], waiting, e)
					count(p.name, "hint", string(resource), action.String(), want)
					if want != got && !requeuesOnPurpose(p, waiting, e, want, got) {
						t.Fatalf("hint of %s: kube-scheduler %s, Orrery %s\nthe pending pod:\n%s\n%s", p.name, want, got, show(waiting), e)
					}
				}
			}
		}
	})
}

func names(events map[fwk.ClusterEvent]fwk.QueueingHintFn) map[string]bool {
	all := map[string]bool{}
	for e := range events {
		all[e.Label()] = true
	}
	return all
}

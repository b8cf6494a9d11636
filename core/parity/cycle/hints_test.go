package cycle

import (
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/parity/difftest"
	"orrery/core/scheduler/plugins"
	"orrery/core/world"
)

// clusterEvent is an event with its possible action types and the object before and after.
type clusterEvent struct {
	resource      fwk.EventResource
	actions       []fwk.ActionType
	before, after any
}

var (
	nodeUpdates = []fwk.ActionType{
		fwk.UpdateNodeAllocatable, fwk.UpdateNodeLabel, fwk.UpdateNodeTaint, fwk.UpdateNodeCondition, fwk.UpdateNodeAnnotation,
		fwk.UpdateNodeDeclaredFeature,
	}
	podUpdates = []fwk.ActionType{
		fwk.UpdatePodLabel, fwk.UpdatePodScaleDown, fwk.UpdatePodScaleUp, fwk.UpdatePodToleration, fwk.UpdatePodSchedulingGatesEliminated,
		fwk.UpdatePodGeneratedResourceClaim,
	}
)

// clusterEvents returns the events of a case's changes. An update has every action type of its kind: which types it really
// has is determined by the queue, and does not matter for hints.
func clusterEvents(c *clusterCase) (list []clusterEvent) {
	node := func(name string) *v1.Node {
		i := slices.IndexFunc(c.Nodes, func(n *v1.Node) bool { return n.Name == name })
		if i < 0 {
			return &v1.Node{}
		}
		return c.Nodes[i]
	}
	pods := slices.Concat(c.Bound, c.Waiting)
	pod := func(name podName) *v1.Pod {
		i := slices.IndexFunc(pods, func(p *v1.Pod) bool { return p.Name == name.Name && p.Namespace == name.Namespace })
		if i < 0 {
			return &v1.Pod{}
		}
		return pods[i]
	}
	for i := range c.Changes {
		switch ch := &c.Changes[i]; {
		case ch.Store != nil:
			list = append(list, objectEvents(ch.Store.objects(), c.Storage.objects())...)
		case ch.Devices != nil && !ch.Drops:
			list = append(list, objectEvents(ch.Devices.objects(), c.Devices.objects())...)
		case ch.AddNode != nil:
			list = append(list, clusterEvent{fwk.Node, []fwk.ActionType{fwk.Add}, nil, ch.AddNode})
		case ch.Node != nil:
			list = append(list, clusterEvent{fwk.Node, nodeUpdates, node(ch.Node.Name), changedNode(node(ch.Node.Name), ch.Node)})
		case ch.DeleteNode != "":
			list = append(list, clusterEvent{fwk.Node, []fwk.ActionType{fwk.Delete}, node(ch.DeleteNode), nil})
		case ch.AddPod != nil:
			list = append(list, clusterEvent{kindOf(ch.AddPod), []fwk.ActionType{fwk.Add}, nil, ch.AddPod})
		case ch.Pod != nil:
			before, after := pod(ch.Pod.podName), changedPod(pod(ch.Pod.podName), ch.Pod)
			list = append(list, clusterEvent{kindOf(after), podUpdates, before, after}, clusterEvent{fwk.TargetPod, podUpdates, before, after})
		case ch.DeletePod != nil:
			list = append(list, clusterEvent{kindOf(pod(*ch.DeletePod)), []fwk.ActionType{fwk.Delete}, pod(*ch.DeletePod), nil})
		}
	}
	return list
}

// kindOf is what a pod is in events of others.
func kindOf(pod *v1.Pod) fwk.EventResource {
	if pod.Spec.NodeName != "" {
		return fwk.AssignedPod
	}
	return fwk.UnscheduledPod
}

// objectEvents returns the events of objects that are added, or take the place of the case's.
func objectEvents(objects, before []world.Object) (list []clusterEvent) {
	for _, object := range objects {
		e := clusterEvent{objectResources[world.KindOf(object)], []fwk.ActionType{fwk.Add}, nil, object}
		for _, held := range before {
			if keyOf(held) == keyOf(object) {
				e.actions, e.before = objectUpdates, held
			}
		}
		list = append(list, e)
	}
	return list
}

var (
	objectUpdates   = []fwk.ActionType{fwk.Update}
	objectResources = map[world.Kind]fwk.EventResource{
		world.StorageClass: fwk.StorageClass, world.CSIStorageCapacity: fwk.CSIStorageCapacity, world.CSINode: fwk.CSINode,
		world.PersistentVolume: fwk.PersistentVolume, world.PersistentVolumeClaim: fwk.PersistentVolumeClaim,
		world.DeviceClass: fwk.DeviceClass, world.ResourceSlice: fwk.ResourceSlice, world.ResourceClaim: fwk.ResourceClaim,
	}
)

// compareHints compares the registered events of every plugin of two hosts, and their hints for each event of the case and
// each of its pending pods.
func (s *settings) compareHints(theirs, ours *host, c *clusterCase, seen difftest.Coverage) string {
	for _, name := range slices.Sorted(maps.Keys(theirs.plugins)) {
		their, our := hintsOf(theirs.plugins[name]), hintsOf(ours.plugins[name])
		for _, event := range clusterEvents(c) {
			for _, action := range event.actions {
				for _, pod := range c.Waiting {
					if event.resource == fwk.TargetPod && !event.concerns(pod, action) {
						continue
					}
					want, got := their.answer(event, action, pod), our.answer(event, action, pod)
					seen.Count("hints: %s", want)
					selects := name == "PodTopologySpread" && event.resource == fwk.Node && action&(fwk.Add|fwk.Delete) == 0 // see requeuedFor
					if want != got && (got != "Queue" || !selects && !s.requeuesMore(name)) {
						return fmt.Sprintf("hint of %s: for %v %v and %s: kube-scheduler %s, Orrery %s",
							name, event.resource, action, pod.Name, want, got)
					}
				}
			}
		}
	}
	return ""
}

// concerns reports whether an update of a pod is about that pod itself, and labels only where they change.
func (e clusterEvent) concerns(pod *v1.Pod, action fwk.ActionType) bool {
	before, after := e.before.(*v1.Pod), e.after.(*v1.Pod)
	return before.UID == pod.UID && (action != fwk.UpdatePodLabel || !maps.Equal(before.Labels, after.Labels))
}

type hints []fwk.ClusterEventWithHint

func hintsOf(plugin fwk.Plugin) hints {
	extensions, ok := plugin.(fwk.EnqueueExtensions)
	if !ok {
		return nil
	}
	list, err := plugins.SplitPodEvents(extensions).EventsToRegister(ctx) // as engines do; kube-scheduler's own are split
	must(err)
	return list
}

func (h hints) answer(event clusterEvent, action fwk.ActionType, pod *v1.Pod) string {
	answer := "not registered"
	for _, e := range h {
		if e.Event.Resource != event.resource || e.Event.ActionType&action == 0 {
			continue
		}
		if e.QueueingHintFn == nil {
			return "Queue"
		}
		hint, err := e.QueueingHintFn(klog.Logger{}, pod, event.before, event.after)
		if hint == fwk.Queue || err != nil {
			return "Queue"
		}
		answer = "QueueSkip"
	}
	return answer
}

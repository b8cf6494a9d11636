package volumes

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/parity/difftest"
	"orrery/core/scheduler/plugins"
)

// event is an event of one object, with what hints receive.
type event struct {
	resource      fwk.EventResource
	action        fwk.ActionType
	before, after any
}

// someEvents draws an event for each kind of object.
func someEvents(t *difftest.Source, waiting *v1.Pod) []event {
	pod := func() any {
		p := somePod(t, "other")
		switch t.Range(0, 3) {
		case 0:
			p.Spec.NodeName = "n0"
		case 1:
			p.Status.NominatedNodeName = "n0"
		case 2:
			p.Spec.Volumes, p.Spec.NodeName = waiting.Spec.Volumes, "n0"
		}
		return p
	}
	csiNode := func() any { return someCSINode(t, "n0") }
	volume := func() any { return someVolume(t, "v0") }
	return []event{
		{fwk.AssignedPod, fwk.Delete, pod(), nil},
		{fwk.Node, fwk.Add, nil, someNode(t, "n0")},
		{fwk.Node, fwk.UpdateNodeLabel, someNode(t, "n0"), someNode(t, "n0")},
		{fwk.PersistentVolumeClaim, fwk.Add, nil, anyClaim(t)},
		{fwk.PersistentVolumeClaim, fwk.Update, anyClaim(t), anyClaim(t)},
		{fwk.PersistentVolume, fwk.Add, nil, volume()},
		{fwk.PersistentVolume, fwk.Update, volume(), volume()},
		{fwk.StorageClass, fwk.Add, nil, someClass(t)},
		{fwk.StorageClass, fwk.Update, someClass(t), someClass(t)},
		{fwk.CSINode, fwk.Add, nil, csiNode()},
		{fwk.CSINode, fwk.Update, csiNode(), csiNode()},
		{fwk.VolumeAttachment, fwk.Delete, someAttachment(t), nil},
		{fwk.VolumeAttachment, fwk.Add, nil, someAttachment(t)},
		{fwk.AssignedPod, fwk.Delete, someNode(t, "no pod"), nil},
		{fwk.PersistentVolumeClaim, fwk.Add, nil, someNode(t, "no claim")},
	}
}

// compareHints compares the registered events, and the hints for an event of each kind.
func (c *cluster) compareHints(t *difftest.Source, sides []side, pod *v1.Pod, seen difftest.Coverage) {
	agreeOn(t, sides, "EventsToRegister", func(_ int, s side) []string {
		var all []string
		for _, r := range registered(s) {
			all = append(all, fmt.Sprintf("%s, %v", r.Event.Label(), r.QueueingHintFn != nil))
		}
		return all
	})
	for _, e := range someEvents(t, pod) {
		answer := agreeOn(t, sides, fmt.Sprintf("hint for %v of a %s\n%s\n%s", e.action, e.resource, difftest.JSON(e.before), difftest.JSON(e.after)),
			func(_ int, s side) string { return hinted(s, e, pod) })
		seen.Count("%s: hint for %s: %s", sides[0].plugin.Name(), e.resource, answer)
	}
}

// registered returns the events that a side's plugin is registered for. An engine registers Orrery's plugins for kinds of pods.
func registered(s side) []fwk.ClusterEventWithHint {
	var extensions fwk.EnqueueExtensions = s.plugin
	if s.name != kubeScheduler {
		extensions = plugins.SplitPodEvents(extensions)
	}
	all, err := extensions.EventsToRegister(context.Background())
	must(err)
	return all
}

// hinted is what every hint for an event says. Errors have words of their own on each side.
func hinted(s side, e event, pod *v1.Pod) string {
	said := ""
	for _, r := range registered(s) {
		switch {
		case r.Event.Resource != e.resource || r.Event.ActionType&e.action == 0:
		case r.QueueingHintFn == nil:
			said += "always "
		default:
			hint, err := r.QueueingHintFn(klog.Logger{}, pod, e.before, e.after)
			said += hint.String() + " "
			if err != nil {
				said += "with an error "
			}
		}
	}
	return said
}

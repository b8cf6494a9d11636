package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// Hints are the events that the plugins of one profile registered, in the order of registration, each with the hint to
// ask. They do not change once made, and may be shared.
type Hints struct {
	all []hint
}

type hint struct {
	event  fwk.ClusterEvent
	plugin string
	ask    fwk.QueueingHintFn
}

func always(klog.Logger, *v1.Pod, any, any) (fwk.QueueingHint, error) { return fwk.Queue, nil }

var updateNodeTaint = fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.UpdateNodeTaint}

// NewHints asks plugins once what they register for. No hint means that the event always helps. A plugin that
// registered for new nodes but for no change of taints is registered for those too, without a hint, as kube-scheduler
// does. A plugin that registered nothing is not in the table: only its pods' own updates, the leftover flush and a
// forced activation bring them back.
func NewHints(plugins ...fwk.EnqueueExtensions) (*Hints, error) {
	h := &Hints{}
	var errs []error
	for _, plugin := range plugins {
		events, err := plugin.EventsToRegister(context.Background())
		if err != nil {
			errs = append(errs, fmt.Errorf("asking plugin %s which events it registers for: %w", plugin.Name(), err))
		}
		h.register(plugin.Name(), events)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return h, nil
}

func (h *Hints) register(plugin string, events []fwk.ClusterEventWithHint) {
	var nodeAdd, nodeTaint bool
	for _, e := range events {
		ask := e.QueueingHintFn
		if ask == nil {
			ask = always
		}
		h.all = append(h.all, hint{e.Event, plugin, ask})
		if e.Event.Resource == fwk.Node {
			nodeAdd = nodeAdd || e.Event.ActionType&fwk.Add != 0
			nodeTaint = nodeTaint || e.Event.ActionType&fwk.UpdateNodeTaint != 0
		}
	}
	if nodeAdd && !nodeTaint {
		h.all = append(h.all, hint{updateNodeTaint, plugin, always})
	}
}

// Extensions are the events that plugins register which can turn a pod down, as framework.Profile lists them. One that
// does not say which events it wants hears of everything; workloads tells whether that includes Workload objects.
func Extensions(plugins []fwk.Plugin, workloads bool) []fwk.EnqueueExtensions {
	var exts []fwk.EnqueueExtensions
	for _, plugin := range plugins {
		ext, ok := plugin.(fwk.EnqueueExtensions)
		if !ok {
			ext = Everything(plugin.Name(), workloads)
		}
		exts = append(exts, ext)
	}
	return exts
}

// Everything registers all events for a name: for plugins that do not say which they want, and for the pseudo-plugin
// that extenders reject under.
func Everything(name string, workloads bool) fwk.EnqueueExtensions {
	return everything{name, workloads}
}

type everything struct {
	name      string
	workloads bool
}

func (e everything) Name() string { return e.name }

func (e everything) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	resources := []fwk.EventResource{
		fwk.Pod, fwk.Node, fwk.PersistentVolume, fwk.PersistentVolumeClaim, fwk.CSINode, fwk.CSIDriver,
		fwk.CSIStorageCapacity, fwk.StorageClass, fwk.ResourceClaim, fwk.DeviceClass,
	}
	if e.workloads {
		resources = append(resources, fwk.Workload)
	}
	events := make([]fwk.ClusterEventWithHint, len(resources))
	for i, r := range resources {
		events[i].Event = fwk.ClusterEvent{Resource: r, ActionType: fwk.All}
	}
	return events, nil
}

// Watched is what must be watched for some tables together: each resource once, with every action that somebody
// registered, sorted by resource. Pods and nodes are watched in any case and may be missing here.
func Watched(tables ...*Hints) []fwk.ClusterEvent {
	actions := map[fwk.EventResource]fwk.ActionType{}
	for _, h := range tables {
		for _, r := range h.all {
			actions[r.event.Resource] |= r.event.ActionType
		}
	}
	events := make([]fwk.ClusterEvent, 0, len(actions))
	for resource, action := range actions {
		events = append(events, fwk.ClusterEvent{Resource: resource, ActionType: action})
	}
	slices.SortFunc(events, func(a, b fwk.ClusterEvent) int {
		return cmp.Compare(a.Resource, b.Resource)
	})
	return events
}

// events are those that a plugin registered, in order, each once.
func (h *Hints) events(plugin string) []fwk.ClusterEvent {
	if h == nil {
		return nil
	}
	var events []fwk.ClusterEvent
	for _, r := range h.all {
		if r.plugin == plugin && !slices.Contains(events, r.event) {
			events = append(events, r.event)
		}
	}
	return events
}

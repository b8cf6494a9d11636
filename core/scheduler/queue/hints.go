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

	"orrery/core/objects/workloads"
)

// Hints are the events that the plugins of one profile registered, in the order of registration, each with its hint.
// They are immutable and may be shared.
type Hints struct {
	all []hint
}

type hint struct {
	event  fwk.ClusterEvent
	plugin string
	fn     fwk.QueueingHintFn
}

func alwaysQueue(klog.Logger, *v1.Pod, any, any) (fwk.QueueingHint, error) { return fwk.Queue, nil }

var updateNodeTaint = fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.UpdateNodeTaint}

// NewHints calls EventsToRegister of each plugin once. Without a hint an event always helps. A plugin that registered
// for Node/Add but not for taint changes is also registered for those, without a hint, as in kube-scheduler up to 1.36. A plugin
// without events is not in the table: only updates of its pods, the leftover flush and forced activation requeue them.
func NewHints(plugins ...fwk.EnqueueExtensions) (*Hints, error) {
	return newHints(plugins, func(h *Hints, plugin string, events []fwk.ClusterEventWithHint) {
		h.register(plugin, events)
		h.registerTaintsOfNewNodes(plugin, events)
	})
}

// NewExactHints is NewHints with the events that the plugins register and no others, as in kube-scheduler from 1.37 on.
func NewExactHints(plugins ...fwk.EnqueueExtensions) (*Hints, error) {
	return newHints(plugins, (*Hints).register)
}

func newHints(plugins []fwk.EnqueueExtensions, register func(h *Hints, plugin string, events []fwk.ClusterEventWithHint)) (*Hints, error) {
	h := &Hints{}
	var errs []error
	for _, plugin := range plugins {
		events, err := plugin.EventsToRegister(context.Background())
		if err != nil {
			errs = append(errs, fmt.Errorf("asking plugin %s which events it registers for: %w", plugin.Name(), err))
		}
		register(h, plugin.Name(), events)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return h, nil
}

func (h *Hints) register(plugin string, events []fwk.ClusterEventWithHint) {
	for _, e := range events {
		ask := e.QueueingHintFn
		if ask == nil {
			ask = alwaysQueue
		}
		h.all = append(h.all, hint{e.Event, plugin, ask})
	}
}

// registerTaintsOfNewNodes registers a plugin for changes of taints if it is registered for new nodes only. The pre-check may have hidden the
// addition of a node that had taints at first, and their removal is then the only event of it: kubernetes issue 109437. Upstream has no
// pre-check with queueing hints, and kept the registration until the check was gone (110175).
func (h *Hints) registerTaintsOfNewNodes(plugin string, events []fwk.ClusterEventWithHint) {
	var actions fwk.ActionType
	for _, e := range events {
		if e.Event.Resource == fwk.Node {
			actions |= e.Event.ActionType
		}
	}
	if actions&fwk.Add != 0 && actions&fwk.UpdateNodeTaint == 0 {
		h.all = append(h.all, hint{updateNodeTaint, plugin, alwaysQueue})
	}
}

// EnqueueExtensions returns the event registrations of the plugins that can reject a pod, as framework.Profile lists
// them. A plugin without EnqueueExtensions gets all events; workloads reports whether they include Workload objects.
func EnqueueExtensions(plugins []fwk.Plugin, workloads bool) []fwk.EnqueueExtensions {
	var exts []fwk.EnqueueExtensions
	for _, plugin := range plugins {
		ext, ok := plugin.(fwk.EnqueueExtensions)
		if !ok {
			ext = AllEvents(plugin.Name(), workloads)
		}
		exts = append(exts, ext)
	}
	return exts
}

// AllEvents registers a name for all events: for plugins without EnqueueExtensions, and for the pseudo-plugin that
// extenders reject under.
func AllEvents(name string, workloads bool) fwk.EnqueueExtensions { return allEvents{name, workloads} }

type allEvents struct {
	name      string
	workloads bool
}

func (e allEvents) Name() string { return e.name }

func (e allEvents) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	resources := []fwk.EventResource{
		fwk.Pod, fwk.Node, fwk.PersistentVolume, fwk.PersistentVolumeClaim, fwk.CSINode, fwk.CSIDriver,
		fwk.CSIStorageCapacity, fwk.StorageClass, fwk.ResourceClaim, fwk.DeviceClass,
	}
	if e.workloads {
		resources = append(resources, workloads.Resource)
	}
	events := make([]fwk.ClusterEventWithHint, len(resources))
	for i, r := range resources {
		events[i].Event = fwk.ClusterEvent{Resource: r, ActionType: fwk.All}
	}
	return events, nil
}

// WatchedEvents returns the events that some tables need together: each resource once, with every registered action,
// sorted by resource. Pods and nodes are always watched and may be missing.
func WatchedEvents(tables ...*Hints) []fwk.ClusterEvent {
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

// eventsOf returns the events that a plugin registered, in order, without duplicates.
func (h *Hints) eventsOf(plugin string) []fwk.ClusterEvent {
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

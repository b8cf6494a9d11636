package engine

import (
	"fmt"
	"slices"

	"k8s.io/component-base/featuregate"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/workloads"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/queue"
	"orrery/core/world"
)

// watchResources maps the kinds besides pods and nodes whose changes may requeue a pod to the resources that plugins
// register for.
var watchResources = map[world.Kind]fwk.EventResource{
	world.PersistentVolume:      fwk.PersistentVolume,
	world.PersistentVolumeClaim: fwk.PersistentVolumeClaim,
	world.CSINode:               fwk.CSINode,
	world.CSIDriver:             fwk.CSIDriver,
	world.VolumeAttachment:      fwk.VolumeAttachment,
	world.CSIStorageCapacity:    fwk.CSIStorageCapacity,
	world.StorageClass:          fwk.StorageClass,
	world.ResourceClaim:         fwk.ResourceClaim,
	world.ResourceSlice:         fwk.ResourceSlice,
	world.DeviceClass:           fwk.DeviceClass,
	world.Workload:              workloads.Resource,
	world.Service:               "Service", // for the older requeue rule; no plugin registers for it
}

// resourceOf returns the resource that plugins register for a kind; empty if its changes requeue no pod.
func resourceOf(kind world.Kind) fwk.EventResource {
	if _, custom := kind.Custom(); custom {
		return fwk.EventResource(kind)
	}
	return watchResources[kind]
}

// hintObject returns an object as hints receive it: custom objects as unstructured, as from a dynamic client.
func hintObject(o world.Object) any {
	if custom, ok := o.(*world.Custom); ok {
		return custom.Unstructured()
	}
	return o
}

// gatedResources maps resources to the feature gate that must be on for them to be watched, as their API may not be
// served.
var gatedResources = map[fwk.EventResource]featuregate.Feature{
	fwk.ResourceClaim:  config.DynamicResourceAllocation,
	fwk.ResourceSlice:  config.DynamicResourceAllocation,
	fwk.DeviceClass:    config.DynamicResourceAllocation,
	workloads.Resource: config.GenericWorkload,
}

// alwaysWatched are the resources that need no watch of their own: every engine gets pods and nodes, and the wildcard
// covers only what is watched anyway.
var alwaysWatched = map[fwk.EventResource]bool{
	fwk.Pod: true, fwk.Node: true, fwk.WildCard: true, fwk.AssignedPod: true, queue.UnschedulablePod: true, fwk.UnscheduledPod: true, fwk.TargetPod: true,
}

// Watches lists the kinds besides pods and nodes whose changes the profiles' plugins registered for, in the order for
// their first lists. The driver must supply their changes, or pods that a change would help stay in unschedulablePods.
func (e *Engine) Watches() []world.Kind { return e.watches }

// WatchedKinds lists the kinds that the driver must supply: pods, nodes, the kinds that plugins read, and those they
// registered for. It is an error if a plugin reads a type that no world serves.
func (e *Engine) WatchedKinds() ([]world.Kind, error) {
	if unserved := e.store.UnservedTypes(); len(unserved) > 0 {
		return nil, fmt.Errorf("starting the scheduler: plugins read objects of types it cannot serve: %q; take those plugins out of the configuration", unserved)
	}
	return world.SortKinds(append(slices.Concat(e.store.RequestedKinds(), e.watches), world.Pod, world.Node)), nil
}

// registerWatches collects the kinds that the plugins registered for. An unknown resource is a problem, not an error.
func (e *Engine) registerWatches(profiles map[string]queue.Profile) {
	kindOf := map[fwk.EventResource]world.Kind{}
	for kind, resource := range watchResources {
		kindOf[resource] = kind
	}
	var kinds []world.Kind
	for _, name := range e.profileNames {
		for _, event := range queue.WatchedEvents(profiles[name].Hints) {
			if gate, gated := gatedResources[event.Resource]; gated && !e.config.Features.Enabled(gate) {
				continue
			}
			kind, known := kindOf[event.Resource]
			if _, custom := world.Kind(event.Resource).Custom(); custom {
				kind, known = world.Kind(event.Resource), true
			}
			switch {
			case known:
				kinds = append(kinds, kind)
			case !alwaysWatched[event.Resource]:
				e.reportProblem(fmt.Errorf("profile %s: a plugin registered for changes of %q, which is no resource: name it as in \"foos.v1.example.com\"", name, event.Resource))
			}
		}
	}
	e.watches = world.SortKinds(kinds)
}

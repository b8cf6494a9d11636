package engine

import (
	"fmt"

	"k8s.io/component-base/featuregate"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
	"orrery/core/queue"
	"orrery/core/world"
)

// resources are the kinds besides pods and nodes whose changes may wake a pod, by the name plugins register them under.
var resources = map[world.Kind]fwk.EventResource{
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
	world.Workload:              fwk.Workload,
	world.Service:               "Service", // for the requeueing rule of old, which nothing is registered for
}

// resourceOf is what plugins register a kind's changes under; empty for those that wake nobody.
func resourceOf(kind world.Kind) fwk.EventResource {
	if _, custom := kind.Custom(); custom {
		return fwk.EventResource(kind)
	}
	return resources[kind]
}

// shown is an object as hints are handed it: of a custom kind, as a dynamic client would.
func shown(o world.Object) any {
	if custom, ok := o.(*world.Custom); ok {
		return custom.Unstructured()
	}
	return o
}

// behindGate are the resources that nobody is told of while a feature is switched off, as their API may not be served.
var behindGate = map[fwk.EventResource]featuregate.Feature{
	fwk.ResourceClaim: config.DynamicResourceAllocation,
	fwk.ResourceSlice: config.DynamicResourceAllocation,
	fwk.DeviceClass:   config.DynamicResourceAllocation,
	fwk.Workload:      config.GenericWorkload,
}

// toldAnyway are the resources that are no kind of their own: every engine is told of pods and nodes, and what stands for
// all of them asks for no more than the others do.
var toldAnyway = map[fwk.EventResource]bool{
	fwk.Pod: true, fwk.Node: true, fwk.WildCard: true, queue.AssignedPod: true, queue.UnschedulablePod: true,
}

// Registered lists the kinds besides pods and nodes whose changes the profiles' plugins registered for, in the order in
// which their first lists should be given. Whoever drives the engine has to tell it of them, or pods stay parked that a
// change would help.
func (e *Engine) Registered() []world.Kind { return e.registered }

// register finds out what the plugins registered for. What no world can tell of is a problem, and stops nobody.
func (e *Engine) register(profiles map[string]queue.Profile) {
	kindOf := map[fwk.EventResource]world.Kind{}
	for kind, resource := range resources {
		kindOf[resource] = kind
	}
	var kinds []world.Kind
	for _, name := range e.order {
		for _, event := range queue.Watched(profiles[name].Hints) {
			if gate, gated := behindGate[event.Resource]; gated && !e.config.Features.Enabled(gate) {
				continue
			}
			kind, known := kindOf[event.Resource]
			if _, custom := world.Kind(event.Resource).Custom(); custom {
				kind, known = world.Kind(event.Resource), true
			}
			switch {
			case known:
				kinds = append(kinds, kind)
			case !toldAnyway[event.Resource]:
				e.note(fmt.Errorf("profile %s: a plugin registered for changes of %q, which is no resource: name it as in \"foos.v1.example.com\"", name, event.Resource))
			}
		}
	}
	e.registered = world.InOrder(kinds)
}

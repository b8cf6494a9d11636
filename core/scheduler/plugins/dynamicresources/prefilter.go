package dynamicresources

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	fwk "k8s.io/kube-scheduler/framework"
)

// PreFilter finds the pod's claims, checks the requests of those without devices, and prepares their allocation. It rejects
// the pod if a claim is missing, is about to be written for another pod, or requests devices of a class that does not exist.
func (pl *DynamicResources) PreFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	state.Write(stateKey, withoutClaims)
	own, err := pl.ownClaims(pod)
	if err != nil {
		return nil, rejection(err.Error())
	}
	claims := pl.withImplicitClaim(pod, own)
	if claims.empty() {
		return nil, skip
	}
	selectors := make([]*nodeaffinity.NodeSelector, len(claims.all))
	for i, claim := range claims.all {
		if pl.devices.Abandoned(claim.UID) { // an error, so that the pod is tried again soon: no event may tell
			return nil, fwk.AsStatus(fmt.Errorf("resource claim %s/%s: an earlier write of it is not undone yet", claim.Namespace, claim.Name))
		}
		if allocation := claim.Status.Allocation; allocation == nil {
			if status := pl.checkUnallocated(claim, claim == claims.implicit); status != nil {
				return nil, status
			}
		} else if allocation.NodeSelector != nil {
			if selectors[i], err = nodeaffinity.NewNodeSelector(allocation.NodeSelector); err != nil {
				return nil, fwk.AsStatus(err)
			}
		}
	}
	c := &cycle{pod: pod, claims: claims, selectors: selectors, unavailable: map[int]bool{}}
	if len(claims.unallocated()) > 0 {
		pl.prepareAllocation(c)
	}
	state.Write(stateKey, c)
	return nil, nil
}

// withoutClaims is the state of pods without claims, and of those that are rejected. Nothing changes it.
var withoutClaims = &cycle{}

// prepareAllocation finds what is kept about the claims, or makes the allocator for all nodes.
func (pl *DynamicResources) prepareAllocation(c *cycle) {
	c.allocates, c.budget = true, pl.newBudget()
	c.found, c.classes = make([]allocation, 0, pl.usuallyFound), map[v1.ResourceName]string{}
	switch {
	case pl.features.PartitionableDevices && pl.devices.Entangled():
		c.allocator = pl.newAllocator(pl.devices.PreparedSlices())
	case c.claims.implicit == nil:
		c.verdicts = pl.verdictsOn(c.toAllocate(nil))
		c.asked = c.verdicts
	case c.claims.implicit.Spec.Devices.Requests == nil:
		c.asked = pl.askedWithExtended(c)
	}
}

// PreFilterExtensions is nil: the pods of a node do not matter.
func (*DynamicResources) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// checkUnallocated rejects a pod for a claim without devices that no node can give it any. What an implicit claim requests
// depends on the node.
func (pl *DynamicResources) checkUnallocated(claim *resourcev1.ResourceClaim, implicit bool) *fwk.Status {
	key := claim.Namespace + "/" + claim.Name
	if pl.devices.InFlight(claim.UID) != nil {
		return rejection(fmt.Sprintf("resource claim %s is in the process of being allocated", key))
	}
	if implicit {
		return nil
	}
	for i := range claim.Spec.Devices.Requests {
		if status := pl.checkRequest(key, &claim.Spec.Devices.Requests[i]); status != nil {
			return status
		}
	}
	return nil
}

func (pl *DynamicResources) checkRequest(claim string, request *resourcev1.DeviceRequest) *fwk.Status {
	switch {
	case request.Exactly != nil:
		return pl.checkClass(request.Exactly.DeviceClassName, request.Name)
	case len(request.FirstAvailable) == 0:
		return rejection(fmt.Sprintf("resource claim %s, request %s: unknown request type", claim, request.Name))
	case !pl.features.PrioritizedList:
		return rejection(fmt.Sprintf("resource claim %s, request %s: has subrequests, but the DRAPrioritizedList feature is disabled", claim, request.Name))
	}
	for i := range request.FirstAvailable {
		sub := &request.FirstAvailable[i]
		if status := pl.checkClass(sub.DeviceClassName, resourceclaim.CreateSubRequestRef(request.Name, sub.Name)); status != nil {
			return status
		}
	}
	return nil
}

func (pl *DynamicResources) checkClass(name, request string) *fwk.Status {
	switch {
	case name == "":
		return fwk.AsStatus(fmt.Errorf("request %s: unsupported request type", request))
	case pl.devices.Class(name) == nil:
		return rejection(fmt.Sprintf("request %s: device class %s does not exist", request, name))
	}
	return nil
}

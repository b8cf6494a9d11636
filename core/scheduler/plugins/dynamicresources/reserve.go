package dynamicresources

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/world"
)

// reservedKey is the key of what was reserved.
const reservedKey fwk.StateKey = Name + "/reserved"

// reserved is what a placed pod needs written, and how far that is. A step of PreBind replaces it.
type reserved struct {
	claims   []reservation
	mappings []v1.ContainerExtendedResourceRequest
	writes   []write
	written  int
	deadline time.Time // of the wait for binding conditions
}

// reservation is a claim of the pod.
type reservation struct {
	claim      *resourcev1.ResourceClaim    // as PreFilter found it; what was written replaces it
	allocation *resourcev1.AllocationResult // nil if it has devices already
	inFlight   types.UID                    // under which it is in flight, if it has none
	asked      bool                         // whether its reservation was written, or may have been
	created    bool                         // whether the implicit claim was
	implicit   bool
}

// write is one step of PreBind for a claim.
type write struct {
	claim int
	what  stage
}

type stage uint8

// The steps for a claim, in order. The claims of a pod take one only.
const (
	create  stage = iota // the implicit claim
	reserve              // adds devices and the pod to the claim
	tell                 // the pod's status about the implicit claim
	await                // until the implicit claim can be read
)

// Clone returns the data itself: nothing changes it.
func (r *reserved) Clone() fwk.StateData { return r }

// Reserve takes the devices that were found on the node, and lists what is to be written.
func (pl *DynamicResources) Reserve(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	c, err := readCycle(state)
	switch {
	case err != nil:
		return fwk.AsStatus(err)
	case c.claims.empty():
		return nil
	}
	pl.usuallyFound = len(c.found)
	r := &reserved{}
	for _, claim := range c.claims.all {
		r.claims = append(r.claims, reservation{claim: claim, implicit: claim == c.claims.implicit})
	}
	if err := r.takeFound(c, pl.found(ctx, c, node)); err != nil {
		return fwk.AsStatus(err)
	}
	for i := range r.claims {
		one := &r.claims[i]
		if one.allocation != nil {
			pl.devices.SetInFlight(one.inFlight, allocated(one.claim, one.allocation))
		}
		r.writes = append(r.writes, writesOf(pod, one, i)...)
	}
	state.Write(reservedKey, r)
	return nil
}

// takeFound has the claims without devices get those that were found on the node.
func (r *reserved) takeFound(c *cycle, found *allocation) error {
	positions := c.claims.unallocated()
	if len(positions) == 0 {
		return nil
	}
	switch {
	case found == nil || found.verdict == nil || len(found.results) == 0:
		if len(positions) == 1 && c.claims.all[positions[0]] == c.claims.implicit {
			return nil // a device plugin of the node has the extended resources
		}
		return errors.New("claim allocation not found for node")
	case len(found.results) != len(positions):
		return fmt.Errorf("internal error, have %d allocations, %d claims to allocate, want %d claims", len(found.results), len(positions), len(positions))
	}
	for i, position := range positions {
		one := &r.claims[position]
		if one.implicit && found.implicitAllocation == nil {
			continue // a device plugin of the node has the extended resources
		}
		one.inFlight, one.allocation = one.claim.UID, withNamedShares(one.claim, found.results[i])
		if one.implicit {
			one.claim, r.mappings = found.implicit, found.mappings
		}
	}
	return nil
}

// writesOf lists what is to be written for a claim.
func writesOf(pod *v1.Pod, one *reservation, position int) []write {
	switch {
	case one.implicit && one.allocation == nil:
		return nil
	case one.implicit:
		return []write{{position, create}, {position, reserve}, {position, tell}, {position, await}}
	case resourceclaim.IsReservedForPod(pod, one.claim, false):
		return nil
	}
	return []write{{position, reserve}}
}

// allocated returns a claim as it is with its devices, without its users.
func allocated(claim *resourcev1.ResourceClaim, allocation *resourcev1.AllocationResult) *resourcev1.ResourceClaim {
	with := *claim
	if !slices.Contains(with.Finalizers, resourcev1.Finalizer) {
		with.Finalizers = append(slices.Clip(with.Finalizers), resourcev1.Finalizer)
	}
	with.Status.Allocation = allocation
	return &with
}

// Unreserve gives up the devices that are not written, and takes the pod from the users of claims with devices: they stay
// allocated, for the next attempt or for other pods. The implicit claim is deleted. The devices of a claim that may have been
// written stay taken until that is undone.
func (pl *DynamicResources) Unreserve(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ string) {
	r, err := framework.ReadState[*reserved](state, reservedKey)
	if err != nil {
		return
	}
	for i := range r.claims {
		one := &r.claims[i]
		if one.asked || one.created {
			pl.devices.Abandon(one.inFlight)
		} else {
			pl.devices.GiveUp(one.inFlight)
		}
		switch {
		case one.created:
			pl.emitter.Emit(world.DeleteResourceClaim{Pod: world.PodRefOf(pod), Claim: pl.refOf(one.claim)}, Name)
		case one.implicit:
		case one.asked || one.claim.Status.Allocation != nil && resourceclaim.IsReservedForPod(pod, one.claim, false):
			pl.emitter.Emit(world.UnreserveResourceClaim{Pod: world.PodRefOf(pod), Claim: world.ObjectRefOf(one.claim)}, Name)
		}
	}
}

// undone takes in the answer to a write that undoes another. Without an answer it is made again; if it was refused, the claim
// cannot be undone, and is as the store shows it.
func (pl *DynamicResources) undone(act world.Action, outcome world.Outcome) {
	var claim world.ObjectRef
	switch act := act.(type) {
	case world.UnreserveResourceClaim:
		claim = act.Claim
	case world.DeleteResourceClaim:
		claim = world.ObjectRef{UID: temporaryUID(act.Pod.UID)}
	}
	again := outcome.Uncertain() || outcome.Reason == metav1.StatusReasonTooManyRequests
	if again && pl.devices.Abandoned(claim.UID) {
		pl.emitter.Emit(act, Name)
		return
	}
	pl.devices.Settle(claim, outcome.Version)
}

// refOf names the implicit claim, which may have been read by now.
func (pl *DynamicResources) refOf(claim *resourcev1.ResourceClaim) world.ObjectRef {
	if stored := pl.devices.StoredClaim(claim.Namespace, claim.Name); stored != nil {
		return world.ObjectRef{Namespace: stored.Namespace, Name: stored.Name, UID: stored.UID}
	}
	return world.ObjectRef{Namespace: claim.Namespace, Name: claim.Name}
}
